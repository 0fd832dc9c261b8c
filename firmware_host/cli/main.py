"""Entry point of ``tiltboard``. Sub-commands are imported only when they are called.

Other installed packages, such as the packages in ``packages/``, add commands by entry points that
refer to a ``click.Command``. The group ``tiltboard.commands`` adds ``tiltboard NAME``, and the
group ``tiltboard.benches`` adds ``tiltboard bench NAME``. A command that cannot be loaded is
reported in one line and does not affect other commands.
"""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module, metadata
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click
from click.shell_completion import CompletionItem

from tiltboard.firmware_host import stop
from tiltboard.firmware_host.cli.cli_output import misuse, printable, problem, sentence
from tiltboard.firmware_host.config.errors import (
    ConfigError,
    NoSuchGameError,
    NoSuchPlaceError,
    NoSuchPuzzleError,
)
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.games.base import OptionError, RulesError, UnknownGameError
from tiltboard.games.names import closest
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.plugins import PluginError, load_entry_point

MAX_SHOWN = 120  # Maximum number of characters of a file name that an error message shows.
# Commands under each heading of ``tiltboard --help``, with a one-line description of each command.
GROUPS = {
    "Play": {
        "sim": "Play on the simulated table, in a browser.",
        "run": "Run the physical table and its page.",
        "far": "Play with another table, far away.",
    },
    "Games": {
        "games": "List, import and export the games in the journal, and the people in them.",
        "rules": "Ask the rules: one position, or many from a file.",
    },
    "Set up a table": {
        "plans": "Write the plans of a table: parts, boards, figures.",
        "bringup": "Prove a table's wiring and measure its sensors, in one sweep.",
        "doctor": "Check everything that the table needs, with remedies.",
        "backup": "Copy games, calibration and settings to one file.",
        "restore": "Put a backup back.",
    },
    "Share": {
        "devices": "List the paired devices, pair another one, or end a pairing.",
        "hotspot": "Open the table's own Wi-Fi, join another, or print a sheet for phones.",
        "club": "Show every table on the broker on one page, with pairings and results.",
    },
    "Develop": {
        "check": "Check an installed game by playing it, or a board file.",
        "scenario": "Run a file of steps and expectations on a simulated or a real table.",
        "replay": "Replay a recording of the sensors.",
        "engine": "Choose moves, by UGI on standard input and output.",
    },
    "Laboratory": {"bench": "Measure how fast a table answers, and what that costs."},
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
# Command name -> package that provides the command, for commands that are not part of tiltboard
# itself.
BESIDE = {
    "far": "online",
    "plans": "plans",
    "club": "online",
    "warm": "kernels",
    "match": "lab",
    "study": "lab",
}
# Commands that the help does not list: commands that systemd or the installer calls, and some
# commands for users.
HIDDEN = ("help", "unit", "warm")
# Wrong command name that people type -> command that they probably mean.
ALIASES = {
    "board": "check",
    "calibrate": "bringup --from places",
    "check-board": "check",
    "check-game": "check",
    "export": "games export",
    "import": "games import",
    "join": "far join",
    "leave": "far leave",
    "list": "games",
    "pair": "devices pair",
    "people": "games people",
    "play": "sim",
    "players": "games people",
    "qr": "hotspot sheet",
    "revoke": "devices revoke",
    "serve": "run",
    "simulate": "sim",
    "start": "run",
    "sticker": "hotspot sheet",
    "test": "check",
    "unpair": "devices revoke",
    "wifi": "hotspot",
}

# Each command is in the module with the same name, and is called ``command`` in that module. The
# modules below contain further commands, which have their own names in the module.
ALSO = {
    "serve": ("sim", "run"),
    "rules": ("check",),
    "backup": ("restore",),
    "scenario": ("replay",),
    "running": ("devices",),
    "pi_checks": ("unit",),
    "main": ("help",),
}
# Errors caused by the user's input end with exit status 2. All other errors end with exit status 1.
ASKED_WRONGLY = (
    ConfigError,
    NoSuchGameError,
    NoSuchPlaceError,
    NoSuchPuzzleError,
    OptionError,
    UnknownGameError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
)


def how_to_bring(package: str) -> str:
    """Return an instruction that contains the command for installing a package of ``packages/``
    from a clone.
    """
    return f"In a clone of tiltboard run: pip install ./packages/{package}"


class Group(click.Group):
    """A command group that contains its own commands, followed by the commands that other packages
    add through the entry point group ``extensions``.

    Added commands are imported only when they are called or listed. ``unknown`` is the message for
    an unknown name.
    """

    extensions = ""
    unknown = text("There is no command {name!r}; {hint}")

    def own(self) -> dict[str, str]:
        """Return the one-line description of each of the group's own commands, by name, in the
        order of their definition.
        """
        return {name: each.get_short_help_str(100) for name, each in self.commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands: first the group's own commands, then the added commands
        in alphabetical order.
        """
        return [*self.own(), *self._others()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of this group or of another package. Raises ClickException if the
        command cannot be loaded, and UsageError with the closest known name if there is no such
        command.
        """
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        point = self._others().get(cmd_name)
        if point is None and ctx.resilient_parsing:
            # Show no error here, because a shell asks for completions and does not show errors.
            return None
        if point is None:
            raise misuse(self.missing(cmd_name, self.list_commands(ctx)))
        return _load(point)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return completions: first the commands, without importing their modules, then the
        options.
        """
        lines = dict.fromkeys(self._others(), "") | COMMANDS | self.own()
        known = (name for name in self.list_commands(ctx) if name not in HIDDEN)
        found = (name for name in known if name.startswith(incomplete))
        named = [CompletionItem(name, help=lines[name]) for name in found]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def missing(self, name: str, known: Iterable[str]) -> Message:
        """Return the message for an unknown command, which suggests the closest known name."""
        return Message(self.unknown.template, {"name": name, "hint": nearest(name, known)})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the group's own commands and all added commands that can be loaded. Commands that
        cannot be loaded are reported on stderr.
        """
        listed = self.group_commands()
        known = {name for commands in listed.values() for name in commands}
        for name, point in self._others().items():
            if name in known or name in HIDDEN:
                continue
            try:
                line = _load(point).get_short_help_str(100)
            except click.ClickException as error:
                click.echo(f"tiltboard: {error.format_message()}", err=True)
            else:
                [*listed.values()][-1][name] = line
        for title, commands in listed.items():
            with formatter.section(title):
                formatter.write_dl([*commands.items()])

    def group_commands(self) -> dict[str, dict[str, str]]:
        """Return the group's own commands by heading, as the help shows them. Added commands follow
        under the last heading.
        """
        return {"Commands": self.own()}

    def _others(self) -> dict[str, EntryPoint]:
        found = {point.name: point for point in entry_points(group=self.extensions)}
        return {name: found[name] for name in sorted(found.keys() - self.own().keys())}


def _load(point: EntryPoint) -> click.Command:
    try:
        return load_entry_point(point, _check_command)
    except PluginError as error:
        name, source, why = point.name, point.value, error.why
    raise problem(
        text(
            "The command {name} ({source}) cannot be used: {why}. Update or uninstall its package.",
            name=name,
            source=source,
            why=why,
        )
    )


def _check_command(command: object) -> click.Command:
    if isinstance(command, click.Command):
        return command
    raise PluginError(f"{type(command).__name__} is no click.Command")


class LazyGroup(Group):
    """A group that imports the module of a sub-command only when the sub-command is called, for a
    fast start.
    """

    extensions = "tiltboard.commands"

    def own(self) -> dict[str, str]:
        """Return all commands in COMMANDS that do not need a separate package."""
        return {name: line for name, line in COMMANDS.items() if name not in BESIDE}

    def group_commands(self) -> dict[str, dict[str, str]]:
        """Return GROUPS without the commands of packages that are not installed."""
        there = {*self.own(), *self._others()}
        return {
            title: {name: line for name, line in commands.items() if name in there}
            for title, commands in GROUPS.items()
        }

    def missing(self, name: str, known: Iterable[str]) -> Message:
        """Return the message for an unknown command. If the name is similar to an alias, the
        message names the real command. If the command is in another package, the message explains
        how to install the package.
        """
        if name in BESIDE:
            return text(
                "The command {name} needs the package tiltboard-{package}. {how}",
                name=name,
                package=BESIDE[name],
                how=how_to_bring(BESIDE[name]),
            )
        meant = closest(name, (*known, *ALIASES))
        if meant in ALIASES:
            hint = text("did you mean {name!r}?", name=ALIASES[meant])
            return Message(self.unknown.template, {"name": name, "hint": hint})
        return super().missing(name, known)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command. An error is shown as one line on stderr. The exit status is 2 for wrong
        usage.
        """
        extra["standalone_mode"] = False
        try:
            status = super().main(*args, **extra)
        except click.ClickException as error:
            stop.check()  # If a request to stop caused the error, the error is not shown.
            click.echo(f"tiltboard: {_parser_sentence(error)}", err=True)
            sys.exit(error.exit_code)
        sys.exit(status if isinstance(status, int) else 0)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command. The message for an unknown name suggests the
        closest name.
        """
        if cmd_name in BESIDE or cmd_name not in (*COMMANDS, *HIDDEN):
            return super().get_command(ctx, cmd_name)
        holder = next((each for each, names in ALSO.items() if cmd_name in names), None)
        module = import_module(f"tiltboard.firmware_host.cli.{holder or cmd_name}")
        name = cmd_name.replace("-", "_") if holder else "command"
        found: click.Command = getattr(module, name)
        return found


def _parser_sentence(error: click.ClickException) -> str:
    """Return the message of a click exception, followed by a hint that names the command's help."""
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return error.format_message()
    said = error.format_message().rstrip()
    stop = "" if said.endswith((".", "?", "!")) else "."
    return f"{said}{stop} See: {error.ctx.command_path} --help"


@click.command(
    cls=LazyGroup,
    epilog="Example: tiltboard sim",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(metadata.version("tiltboard"), "-V", "--version", prog_name="tiltboard")
@click.option("-v", "--verbose", is_flag=True, help="Log events and errors to stderr.")
def cli(*, verbose: bool) -> None:
    """A game table that feels its pieces, and a simulated one that runs the same code.

    For the help of a command, write -h after its name, or `tiltboard help` before it.
    """
    if verbose:
        logging.basicConfig(level=logging.DEBUG)


@click.command(name="help", hidden=True, epilog="Example: tiltboard help games import")
@click.argument("names", nargs=-1, metavar="COMMAND...")
@click.pass_context
def help(context: click.Context, names: Sequence[str]) -> None:  # noqa: A001
    """Show the help of a command."""
    asked = context.find_root()
    for name in names:
        found = asked.command.get_command(asked, name) if isinstance(asked.command, Group) else None
        if found is None:
            raise misuse(text("{path} has no commands.", path=asked.command_path))
        asked = click.Context(found, asked, info_name=name)
    click.echo(asked.get_help())


def _error_sentence(error: TiltboardError | RulesError) -> str:
    """Return the message of an error. For an invalid option, the message starts with the option and
    the given value.
    """
    said = sentence(error)
    if not isinstance(error, OptionError) or "value" not in error.params:
        return said
    option, given = f"{error.params.get('name')}", f"{error.params['value']}"
    return said if given in said else f"{option}={given}: {said.removeprefix(f'{option}: ')}"


def _status(error: Exception) -> int:
    """Return the exit status of an error: 2 for wrong usage, otherwise 1."""
    return (
        2 if isinstance(error, ASKED_WRONGLY) or isinstance(error.__cause__, ASKED_WRONGLY) else 1
    )


def main() -> None:
    """Run the command. Errors for people are shown as one line on stderr.

    The exit status is 2 for wrong usage, and 1 if a check failed.
    """
    try:
        cli(prog_name="tiltboard")
    except click.Abort as stopped:
        click.echo("Stopped.", err=True)
        sys.exit(128 + signal.SIGINT if isinstance(stopped.__cause__, KeyboardInterrupt) else 1)
    except (TiltboardError, RulesError) as error:
        said, status = _error_sentence(error), _status(error)
        logging.getLogger(__name__).debug("ended by", exc_info=error)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0].removeprefix("tiltboard_")
        if package not in BESIDE.values():
            raise
        how = how_to_bring(package)
        said, status = f"This needs the package tiltboard-{package}. {how}", 1
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            why = text("There is no room left on the disk to write to. Make room and start again.")
            sys.stdout = None  # The remaining output cannot be written either, so it is discarded.
        elif error.filename is None or error.strerror is None:
            raise
        else:
            name = error.filename
            file = printable(os.fsdecode(name) if isinstance(name, str | bytes) else str(name))
            if len(file) > MAX_SHOWN:
                file = f"{file[:MAX_SHOWN]}..."
            why = text("{file} cannot be used: {why}.", file=file, why=error.strerror)
        said, status = str(why), _status(error)
    stop.check()
    click.echo(f"tiltboard: {said}", err=True)
    sys.exit(status)
