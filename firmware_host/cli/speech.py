"""What the commands say: through the message catalogue, in the language of --language, of the
settings, or of the environment.
"""

from __future__ import annotations

import gettext
import inspect
import logging
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click

from tiltboard.drivers.errors import TiltboardError
from tiltboard.firmware_host import messages, stop
from tiltboard.firmware_host.config.errors import catalogue_of, explained
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.messages import ENGLISH, Catalogue, Message, chosen, text
from tiltboard.games.base import OptionError, RulesError

_CLICKS_WORDS = Path(messages.__file__).parent / "commands"
_SETUP = re.compile(r"\btiltboard (?:bringup|calibrate)\b(?! --sim)")


@dataclass
class Voice:
    """The language of a run of ``tiltboard``; click carries it to every command as its ``obj``.
    ``asked``: by --language, which comes before settings.
    """

    catalogue: Catalogue
    asked: bool = False

    def speak(self, catalogue: Catalogue) -> None:
        """Speak that language from here on; click's own words too, which come through gettext."""
        self.catalogue = catalogue
        os.environ["LANGUAGE"] = catalogue.language
        gettext.bindtextdomain("messages", _CLICKS_WORDS)


def default_voice() -> Voice:
    """The language of the settings in use, else the environment's."""
    try:
        language = load_settings(None).language
        spoken = catalogue_of(language or environment_language(os.environ))
    except TiltboardError:
        spoken = Catalogue.load(environment_language(os.environ))
    speaking = Voice(spoken)
    speaking.speak(spoken)
    return speaking


def environment_language(environment: Mapping[str, str]) -> str:
    """What the locale says, read as gettext does; English where it names none that there is."""
    named = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((each for each in named if each), "C")
    if locale.partition(".")[0] in ("C", "POSIX"):
        return ENGLISH
    return chosen([*environment.get("LANGUAGE", "").split(":"), locale]) or ENGLISH


def voice() -> Voice:
    """The voice of the command being run."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_root().obj
    return found if isinstance(found, Voice) else Voice(Catalogue())


def catalogue() -> Catalogue:
    """The language of the command being run."""
    return voice().catalogue


def speak(language: str | None, *, asked: bool = False) -> Catalogue:
    """From here on in ``language``: that of the settings, or what --language has ``asked`` for,
    which comes first; None: as before. Raises ConfigError for one that does not exist.
    """
    speaking = voice()
    spoken = None if language is None else catalogue_of(language)
    if spoken is not None and (asked or not speaking.asked):
        speaking.speak(spoken)
        speaking.asked = asked
    return speaking.catalogue


def words(message: Message) -> str:
    """``message`` in that language."""
    return catalogue().translate(message)


def as_run(line: str, *, simulated: bool) -> str:
    """``line`` with the commands in it as they are to be typed for the table that is meant."""
    return re.sub(_SETUP, r"\g<0> --sim", line) if simulated else line


def say(message: Message, *, err: bool = False) -> None:
    """Print it."""
    click.echo(words(message), err=err)


def log_to_stderr() -> None:
    """Send the log to standard error: systemd's journal, which limits how much, or a terminal."""
    style = "%(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=style)


def serve_until_told(ended: threading.Event) -> None:
    """Wait until a request to stop or somebody else sets ``ended``. Raises the request that came
    before: what was started then is closed, and its status is that of the signal.
    """
    stop.end_by(ended.set)
    ended.wait()


def standard_input(reader: str) -> TextIO:
    """Standard input for ``reader``, the option or argument that reads it. Raises UsageError where
    whoever started the command has closed it.
    """
    if sys.stdin is None:
        raise misuse(text("Standard input is closed, and {reader} reads it.", reader=reader))
    return sys.stdin


def keyboard() -> int | None:
    """The descriptor from which what is typed meanwhile is read, if there is one."""
    return None if sys.stdin is None or sys.stdin.closed else sys.stdin.fileno()


def printable(foreign: str) -> str:
    """What others have written, without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "?" for sign in foreign)


def sentence(error: TiltboardError | RulesError) -> str:
    """What an error says, and its remedy; an option by the name that is written here."""
    said = explained(error, catalogue())
    return error.named(said) if isinstance(error, OptionError) else said


def problem(message: Message) -> click.ClickException:
    """The error that ends a command with one line and status 1."""
    return click.ClickException(words(message))


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Where the system does not let ``file`` be written, the command ends with one line."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:  # one of our own, which has its own words
            raise
        why = text("{file} cannot be written: {why}.", file=file, why=error.strerror)
        raise problem(why) from error


def misuse(message: Message) -> click.UsageError:
    """The error for options that do not go together; status 2."""
    return click.UsageError(words(message))


def translated(command: click.Command, spoken: Catalogue) -> click.Command:
    """``command`` with its help in that language."""
    command.help = command.help and unfilled(command.help, spoken)
    command.epilog = command.epilog and unfilled(command.epilog, spoken)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.help:
            parameter.help = unfilled(parameter.help, spoken)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            translated(each, spoken)
    return command


def unfilled(english: str, spoken: Catalogue) -> str:
    """A text that has no fields, as a help, in that language; braces in it stay what they are."""
    found = spoken.messages.get(inspect.cleandoc(english), english)
    return found if isinstance(found, str) else english
