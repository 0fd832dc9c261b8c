"""Plays random games under random faults until one fails: python -m tests.campaigns.soak --help"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import click

from tests.campaigns.soak import Leaks, Plan, Totals, play
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.games.registry import game_type

ALL = "all"


@click.command(epilog="Example: python -m tests.campaigns.soak --games 16 --seed 7")
@click.option("--games", default=100, show_default=True, help="How many games.")
@click.option("--seed", default=1, show_default=True, help="Other games, other faults.")
@click.option("--first", default=0, show_default=True, help="Number of the first game.")
@click.option(
    "--profile", default=ALL, show_default=True, help="Table profile, or all of them in turn."
)
@click.option("--game", default=ALL, show_default=True, help="One game, or all of them in turn.")
def command(games: int, seed: int, first: int, profile: str, game: str) -> None:
    """Play random games on simulated tables while parts fail, pieces are knocked aside, the plate
    is tilted and the service killed, by a robot that follows lights and sentences and makes the
    mistakes that people make.

    Exit status 1 if the table judged wrongly, could not go on, or kept memory or files: each
    failure is printed with the number of its game, which --first plays again (with the same seed,
    profile and game). Interrupted, it prints what was played so far.
    """
    tables = [load_profile(name) for name in (profile_names() if profile == ALL else [profile])]
    plan = Plan(tables, () if game == ALL else (game_type(game).name,))
    totals, leaks = Totals(), Leaks(games)
    # Faults are expected here, so the log is not shown.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        for number in range(first, first + games):
            known = len(totals.failures)
            with tempfile.TemporaryDirectory() as state:
                play(plan, Path(state), seed, number, totals)
            for failure in totals.failures[known:]:
                click.echo(failure, err=True)
            leaks.played()
    except KeyboardInterrupt:
        click.echo("Interrupted.")
    for line in totals.lines():
        click.echo(line)
    kept, leaking = leaks.found()
    click.echo(kept)
    sys.exit(1 if totals.failures or leaking else 0)


if __name__ == "__main__":
    command()
