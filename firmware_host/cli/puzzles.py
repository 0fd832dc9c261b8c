"""``tiltboard puzzles``: those that come with the table and their proofs."""

from __future__ import annotations

import click


@click.command(name="puzzles", epilog="Example: tiltboard puzzles --check")
@click.option("--game", help="Of this game alone.")
@click.option("--check", is_flag=True, help="Go through every proof again, by the rules alone.")
def command(game: str | None, check: bool) -> None:
    """List the puzzles that come with the table."""
    from firmware_host.engines.puzzles import exercises, proven
    from games.registry import HOSTED, game_type

    wrong = 0
    for name in [game_type(game).name] if game else HOSTED:
        for number, each in enumerate(exercises(name), start=1):
            sound = not check or proven(game_type(name).create(each.options), each)
            wrong += not sound
            verdict = ["proven" if sound else "NOT PROVEN"] if check else []
            click.echo(" ".join([name, str(number), each.kind, str(each.turns), *verdict]))
    if wrong:
        raise SystemExit(1)
