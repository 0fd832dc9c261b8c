"""``tiltboard puzzles``: those that come with the table, their proofs, and new ones made ready."""

from __future__ import annotations

from typing import BinaryIO

import click


@click.command(name="puzzles", epilog="Example: tiltboard puzzles --check")
@click.option("--game", help="Of this game alone.")
@click.option("--check", is_flag=True, help="Go through every proof again, by the rules alone.")
@click.option(
    "--make",
    type=click.File("rb"),
    help="Make this file of mined puzzles ready to be solved, on standard output.",
)
def command(game: str | None, check: bool, make: BinaryIO | None) -> None:
    """List the puzzles that come with the table.

    `tiltboard study puzzles` mines new ones; --make adds what holds against each wrong move, and
    leaves out those in which nothing is to be answered.
    """
    import msgspec

    from firmware_host.config.errors import NotPossibleError
    from firmware_host.studies.exercises import exercise, exercises
    from firmware_host.studies.puzzles import Puzzle, proven
    from games.registry import HOSTED, game_type

    if make is not None:
        for number, line in enumerate(make, start=1):
            try:
                mined = msgspec.json.decode(line, type=Puzzle)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise NotPossibleError(
                    "Line {number} of {file} is no puzzle: {why}.",
                    remedy="Take a file that `tiltboard study puzzles` has written.",
                    number=number,
                    file=make.name,
                    why=str(error),
                ) from error
            made = exercise(game_type(mined.game).create(mined.options), mined)
            if made.kind == "save" or made.turns == 1 or made.reply is not None:
                click.echo(msgspec.json.encode(made))
        return
    wrong = 0
    for name in [game_type(game).name] if game else HOSTED:
        for number, each in enumerate(exercises(name), start=1):
            sound = not check or proven(game_type(name).create(each.options), each)
            wrong += not sound
            verdict = ["proven" if sound else "NOT PROVEN"] if check else []
            click.echo(" ".join([name, str(number), each.kind, str(each.turns), *verdict]))
    if wrong:
        raise SystemExit(1)
