"""The command ``tiltboard match``, which measures how much stronger one player is than another."""

from __future__ import annotations

from pathlib import Path

import click

from tiltboard.firmware_host.cli.cli_output import AS_JSON, misuse, printable, say
from tiltboard.firmware_host.cli.options import CONFIG, OPTIONS
from tiltboard.firmware_host.messages import text
from tiltboard_lab.cli.studying import (
    KERNELS,
    RECORD_TASKS,
    SEED,
    found_by,
    made_of,
    pairs_options,
    tell_score,
    worker_options,
)


@click.command(
    name="match",
    epilog="Example: tiltboard match 2 1 --game momentum --games 100 --record 2-1.jsonl",
)
@click.argument("a")
@click.argument("b")
@click.option("--game", default="momentum", show_default=True, help="Game to play.")
@OPTIONS
@click.option(
    "--games",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of games, rounded up to pairs.",
)
@click.option(
    "--decide",
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    multiple=True,
    metavar="PERCENT",
    help="Stop once A's score is known to be above or below this; at most after --games.",
)
@pairs_options
@click.option(
    "--move-ms",
    type=click.IntRange(1),
    help="Maximum time for a move; for levels it is CPU time.  [1000]",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    help="Limit the positions of each search instead: the same games on every machine.",
)
@KERNELS
@SEED
@RECORD_TASKS
@worker_options
@CONFIG
@AS_JSON
def command(
    *,
    a: str,
    b: str,
    game: str,
    options: tuple[str, ...],
    games: int,
    decide: tuple[float, ...],
    opening: int,
    even: bool,
    move_ms: int | None,
    nodes: int | None,
    kernels: bool,
    seed: int,
    record: Path | None,
    workers: int,
    on: str,
    config: Path | None,
) -> None:
    """Let player A play against player B and print the score.

    A player is a level from 1 to 10, an engine in the settings, or "plain" (the kernels' tree
    search by random playouts alone). 10@500 visits at most 500 positions for a move. 10+unproven
    and plain+unproven search without the solver; +forgetful searches without the tree of the
    previous move.

    Naive players: "random" plays random moves; "one-ply" plays a winning move if there is one;
    "two-ply" also avoids moves after which the opponent can win, if possible.

    Each opening is played twice, with colours changed. The interval contains A's true score with a
    probability of 95 %. With --decide the interval is wider, because it is valid after each game.
    """
    from tiltboard.firmware_host.config.settings import engine_commands, load_settings
    from tiltboard.firmware_host.engines.search.compiled import is_warm
    from tiltboard_lab.studies.match import (
        BotMatch,
        decided,
        engines_of,
        illegal,
        score,
        until_decided,
    )

    made = made_of(game, options, for_two=True)
    if move_ms is not None and nodes is not None:
        raise misuse(text("Limit moves by --move-ms or by --nodes, not by both."))
    job = BotMatch(
        a=a,
        b=b,
        game=made.name,
        options=dict(made.options),
        opening=opening,
        even=even,
        seed=seed,
        move_ms=1000 if move_ms is None and nodes is None else move_ms,
        nodes=nodes,
        kernels=kernels and is_warm(),
        engines=engines_of((a, b), engine_commands(load_settings(config))),
    )
    shares = [percent / 100 for percent in decide]
    with found_by(job, (games + 1) // 2, f"{a} - {b}", record, workers, on) as pairs:
        if not shares:
            seen = list(pairs)
            result = score(seen)
            low, high = result.interval
        else:
            seen, watched = until_decided(pairs, shares)
            result, low, high = score(seen), watched.low, watched.high
    for name, lost in ((a, illegal(seen, by_a=True)), (b, illegal(seen, by_a=False))):
        if lost:
            say(
                text(
                    "{name} lost {count} of {games} games by an illegal move, the first: {move}"
                    " after {moves}.",
                    name=name,
                    count=len(lost),
                    games=result.games,
                    move=printable(str(lost[0].illegal)[:40]),
                    moves=" ".join(lost[0].moves),
                )
            )
    tell_score(a, b, result, (result.share, low, high))
    if shares and decided(watched, shares):
        say(text("Decided after {games} games.", games=result.games))
    elif shares:
        say(text("Not decided after {games} games. Play more with --games.", games=result.games))
