"""The host's errors, under ``tiltboard.ground.errors.TiltboardError``, and their translation."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tiltboard.firmware_host.messages import ENGLISH, Catalogue, Message, chosen, languages, nearest
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError

_IN_ENGLISH = Catalogue.load(ENGLISH)


class ConfigError(TiltboardError, ValueError):
    """A configuration, profile or command-line value is unknown, unreadable or out of range."""


class BoardDoesNotFitError(TiltboardError, ValueError):
    """The chosen board is larger than the plate, or needs pieces that it cannot tell apart."""


class JournalError(TiltboardError, OSError):
    """The journal cannot be read or written. Play must pause: nothing more can be confirmed."""


class JournalFullError(JournalError):
    """The disk is full or read-only. Try again once there is room."""


class JournalDamagedError(JournalError):
    """The journal file is corrupt, or from a newer version. It has been kept aside, untouched."""


class JournalInUseError(JournalError):
    """Another process writes the journal. Stop; or, if it was only for a moment, try again."""


class JournalConflictError(JournalError):
    """The journal's state differs from what the caller assumes. Rebuild the game from it."""


class BackupError(TiltboardError, ValueError):
    """A backup cannot be made there, or is damaged or newer. Nothing has been changed."""


class NoSuchGameError(TiltboardError, LookupError):
    """No game with that number is in the journal."""


class NoSuchPuzzleError(TiltboardError, LookupError):
    """No puzzle with that number comes with the table."""


class GameTextError(TiltboardError, ValueError):
    """An exported game cannot be read: names the line and what was expected."""


class TraceError(TiltboardError, ValueError):
    """A recorded trace cannot be read: names the record and what was expected."""


class BusyError(TiltboardError):
    """Too many requests are waiting. Ask again in a moment."""


class NotPossibleError(TiltboardError):
    """The request cannot be done now (no game, nothing to take back, game over)."""


class NoSuchPlaceError(NotPossibleError):
    """No place or part with that name is on this table."""


def catalogue_of(language: str) -> Catalogue:
    """Return a shipped language's catalogue. Raises ConfigError if there is none."""
    if language not in languages():
        raise ConfigError(
            "There is no language {language!r}; {hint}",
            remedy="Choose one that ships, or add its catalogue.",
            language=language,
            hint=nearest(language, languages()),
        )
    return Catalogue.load(language)


def spoken_by(language: str | None, environment: Mapping[str, str] = os.environ) -> Catalogue:
    """Return the language that a service speaks: that of the settings, or of the locale as gettext
    reads it, or English. Raises ConfigError for a language of the settings that does not exist.
    """
    if language is not None:
        return catalogue_of(language)
    named = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((each for each in named if each), "C")
    if locale.partition(".")[0] in ("C", "POSIX"):
        return Catalogue.load(ENGLISH)
    wishes = [*environment.get("LANGUAGE", "").split(":"), locale]
    return Catalogue.load(chosen(wishes) or ENGLISH)


def explained(error: TiltboardError | RulesError, catalogue: Catalogue = _IN_ENGLISH) -> str:
    """Return the problem and its remedy, if it has one; an error in its fields likewise."""
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
