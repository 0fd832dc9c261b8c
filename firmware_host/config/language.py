"""The language that somebody chose, and errors in it."""

from __future__ import annotations

from drivers.errors import TiltboardError
from firmware_host.config.errors import ConfigError
from firmware_host.messages import Catalogue, Message, languages, nearest
from games.base import RulesError


def catalogue_of(language: str) -> Catalogue:
    """A shipped language. Raises ConfigError for one that does not exist."""
    if language not in languages():
        raise ConfigError(
            "There is no language {language!r}; {hint}",
            remedy="Choose one that ships, or add its catalogue.",
            language=language,
            hint=nearest(language, languages()),
        )
    return Catalogue.load(language)


def explained(error: TiltboardError | RulesError, catalogue: Catalogue) -> str:
    """The problem, and the remedy if there is one. An error among its fields is explained too."""
    params = {
        name: explained(value, catalogue)
        if isinstance(value, TiltboardError | RulesError)
        else value
        for name, value in error.params.items()
    }
    problem = catalogue.translate(Message(error.template, params))
    if isinstance(error, RulesError):
        return problem
    remedy = catalogue.translate(Message(error.remedy_template, params))
    stop = "." if problem[-1:].isalnum() and remedy[:1].isupper() else ""
    return f"{problem}{stop} {remedy}".strip()
