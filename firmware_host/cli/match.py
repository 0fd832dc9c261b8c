"""``tiltboard match``: how much stronger one player is than another."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firmware_host.cli.options import CONFIG, OPTIONS
from firmware_host.cli.speech import misuse, say
from firmware_host.messages import text

if TYPE_CHECKING:
    from firmware_host.engines.match import Score


@click.command(
    name="match",
    epilog="Example: tiltboard match 2 1 --game momentum --games 100 --record 2-1.jsonl",
)
@click.argument("a")
@click.argument("b")
@click.option("--game", default="momentum", show_default=True, help="The game.")
@OPTIONS
@click.option("--games", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option(
    "--opening",
    type=click.IntRange(0, 20),
    default=4,
    show_default=True,
    help="Random moves that each pair of games begins with.",
)
@click.option(
    "--move-ms",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="The longest time for a move.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Other openings and dice.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the games in this file, and go on where it stops.",
)
@CONFIG
def command(
    *,
    a: str,
    b: str,
    game: str,
    options: tuple[str, ...],
    games: int,
    opening: int,
    move_ms: int,
    seed: int,
    record: Path | None,
    config: Path | None,
) -> None:
    """Let player A play against player B, each a level from 1 to 10 or an engine in the settings.

    Each opening is played twice, with colours changed. The interval holds what A's share would be
    in endless games, 95 times in a hundred.
    """
    from drivers.clock import SystemClock
    from firmware_host.cli.options import chosen_game
    from firmware_host.config.settings import engine_commands, load_settings
    from firmware_host.engines import match
    from games.registry import game_type

    chosen = chosen_game(game, options)
    if chosen is None:
        raise misuse(text("Name a game with --game."))
    made = game_type(chosen.game).create(chosen.options)
    if made.rules.players != 2:
        raise misuse(text("A match is for two players."))
    heading = match.Heading(a, b, made.name, dict(made.options), opening, seed, move_ms)
    kept = None if record is None else match.Record(record, heading)
    played = [] if kept is None else kept.games
    missing = sorted(set(range(games)) - {each.number for each in played})
    with ExitStack() as stack:
        commands = engine_commands(load_settings(config))
        make = match.players_of(heading, made, commands, SystemClock(), stack)
        rounds = match.play(heading, made, make, iter(missing))
        with click.progressbar(rounds, length=len(missing), label=f"{a} - {b}") as shown:
            for each in shown:
                if kept is None:
                    played.append(each)
                else:
                    kept.add(each)
    _tell(a, b, match.score(played))


def _tell(a: str, b: str, score: Score) -> None:
    from firmware_host.engines.match import elo

    low, high = score.interval
    say(
        text(
            "{a} against {b}: +{won} ={drawn} -{lost}, {share} % [{low}, {high}], "
            "Elo {elo} [{elo_low}, {elo_high}]",
            a=a,
            b=b,
            won=score.won,
            drawn=score.drawn,
            lost=score.lost,
            share=round(100 * score.share),
            low=round(100 * low),
            high=round(100 * high),
            elo=_points(elo(score.share)),
            elo_low=_points(elo(low)),
            elo_high=_points(elo(high)),
        )
    )


def _points(points: float) -> str:
    return f"{points:+.0f}" if math.isfinite(points) else ("+∞" if points > 0 else "-∞")
