"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tiltboard.firmware_host.cli.cli_output import misuse, sentence, standard_input
from tiltboard.firmware_host.config.files import default_state_directory, ensure_state_directory
from tiltboard.firmware_host.messages import text

if TYPE_CHECKING:
    from tiltboard.firmware_host.table.commands import NewGame


F = TypeVar("F", bound=Callable[..., Any])

CONFIG = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Settings file (docs/configuration.md). Default: /etc/tiltboard/tiltboard.toml, if any.",
)
STATE = click.option(
    "--state", type=click.Path(path_type=Path), help="Folder for games and calibration."
)
SIMULATED = click.option(
    "--sim", "simulated", is_flag=True, help="Use the games of `tiltboard sim`, which has its own."
)
PORT = click.option(
    "--port", type=click.IntRange(0, 65535), help="Port of the page; 0 for any free port."
)
RECORD = click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Record the sensors' last half hour in this file, for `tiltboard replay`.",
)
HOST = click.option(
    "--host", help="Address to serve the page at. 0.0.0.0: the network (docs/service.md)."
)
PROFILE = click.option("--profile", help="Table profile, by name or by path of a TOML file.")

GAME = click.option("--game", help="Start this game. Default: continue the last game.")
OPTIONS = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the game; needs --game.",
)


FAR = click.option(
    "--far",
    multiple=True,
    metavar="PLAYER[=TABLE]",
    help="Player at another table, which joins with the code that is shown. Needs --game.",
)
JOIN = click.option(
    "--join",
    metavar="CODE",
    help="Play with the table that shows this code; write - to type the code later.",
)


def match_code(given: str) -> str:
    """Return the code of a match. If ``given`` is ``-``, read the code from standard input, because
    other users can see the arguments of a command. Raises NotPossibleError if the code is invalid.
    """
    from tiltboard.firmware_host.host.online import online

    if given == "-":
        asked = standard_input("CODE")
        if asked.isatty():
            click.echo(str(text("The other table's code")) + ": ", nl=False, err=True)
        given = asked.readline().strip()
    return online().read_code(given)


def table_options(command: F) -> F:
    """Add the options of a command that runs a table and its page."""
    for option in (RECORD, JOIN, FAR, OPTIONS, GAME, PORT, HOST, STATE, PROFILE, CONFIG):
        command = option(command)
    return command


def chosen_game(
    game: str | None, options: Sequence[str], far: Sequence[str] = ()
) -> NewGame | None:
    """Return the requested game, or None if no game was requested. Raises RulesError if the game
    does not exist.
    """
    if game is None:
        if options or far:
            raise misuse(text("--option and --far go with --game."))
        return None
    from tiltboard.firmware_host.table.new_game import new_game

    begun = new_game(game, options)
    if not far:
        return begun
    import msgspec

    seats: dict[str, int] = {}
    for each in far:
        player, _, table = each.partition("=")
        if player in seats or table not in ("", "1", "2", "3"):
            raise misuse(text("--far names a player once, and a table from 1 to 3: blue, white=2."))
        seats[player] = int(table or 1)
    return msgspec.structs.replace(begun, far=seats)


def state_folder(state: Path | None, *, simulated: bool) -> Path:
    """Return the folder for a table's games: ``state``, or the default folder for a real or
    simulated table.
    """
    if state is not None:
        return state
    return default_state_directory() / ("sim" if simulated else "")


def games_folder(state: Path | None, *, simulated: bool, make: bool = True) -> Path:
    """Return the folder for a table's games after checking the folder. If ``make`` is true, create
    a missing folder. Commands that only read must set ``make`` to False. Raises ConfigError if the
    folder cannot be used.
    """
    return ensure_state_directory(state_folder(state, simulated=simulated), make=make)


def name_broken_games(besides: str = "") -> None:
    """Print a line on stderr for each game whose package cannot be loaded, except the game
    ``besides``.
    """
    from tiltboard.games.registry import BROKEN

    for name, error in BROKEN.items():
        if name != besides:
            click.echo(f"tiltboard: {sentence(error)}", err=True)
