"""The host's errors, all derived from ``tiltboard.ground.errors.TiltboardError``, and functions
that translate them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tiltboard.firmware_host.messages import ENGLISH, Catalogue, Message, chosen, languages, nearest
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError, joined

_IN_ENGLISH = Catalogue.load(ENGLISH)


class ConfigError(TiltboardError, ValueError):
    """A configuration, profile or command-line value is unknown, unreadable or out of range."""


class BoardDoesNotFitError(TiltboardError, ValueError):
    """The chosen board is larger than the plate, or uses more kinds of pieces than the sensors can
    distinguish.
    """


class JournalError(TiltboardError, OSError):
    """The journal cannot be read or written. The game must pause, because no move can be stored."""


class JournalFullError(JournalError):
    """The disk is full or read-only. Free some space, and try again."""


class JournalDamagedError(JournalError):
    """The journal file is corrupt, or from a newer version. The file itself is never changed."""


class JournalInUseError(JournalError):
    """Another process is writing to the journal. End this program, or try again if the other
    process ends soon.
    """


class JournalConflictError(JournalError):
    """The journal's state differs from the state that the caller expects. Rebuild the game from the
    journal.
    """


class BackupError(TiltboardError, ValueError):
    """A backup cannot be written, is damaged, or comes from a newer version. Nothing has been
    changed.
    """


class NoSuchGameError(TiltboardError, LookupError):
    """The journal has no game with this number."""


class NoSuchPuzzleError(TiltboardError, LookupError):
    """The table has no puzzle with this number."""


class GameTextError(TiltboardError, ValueError):
    """An exported game cannot be read. The message names the line and the expected content."""


class TraceError(TiltboardError, ValueError):
    """A recorded trace cannot be read. The message names the record and the expected content."""


class BusyError(TiltboardError):
    """Too many requests are waiting. Ask again in a moment."""


class NotPossibleError(TiltboardError):
    """The request is not possible now, for example because there is no game or no move to undo."""


class NoSuchPlaceError(NotPossibleError):
    """The table has no place or part with this name."""


def catalogue_of(language: str) -> Catalogue:
    """Return the catalogue of a shipped language. Raises ConfigError if the language is not
    shipped.
    """
    if language not in languages():
        raise ConfigError(
            "There is no language {language!r}; {hint}",
            remedy="Choose one that ships, or add its catalogue.",
            language=language,
            hint=nearest(language, languages()),
        )
    return Catalogue.load(language)


def spoken_by(language: str | None, environment: Mapping[str, str] = os.environ) -> Catalogue:
    """Return the catalogue of the language that a service uses.

    The language comes from the settings (``language``), otherwise from the locale as gettext reads
    it. Without either, the language is English. Raises ConfigError if the settings specify an
    unknown language.
    """
    if language is not None:
        return catalogue_of(language)
    named = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((each for each in named if each), "C")
    if locale.partition(".")[0] in ("C", "POSIX"):
        return Catalogue.load(ENGLISH)
    wishes = [*environment.get("LANGUAGE", "").split(":"), locale]
    return Catalogue.load(chosen(wishes) or ENGLISH)


def error_text(error: TiltboardError | RulesError, catalogue: Catalogue = _IN_ENGLISH) -> str:
    """Return the text of an error, which states the problem and the remedy, if the error has one.

    Parameters of the error that are errors themselves are translated in the same way.
    """
    params = {
        name: error_text(value, catalogue)
        if isinstance(value, TiltboardError | RulesError)
        else value
        for name, value in error.params.items()
    }
    problem = catalogue.translate(Message(error.template, params))
    if isinstance(error, RulesError):
        return problem
    remedy = catalogue.translate(Message(error.remedy_template, params))
    return joined(problem, remedy)
