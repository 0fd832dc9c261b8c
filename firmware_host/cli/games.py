"""``tiltboard games``: commands that list, import and export the games in the journal."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

import click

from tiltboard.firmware_host.cli.cli_output import say, standard_input, writing
from tiltboard.firmware_host.cli.main import Group
from tiltboard.firmware_host.cli.options import SIMULATED, STATE, games_folder
from tiltboard.firmware_host.config.errors import GameTextError, NoSuchGameError
from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.host.player_records import People
from tiltboard.firmware_host.journal.records import JournalReader, JournalSummary
from tiltboard.firmware_host.journal.text_format import MAX_CHARACTERS, read_game, write_game
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import text
from tiltboard.ground.clock import SystemClock


@click.group(
    name="games",
    cls=Group,
    invoke_without_command=True,
    epilog="Example: tiltboard games --sim --json",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="List at most this many, the newest first.",
)
@STATE
@SIMULATED
@click.pass_context
def command(
    context: click.Context, as_json: bool, limit: int, state: Path | None, simulated: bool
) -> None:
    """List the games in the journal; * marks the one on the table.

    `tiltboard games export` writes a game as text, and `tiltboard games import` reads a game.
    """
    # The sub-command uses the state folder that the user has given in front of the sub-command's
    # name.
    if context.invoked_subcommand is not None:
        here = {"state": state, "simulated": simulated}
        context.default_map = dict.fromkeys(("import", "export", "people"), here)
        return
    folder = games_folder(state, simulated=simulated, make=False)
    games: tuple[JournalSummary, ...] = ()
    damaged: tuple[int, ...] = ()
    if (folder / JOURNAL_NAME).exists():
        with JournalReader.open_read_only(folder / JOURNAL_NAME) as reader:
            games, damaged = reader.games_and_damaged(limit)
    if as_json:
        for game in games:
            click.echo(json.dumps(_object(game)))
    elif games:
        for line in _table(games):
            click.echo(line)
    else:
        say(text("There are no games in {folder} yet.", folder=folder))
    if damaged:
        numbers = ", ".join(map(str, damaged))
        say(text("Damaged and not listed: {numbers}", numbers=numbers), err=True)


class _GameFile(click.File):
    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if value == "-":
            standard_input("FILE")
        return super().convert(value, param, ctx)


@command.command(name="import", epilog="Example: tiltboard games import sunday.txt")
@click.argument("file", type=_GameFile(encoding="utf-8"))
@STATE
@SIMULATED
def import_command(file: TextIO, state: Path | None, simulated: bool) -> None:
    """Check a game written by `tiltboard games export` and put it into the journal.

    FILE can be - for standard input. Stop a running table first, or import the game on its page.
    """
    try:
        source = file.read(MAX_CHARACTERS + 1)
    except UnicodeDecodeError as error:
        raise GameTextError(
            "{file} is not text.",
            remedy="Choose a file from `tiltboard games export`.",
            file=file.name,
        ) from error
    played = read_game(source)
    folder = games_folder(state, simulated=simulated)
    with Journal.open(folder / JOURNAL_NAME, SystemClock()) as journal:
        number = journal.store(played, current=True)
    say(text("It is game {number} now, and the one on the table.", number=number))


def _object(game: JournalSummary) -> dict[str, Any]:
    return {
        "id": game.id,
        "game": game.game,
        "options": game.options,
        "started": f"{_utc(game.started_s):%Y-%m-%dT%H:%M:%SZ}",
        "changed": f"{_utc(game.changed_s):%Y-%m-%dT%H:%M:%SZ}",
        "moves": game.moves,
        "result": game.result,
        "current": game.current,
    }


def _utc(date_s: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(int(date_s), datetime.UTC)


def _table(games: Iterable[JournalSummary]) -> Iterable[str]:
    headings = (text("number"), text("game"), text("begun"), text("moves"), text("result"))
    rows = [tuple(map(str, headings))]
    for game in games:
        result: Mapping[str, Any] = game.result or {}
        won = {"winner": result.get("winner"), "reason": result.get("reason")}
        ended = (
            text("not finished")
            if game.result is None
            else text("nobody won ({reason})", reason=won["reason"])
            if won["winner"] is None
            else text("{winner} won ({reason})", **won)
        )
        begun = datetime.datetime.fromtimestamp(game.started_s).strftime("%Y-%m-%d %H:%M")
        number = f"{'*' if game.current else ' '} {game.id}"
        rows.append((number, game.game, begun, str(game.moves), str(ended)))
    for number, kind, begun, moves, how in rows:
        yield f"{number:>7}  {kind:<12} {begun:<16} {moves:>5}  {how}"


@command.command(name="export", epilog="Example: tiltboard games export 3 sunday.txt")
@click.argument("number", type=click.IntRange(1))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@STATE
@SIMULATED
def export(number: int, file: Path | None, state: Path | None, simulated: bool) -> None:
    """Write game NUMBER (`tiltboard games` lists them) as text, to FILE or to the screen.

    An existing file is not overwritten. docs/journal.md describes the format, and `tiltboard games
    import` reads it. The table can keep running.
    """
    path = games_folder(state, simulated=simulated, make=False) / JOURNAL_NAME
    if not path.exists():
        raise NoSuchGameError(
            "There is no game {number}: {folder} has no journal.",
            remedy="Name the table's folder with --state, or use --sim.",
            number=number,
            folder=path.parent,
        )
    with JournalReader.open_read_only(path) as reader:
        written = write_game(reader.load(number))
    if file is None:
        click.echo(written, nl=False)
        return
    with writing(file), file.open("x", encoding="utf-8") as out:
        out.write(written)


@command.command(epilog="Example: tiltboard games people --sim --forget Ada")
@click.option("--forget", metavar="NAME", help="Forget everything that the table knows of NAME.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@STATE
@SIMULATED
def people(*, forget: str | None, as_json: bool, state: Path | None, simulated: bool) -> None:
    """List the people that the table knows by name, with their results in each game.

    The results are the level of an equally strong bot, the number of rated games, the highest level
    beaten, and the numbers of openings tried and puzzles solved. All data are in the file
    people.json in the table's state folder. Stop a running table before you forget a person here;
    its page can also forget people.
    """
    known = People(games_folder(state, simulated=simulated, make=False))
    if forget is not None:
        known.forget(forget)
        say(text("{name} is forgotten.", name=forget))
        return
    for name in known.names:
        for game, done in sorted(known.person(name).items()):
            statistics = {"name": name, "game": game, "rating": done.rating, "games": done.games}
            statistics |= {"beaten": done.beaten, "openings": len(done.openings)}
            statistics["puzzles"] = len(done.puzzles)
            line = text(
                "{name}, {game}: level {rating}, games {games}, beaten level {beaten},"
                " openings {openings}, puzzles {puzzles}",
                **statistics,
            )
            click.echo(json.dumps(statistics) if as_json else str(line))
    if not known.names and not as_json:
        say(text("This table knows nobody by name yet."))
