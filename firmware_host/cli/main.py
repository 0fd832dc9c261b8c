"""Entry point of ``tiltboard``: sub-commands are imported only when they are called.

Another installed package, such as the laboratory (``lab/``), brings a command by an entry point
that names a ``click.Command``: of the group ``tiltboard.commands`` for ``tiltboard NAME``, of
``tiltboard.benches`` for ``tiltboard bench NAME``. One that cannot be loaded is named in one line,
and the others work.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from gettext import gettext
from importlib import import_module, metadata
from importlib.metadata import EntryPoint, entry_points

import click

from tiltboard.drivers.errors import TiltboardError
from tiltboard.firmware_host import stop
from tiltboard.firmware_host.cli.speech import misuse, printable, problem
from tiltboard.firmware_host.config.errors import explained
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.games.base import RulesError
from tiltboard.games.plugins import PluginError, loaded

MOST_SHOWN = 120  # characters of a file's name
# Name -> one line for ``tiltboard --help``
COMMANDS = {
    "sim": "Play on the simulated table, in a browser.",
    "run": "Run the physical table and its page.",
    "scenario": "Run a file of steps and expectations on a simulated or a real table.",
    "rules": "Ask the rules: one position, or many from a file.",
    "engine": "Choose moves, by UGI on standard input and output.",
    "warm": "Compile what lets the computer think fast.",
    "check-game": "Check a game that is installed, by playing it.",
    "board": "Check a board file of Gravity Trap.",
    "games": "List the games in the journal.",
    "people": "List the people that the table knows by name, or forget one.",
    "export": "Write a game as text.",
    "replay": "Go through a recording again.",
    "bringup": "Prove a table's wiring and measure its sensors, in one sweep.",
    "calibrate": "The last part of that sweep: measure every sensor.",
    "backup": "Copy games, calibration and settings to one file.",
    "restore": "Put a backup back.",
    "doctor": "Check everything that the table needs, with remedies.",
    "pair": "Pair another device with the table, or end its pairing.",
    "join": "Play with another table, far away, by the code that it shows.",
    "hotspot": "Open the table's own Wi-Fi, or join another.",
    "sticker": "Print a sheet with the table's address for phones' cameras.",
    "club": "Show every table on the broker on one page, with pairings and results.",
    "plans": "Write what it takes to build a table: parts, boards, figures.",
    "unit": "Print what the systemd unit must allow for a table.",
    "bench": "Measure how fast a table answers, and what that costs.",
}

# A command is ``command`` in the module of its name; these modules hold others by their names.
ALSO = {
    "serve": ("sim", "run"),
    "engine": ("warm",),
    "rules": ("check-game", "board"),
    "games": ("people", "export"),
    "backup": ("restore",),
    "scenario": ("replay",),
    "bringup": ("calibrate",),
    "pair": ("sticker", "join"),
    "computer": ("unit",),
}


class Group(click.Group):
    """Its own commands, and those of the entry points of ``extensions``; its own come first.

    Others' are imported when they are called or listed, never before. ``unknown``: what is said of
    a name that no command has.
    """

    extensions = ""
    unknown = text("There is no command {name!r}; {hint}")

    def own(self) -> dict[str, str]:
        """Names of commands and one line on each, in the order of their definition."""
        return {name: each.get_short_help_str(100) for name, each in self.commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of commands: our own, then others' by name."""
        return [*self.own(), *self._others()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Its own, or another package's. Raises ClickException for one that cannot be loaded, and
        UsageError, with the nearest name, for one that does not exist.
        """
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        point = self._others().get(cmd_name)
        if point is None:
            hint = nearest(cmd_name, self.list_commands(ctx))
            raise misuse(Message(self.unknown.template, {"name": cmd_name, "hint": hint}))
        return _loaded(point)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Own commands, and others' that can be loaded; those that cannot are named on stderr."""
        listed = self.own()
        for name, point in self._others().items():
            try:
                listed[name] = _loaded(point).get_short_help_str(100)
            except click.ClickException as error:
                click.echo(f"tiltboard: {error.format_message()}", err=True)
        with formatter.section(gettext("Commands")):
            formatter.write_dl([*listed.items()])

    def _others(self) -> dict[str, EntryPoint]:
        found = {point.name: point for point in entry_points(group=self.extensions)}
        return {name: found[name] for name in sorted(found.keys() - self.own().keys())}


def _loaded(point: EntryPoint) -> click.Command:
    try:
        return loaded(point, _checked)
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


def _checked(command: object) -> click.Command:
    if isinstance(command, click.Command):
        return command
    raise PluginError(f"{type(command).__name__} is no click.Command")


class LazyGroup(Group):
    """Imports a sub-command's module when it is called, so that each starts fast."""

    extensions = "tiltboard.commands"

    def own(self) -> dict[str, str]:
        """COMMANDS, translated."""
        return {name: str(Message(line)) for name, line in COMMANDS.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command; a near miss is named."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        holder = next((each for each, names in ALSO.items() if cmd_name in names), None)
        module = import_module(f"tiltboard.firmware_host.cli.{holder or cmd_name}")
        name = cmd_name.replace("-", "_") if holder else "command"
        found: click.Command = getattr(module, name)
        return found


@click.command(cls=LazyGroup, epilog="Example: tiltboard sim")
@click.version_option(metadata.version("tiltboard"), prog_name="tiltboard")
def cli() -> None:
    """A game table that feels its pieces, and a simulated one that runs the same code."""


def main() -> None:
    """Run the command; an error made for people is one line on stderr and exit status 1."""
    try:
        status = cli(prog_name="tiltboard", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.Abort as stopped:
        click.echo("Stopped.", err=True)
        sys.exit(128 + signal.SIGINT if isinstance(stopped.__cause__, KeyboardInterrupt) else 1)
    except click.ClickException as error:
        stop.check()  # nobody is told of what a request to stop has become on its way
        error.show()
        sys.exit(error.exit_code)
    except (TiltboardError, RulesError) as error:
        said = explained(error)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            why = text("There is no room left on the disk to write to. Make room and start again.")
            sys.stdout = None  # what is left in it cannot be written either
        elif error.filename is None or error.strerror is None:
            raise
        else:
            name = error.filename
            file = printable(os.fsdecode(name) if isinstance(name, str | bytes) else str(name))
            if len(file) > MOST_SHOWN:
                file = f"{file[:MOST_SHOWN]}..."
            why = text("{file} cannot be used: {why}.", file=file, why=error.strerror)
        said = str(why)
    stop.check()
    click.echo(f"tiltboard: {said}", err=True)
    sys.exit(1)
