"""The tree of errors of the table, from the chips up. Each says what is wrong and what to do.

``template`` and ``remedy`` are English with ``{named}`` fields filled from ``params``, so that a
host can translate both.
"""

from __future__ import annotations


class TiltboardError(Exception):
    """Base of every error that the table raises on purpose."""

    def __init__(self, template: str, /, *, remedy: str = "", **params: object) -> None:
        self.template = template
        self.remedy_template = remedy
        self.params = params
        self.problem = template.format(**params)
        self.remedy = remedy.format(**params)
        super().__init__(f"{self.problem} {self.remedy}".strip())


class PartError(TiltboardError, OSError):
    """A part of the table does not do its work. ``part``: hall, imu, lights, panel.

    The caller may go on, without that part, and try again later.
    """

    def __init__(self, part: str, template: str, /, *, remedy: str = "", **params: object) -> None:
        self.part = part
        TiltboardError.__init__(self, template, remedy=remedy, part=part, **params)


class PartAbsentError(PartError):
    """The part does not answer at all: not wired, no power, or no permission. Retry later."""


class WrongPartError(PartError):
    """Something answers, but it is another chip than the profile names. Stop and look."""


class PartReadingError(PartError, ValueError):
    """The part answers, but with values that it cannot have measured. Retry; then look."""
