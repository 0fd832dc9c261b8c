"""``tiltboard rules`` and ``tiltboard check``: the rules of games, and checks of games and boards.
No table is needed.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import click

from tiltboard.firmware_host.cli.cli_output import misuse, say, sentence, standard_input
from tiltboard.firmware_host.cli.options import name_broken_games
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import is_path, read_board, read_text
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.games import contract
from tiltboard.games.base import OptionError, OptionSpec, RulesError
from tiltboard.games.conformance import check_type
from tiltboard.games.gravity_trap.board import SHIPPED, TrapBoard, read, shipped_board
from tiltboard.games.registry import BROKEN, EVERY_GAME, game_type

ILLEGAL = 1
UNANSWERABLE = 2
# Maximum length of an input line in bytes. The longest request about a game has about 50,000 bytes.
MAX_LINE = 1 << 20


EPILOG = """
Example: tiltboard rules momentum --option size=5 --option marbles=5 --moves "c3 c4"

Exit status: 0, answered; 1, a move is illegal; 2, no such game or option, or an option that does
not fit. In a batch every line is answered, illegal moves too, and the status is 2 if some line was
not a question that can be answered, else 0.
"""


class _RulesCommand(click.Command):
    """A command whose help ends with the options of every game."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        for kind in EVERY_GAME.values():
            credit = kind.credit
            year = "" if credit.year is None else f", {credit.year}"
            by = text(
                "{title}, by {designers}. {notice}",
                title=credit.title,
                designers=f"{credit.designer}{year}",
                notice=Message(credit.notice),
            )
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"{kind.name}: {str(by).strip()}")
                with formatter.indentation():
                    formatter.write_dl([(each.name, _in_short(each)) for each in kind.option_specs])


def _in_short(option: OptionSpec) -> str:
    """Return the label and the help text of an option on one line."""
    return ": ".join(each for each in (option.label, option.help) if each)


@click.command(name="rules", cls=_RulesCommand, epilog=EPILOG)
@click.argument("game", required=False)
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="Option of the game; see below."
)
@click.option("--moves", metavar='"M1 M2 ..."', help="The moves so far.")
@click.option(
    "--batch", is_flag=True, help="Read one JSON question per line and write one answer per line."
)
@click.option("--trace", is_flag=True, help="Add the positions after every move.")
@click.option("--view", metavar="PLAYER", help="Show only what that player may see.")
@click.pass_context
def command(
    context: click.Context,
    *,
    game: str | None,
    options: tuple[str, ...],
    moves: str | None,
    batch: bool,
    trace: bool,
    view: str | None,
) -> None:
    """Ask the rules: one position as a JSON object, or many.

    With --batch, each line is {"game": "...", "options": {...}, "moves": ["..."]}. The key "view":
    "PLAYER" is optional.
    """
    name_broken_games(besides=game or "")
    if batch:
        if game is not None or options or moves is not None or view is not None:
            raise misuse(
                text("--batch takes games, options, moves and views from its input lines.")
            )
        context.exit(_answer_batch(trace))
    if game is None:
        raise misuse(text("Name a game ({names}), or use --batch.", names=", ".join(EVERY_GAME)))
    try:
        kind = game_type(game, EVERY_GAME)
        chosen = kind.create(contract.options_from_text(kind, options, read_board=read_board))
        answered = contract.answer(
            chosen, contract.moves_from_text(chosen, moves or ""), trace=trace, view=view
        )
    except RulesError as error:
        _write(contract.error_answer(error))
        say(text("Error: {why}", why=sentence(error)), err=True)
        context.exit(UNANSWERABLE)
    _write(answered)
    context.exit(ILLEGAL if "error" in answered else 0)


