"""``tiltboard rules``: the rules alone, without hardware or simulation."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from firmware_host.cli.broken import name_broken_games
from firmware_host.cli.speech import catalogue, misuse, say, sentence, unfilled, words
from firmware_host.config.boards import read_board
from firmware_host.messages import Message, text
from games.base import Credit, RulesError
from games.contract import (
    Answer,
    QuestionError,
    answer,
    answer_line,
    error_answer,
    moves_from_text,
    options_from_text,
)
from games.registry import EVERY_GAME, game_type

ILLEGAL = 1
UNANSWERABLE = 2
MOST_LINE = 1 << 20  # bytes; the longest game's question has some 50,000


EPILOG = """
Example: tiltboard rules momentum --option size=5 --option marbles=5 --moves "c3 c4"

Exit status: 0, answered; 1, a move is illegal; 2, no such game or option, or an option that does
not fit. In a batch every line is answered, illegal moves too, and the status is 2 if some line was
not a question that can be answered, else 0.
"""


class _RulesCommand(click.Command):
    """Its help ends with what every game may be asked with."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.indentation():
            for part in _games_in_short():
                formatter.write_paragraph()
                formatter.write_text(part)


def _games_in_short() -> Iterator[str]:
    for kind in EVERY_GAME.values():
        yield f"{kind.name}: {_credited(kind.credit)}"
        helps = ((spec.name, unfilled(spec.help, catalogue())) for spec in kind.option_specs)
        yield "\n".join(["\b", *(f"  {name}: {said}" for name, said in helps)])


def _credited(credit: Credit) -> str:
    year = "" if credit.year is None else f", {credit.year}"
    designers, notice = f"{credit.designer}{year}", Message(credit.notice)
    by = text(
        "{title}, by {designers}. {notice}", title=credit.title, designers=designers, notice=notice
    )
    return words(by).strip()


@click.command(name="rules", cls=_RulesCommand, epilog=EPILOG)
@click.argument("game", required=False)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Of the game; below.")
@click.option("--moves", metavar='"M1 M2 ..."', help="The moves so far.")
@click.option("--batch", is_flag=True, help="Read a JSON question a line, write an answer a line.")
@click.option("--trace", is_flag=True, help="Add the positions after every move.")
@click.option("--view", metavar="PLAYER", help="Only what that player may see.")
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

    With --batch, each line is {"game": "...", "options": {...}, "moves": ["..."]}, and may have
    "view": "PLAYER".
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
        chosen = kind.create(options_from_text(kind, options, read_board=read_board))
        answered = answer(chosen, moves_from_text(chosen, moves or ""), trace=trace, view=view)
    except RulesError as error:
        _write(error_answer(error))
        say(text("Error: {why}", why=sentence(error)), err=True)
        context.exit(UNANSWERABLE)
    _write(answered)
    context.exit(ILLEGAL if "error" in answered else 0)


def _answer_batch(trace: bool) -> int:
    """Answer every line of standard input; the exit status."""
    failed = []
    lines = 0
    if sys.stdin is None:
        raise misuse(text("Standard input is closed, and --batch reads it."))
    for line in _lines(sys.stdin.buffer):
        lines += 1
        try:
            if len(line) > MOST_LINE:
                raise QuestionError("This line is longer than {most} bytes.", most=MOST_LINE)
            answered = answer_line(line, trace=trace, read_board=read_board)
        except RulesError as error:
            answered = error_answer(error)
            failed.append(lines)
        _write(answered)
    if not failed:
        return 0
    say(
        text(
            "Error: {count} of {lines} lines could not be answered; the first is line {first}. The"
            " exit status is {status} for that.",
            count=len(failed),
            lines=lines,
            first=failed[0],
            status=UNANSWERABLE,
        ),
        err=True,
    )
    return UNANSWERABLE


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines; of one that is too long its first MOST_LINE + 1 bytes alone."""
    while line := source.readline(MOST_LINE + 1):
        rest = line
        while len(rest) > MOST_LINE and not rest.endswith(b"\n"):
            rest = source.readline(MOST_LINE + 1)
        yield line


def _write(answered: Answer) -> None:
    click.echo(json.dumps(answered))
