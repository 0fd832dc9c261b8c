"""A line of measured values. People read the line as text, and programs read each value by its
name.
"""

from __future__ import annotations

from typing import Any


class Measured(str):
    """A line of text that also stores the values in it, by name.

    ``form`` is a format string with a field for each of ``parts``. A part's name ends in its unit
    (``median_ms``, ``rest_percent``, ``speed_x``); a part without a unit is a count or a word. If a
    part is itself ``Measured``, its values are added instead of its text:

    Measured("median {median_ms:.1f} ms of {row}", median_ms=3.21, row=other)
    """

    figures: dict[str, Any]
    """The value of each figure or word, not rounded, by its name."""

    def __new__(cls, form: str, /, **parts: Any) -> Measured:
        """Format the line and store its values."""
        line = super().__new__(cls, form.format(**parts))
        line.figures = {}
        for name, part in parts.items():
            line.figures |= part.figures if isinstance(part, Measured) else {name: part}
        return line