def _answer_batch(trace: bool) -> int:
    """Answer every line of standard input, and return the exit status."""
    failed = []
    lines = 0
    for lines, line in enumerate(_lines(standard_input("--batch").buffer), 1):
        try:
            if len(line) > MAX_LINE:
                raise contract.QuestionError(
                    "This line is longer than {most} bytes.", most=MAX_LINE
                )
            answered = contract.answer_line(line, trace=trace, read_board=read_board)
        except RulesError as error:
            answered = contract.error_answer(error)
            failed.append(lines)
        _write(answered)
    if failed:
        why = text(
            "Error: {count} of {lines} lines could not be answered; the first is line {first}. The"
            " exit status is {status} for that.",
            count=len(failed),
            lines=lines,
            first=failed[0],
            status=UNANSWERABLE,
        )
        say(why, err=True)
    return UNANSWERABLE if failed else 0


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of ``source``. A line that is too long is cut after MAX_LINE + 1 bytes."""
    while line := source.readline(MAX_LINE + 1):
        rest = line
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = source.readline(MAX_LINE + 1)
        yield line


def _write(answered: contract.Answer) -> None:
    click.echo(json.dumps(answered))


FAILED = 1
PLATE = 10  # Number of columns of the reference plate, which has the same number of rows.


@click.command(name="check", epilog="Example: tiltboard check momentum --games 10")
@click.argument("name", metavar="GAME|BOARD")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Random games of each preset.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random games.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.pass_context
def check(context: click.Context, *, name: str, games: int, seed: int, as_json: bool) -> None:
    """Check an installed game by playing it, or a board of Gravity Trap, by name or as a file.

    The check finds contradictions between a game's options, moves, positions, turns and views. It
    cannot tell whether the rules are the right ones.

    The file of a board lists the tracks, each as [[track]] with a line like bases = [1, 2, 5].
    Optional entries are the positions of the bases on the plate ([positions], 1 = [column, row]),
    opposite bases (symmetry = "half-turn", or [opposite], 1 = 22), the middle of the drawn hole
    (hole = [4.5, 4.5]) and a title. Play on the board with --option board=FILE.

    Exit status: 0, no fault was found; 1, a fault was found and is named; 2, there is no such game
    or board.
    """
    name_broken_games(besides=name)

    def tell(line: str, **result: object) -> None:
        click.echo(json.dumps({"name": name, **result}) if as_json else line)

    try:
        known = {*EVERY_GAME, *BROKEN, *SHIPPED}
        if is_path(name) or (name not in known and Path(name).is_file()):
            lines = _describe(load_board(Path(name)))
        elif name in SHIPPED:
            lines = _describe(shipped_board(name))
        else:
            if name not in BROKEN and name not in EVERY_GAME:
                hint = nearest(name, (*EVERY_GAME, *SHIPPED))
                raise misuse(
                    text("There is no game or board {name!r}; {hint}", name=name, hint=hint)
                )
            kind = game_type(name, EVERY_GAME)
            for checked in check_type(kind, random.Random(seed), games):
                tell(f"ok: {checked}", ok=True, checked=str(checked))
            return
    except (BoardError, RulesError) as error:
        if as_json:
            tell("", ok=False, error=sentence(error))
        click.echo(f"tiltboard: {sentence(error)}", err=True)
        context.exit(FAILED)
    for line in lines:
        tell(str(line), ok=True, checked=str(line))


class BoardError(ConfigError):
    """Raised if a board file does not describe a valid board."""


def load_board(path: Path) -> TrapBoard:
    """Read a board file and check the board completely. Raises ConfigError if the file cannot be
    read. Raises BoardError, with the file's name and the fault, if the board is invalid.
    """
    try:
        return read(read_text(path))
    except OptionError as error:
        raise BoardError(
            "{path}: {why}",
            remedy="Correct the file, and ask `tiltboard check` again.",
            path=path,
            why=error,
        ) from error


def _describe(board: TrapBoard) -> list[Message]:
    on = Counter(base for track in board.tracks for base in track)
    opposites = (
        text("Opposite bases are not named: copying every move is allowed.")
        if board.opposite is None
        else text("Opposite bases are named: copying every move is not allowed.")
    )
    columns = max(column for column, _ in board.positions.values()) + 1
    rows = max(row for _, row in board.positions.values()) + 1
    whole = text(
        "{title} is complete: {bases} bases, {tracks} tracks of {lengths} bases, every base on"
        " {shares} of them.",
        title=board.title or text("The board"),
        bases=len(board.bases),
        tracks=len(board.tracks),
        lengths=_span(map(len, board.tracks)),
        shares=_span(on.values()),
    )
    needs = {"plate": f"{PLATE} x {PLATE}", "size": f"{columns} x {rows}"}
    fits = (
        text("It fits the reference plate of {plate}; it needs {size}.", **needs)
        if columns <= PLATE and rows <= PLATE
        else text("It does not fit the reference plate of {plate}; it needs {size}.", **needs)
    )
    if not board.placed:
        rows_only = text("Positions are not given: the bases lie in rows.")
        fits = text("{one} {other}", one=fits, other=rows_only)
    return [whole, opposites, fits]


def _span(numbers: Iterable[int]) -> Message:
    low, *_, high = sorted([*numbers] * 2)
    if low == high:
        return text("{number}", number=low)
    return text("{low} to {high}", low=low, high=high)
