"""``tiltboard check-game``: whether a game keeps what the others promise."""

from __future__ import annotations

import random

import click

from firmware_host.cli.broken import name_broken_games
from firmware_host.cli.speech import say, sentence
from firmware_host.messages import text
from games.base import RulesError
from games.conformance import check_type
from games.registry import EVERY_GAME, game_type

FAILED = 1
UNKNOWN = 2


@click.command(name="check-game", epilog="Example: tiltboard check-game momentum --games 10")
@click.argument("name")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Random games of each preset.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the random games.")
@click.pass_context
def command(context: click.Context, *, name: str, games: int, seed: int) -> None:
    """Check an installed game by playing it.

    Whether its options, moves, positions, turns and views agree with each other; not whether its
    rules are the right ones. Exit status: 0, it does; 1, the promise that it breaks is named; 2,
    there is no such game, or it cannot be loaded.
    """
    name_broken_games(besides=name)
    try:
        kind = game_type(name, EVERY_GAME)
    except RulesError as error:
        click.echo(sentence(error), err=True)
        context.exit(UNKNOWN)
    try:
        for checked in check_type(kind, random.Random(seed), games):
            say(text("ok: {checked}", checked=checked))
    except RulesError as error:
        click.echo(sentence(error), err=True)
        context.exit(FAILED)
