"""The base class of all errors of tiltboard, and a command for use in remedies."""

from __future__ import annotations

import sys


class TiltboardError(Exception):
    """Base class of all errors that tiltboard raises. Each error states a remedy.

    ``template`` and ``remedy`` are English texts with ``{named}`` fields, which are filled from
    ``params``. A host can translate both texts.

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
        super().__init__(joined(self.problem, self.remedy))


def joined(problem: str, remedy: str) -> str:
    """Return an error's problem and remedy as sentences. A full stop is added between them if the
    problem ends without a punctuation mark and the remedy begins a sentence.
    """
    stop = "." if problem[-1:].isalnum() and remedy[:1].isupper() else ""
    return f"{problem}{stop} {remedy}".strip()


def extra_command(extra: str, folder: str = ".") -> str:
    """Return the command that installs an extra from the clone in ``folder``, with the Python that
    runs this program. The packages are not on a package index, where anyone could upload other
    packages under these names.
    """
    return f"{sys.executable} -m pip install '{folder}[{extra}]'"
