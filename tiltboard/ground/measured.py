"""A line of a measurement, which people read as text and programs by the names of its figures."""

from __future__ import annotations

from typing import Any


class Measured(str):
    """A line of text that keeps the figures in it, by name.

    ``form`` is a format string with a field for each of ``parts``. A part's name ends in its unit
    (``median_ms``, ``rest_percent``, ``speed_x``); a name without one is that of a count or a word.
    A part that is itself ``Measured`` adds its own figures instead of its text:

        Measured("median {median_ms:.1f} ms of {row}", median_ms=3.21, row=other)
    """

    figures: dict[str, Any]
    """The value of each figure or word, not rounded, by its name."""

    def __new__(cls, form: str, /, **parts: Any) -> Measured:
        """Format the line and keep its figures."""
        line = super().__new__(cls, form.format(**parts))
        line.figures = {}
        for name, part in parts.items():
            line.figures |= part.figures if isinstance(part, Measured) else {name: part}
        return line
