"""Text input and output of the commands in English: lines, errors and typed answers."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from tiltboard.firmware_host import stop
from tiltboard.firmware_host.config.errors import error_text
from tiltboard.firmware_host.messages import Message, text
from tiltboard.games.base import OptionError, RulesError
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.measured import Measured

F = TypeVar("F", bound=Callable[..., Any])
_SETUP = re.compile(r"\btiltboard bringup\b(?! --sim)")


def as_run(line: str, *, simulated: bool) -> str:
    """Return ``line`` with each command in the form that the user must type for this table."""
    return re.sub(_SETUP, r"\g<0> --sim", line) if simulated else line


def _speak_json(context: click.Context, _option: click.Parameter, chosen: bool) -> None:
    context.meta[_JSON] = chosen


_JSON = f"{__name__}.json"


def _json_option(about: str) -> Callable[[F], F]:
    return click.option(
        "--json", is_flag=True, expose_value=False, callback=_speak_json, help=about
    )


AS_JSON = _json_option(
    "Print one JSON object per line: the sentence's template and its values by name."
)
RESULTS_AS_JSON = _json_option(
    "Print the results as one JSON object per line; instructions go to standard error."
)
LINES_AS_JSON = _json_option("Print one JSON object per line. There is no other form.")
FIGURES_AS_JSON = _json_option(
    "Print one JSON object per line: the sentence, and its figures by names that end in units."
)


def is_json_wanted() -> bool:
    """Return whether the running command was called with the option ``AS_JSON`` or
    ``FIGURES_AS_JSON``.
    """
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_JSON))


def say(message: Message, *, err: bool = False) -> None:
    """Print a message. With the option ``AS_JSON``, print the message's template and parameters as
    JSON.
    """
    if not is_json_wanted():
        click.echo(str(message), err=err)
        return
    values = {"says": message.template, **message.params}
    click.echo(json.dumps(values, default=str, ensure_ascii=False), err=err)


def report(line: str) -> None:
    """Print a line of a measurement. With the option ``FIGURES_AS_JSON``, print the line's text and
    values as JSON.
    """
    if not is_json_wanted():
        click.echo(line)
        return
    figures = line.figures if isinstance(line, Measured) else {}
    click.echo(json.dumps({"says": " ".join(line.split()), **figures}, ensure_ascii=False))


def log_to_stderr() -> None:
    """Send the log to standard error, which is either a terminal or systemd's journal. Systemd's
    journal has its own rate limit.
    """
    style = "%(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=style)


def serve_until_told(ended: threading.Event) -> None:
    """Wait until a request to stop, or other code, sets ``ended``. If a request to stop came
    earlier, raise the request again. Then everything is closed, and the exit status is that of the
    signal.
    """
    stop.end_by(ended.set)
    ended.wait()


def standard_input(reader: str) -> TextIO:
    """Return standard input. ``reader`` is the option or argument that reads standard input; the
    error message names it. Raises UsageError if standard input is closed.
    """
    if sys.stdin is None:
        raise misuse(text("Standard input is closed, and {reader} reads it.", reader=reader))
    return sys.stdin


def keyboard() -> int | None:
    """Return the file descriptor of standard input, or None if standard input is closed."""
    return None if sys.stdin is None or sys.stdin.closed else sys.stdin.fileno()


def printable(foreign: str) -> str:
    """Return an untrusted text in which ``?`` replaces control characters, because such characters
    could change the terminal.
    """
    return "".join(sign if sign.isprintable() else "?" for sign in foreign)


def sentence(error: TiltboardError | RulesError) -> str:
    """Return the message and the remedy of an error. The text calls options by their command-line
    names.
    """
    said = error_text(error)
    return error.named(said) if isinstance(error, OptionError) else said


def problem(message: Message) -> click.ClickException:
    """Return the exception that ends a command with a one-line message and exit status 1."""
    return click.ClickException(str(message))


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """End the command with a one-line error if ``file`` cannot be written."""
    try:
        yield
    except OSError as error:
        # The error is one of tiltboard's own errors and already has a complete message.
        if error.strerror is None:
            raise
        why = text("{file} cannot be written: {why}.", file=file, why=error.strerror)
        raise problem(why) from error


def misuse(message: Message) -> click.UsageError:
    """Return the exception for options that exclude each other. The command then ends with exit
    status 2.
    """
    return click.UsageError(str(message))
