"""The root of the table's errors, and the command that a remedy names."""

from __future__ import annotations

import sys


class TiltboardError(Exception):
    """Base of every error that the table raises on purpose; each says what to do.

    ``template`` and ``remedy`` are English with ``{named}`` fields filled from ``params``, so that
    a host can translate both.

        >>> import tiltboard
        >>> try:
        ...     tiltboard.load_profile("plate-11")
        ... except tiltboard.TiltboardError as error:
        ...     print(error.remedy)
        Name a shipped profile or the path of a TOML file.
    """

    def __init__(self, template: str, /, *, remedy: str = "", **params: object) -> None:
        self.template = template
        self.remedy_template = remedy
        self.params = params
        self.problem = template.format(**params)
        self.remedy = remedy.format(**params)
        super().__init__(f"{self.problem} {self.remedy}".strip())


def extra_command(extra: str, folder: str = ".") -> str:
    """The command, for the Python that runs this, that brings an extra from a clone. No index has
    this project's packages: whoever claimed their names there could have anything installed.
    """
    return f"{sys.executable} -m pip install '{folder}[{extra}]'"
