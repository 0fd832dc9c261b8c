"""What the commands say: through the message catalogue, in the language of the settings."""

from __future__ import annotations

import re
from pathlib import Path

import click

from drivers.errors import TiltboardError
from firmware_host.config.settings import load_settings
from firmware_host.messages import Catalogue, Message, text
from firmware_host.messages.explain import explained
from games.base import RulesError

_SETUP = re.compile(r"\btiltboard (?:bringup|calibrate)\b(?! --sim)")


def default_catalogue() -> Catalogue:
    """The language of the settings in use; English where they cannot be read."""
    try:
        return Catalogue.load(load_settings(None).language)
    except TiltboardError:
        return Catalogue()


def catalogue() -> Catalogue:
    """That of the command being run (``tiltboard`` hands it to click as its ``obj``)."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_root().obj
    return found if isinstance(found, Catalogue) else Catalogue()


def speak(language: str) -> Catalogue:
    """From here on in ``language``. Raises ConfigError for one that does not exist."""
    spoken = Catalogue.load(language)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.find_root().obj = spoken
    return spoken


def words(message: Message) -> str:
    """``message`` in that language."""
    return catalogue().translate(message)


def as_run(line: str, *, simulated: bool) -> str:
    """``line`` with the commands in it as they are to be typed for the table that is meant."""
    return re.sub(_SETUP, r"\g<0> --sim", line) if simulated else line


def say(message: Message, *, err: bool = False) -> None:
    """Print it."""
    click.echo(words(message), err=err)


def printable(foreign: str) -> str:
    """What others have written, without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "?" for sign in foreign)


def sentence(error: TiltboardError | RulesError) -> str:
    """What an error says, and its remedy."""
    return explained(error, catalogue())


def problem(message: Message) -> click.ClickException:
    """The error that ends a command with one line and status 1."""
    return click.ClickException(words(message))


def not_written(file: Path, error: OSError) -> click.ClickException:
    """The error for a file that the system does not let us write."""
    why = error.strerror or str(error)
    return problem(text("{file} cannot be written: {why}.", file=file, why=why))


def misuse(message: Message) -> click.UsageError:
    """The error for options that do not go together; status 2."""
    return click.UsageError(words(message))


def translated(command: click.Command, spoken: Catalogue) -> click.Command:
    """``command`` with its help in that language; the English one is the key, with its newlines."""
    if spoken.messages:
        _translate(command, spoken)
    return command


def _translate(command: click.Command, spoken: Catalogue) -> None:
    def other(english: str | None) -> str | None:
        return english and spoken.messages.get(english, english)

    command.help, command.epilog = other(command.help), other(command.epilog)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            parameter.help = other(parameter.help)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _translate(each, spoken)
