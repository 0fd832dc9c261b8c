"""Options and functions that the commands ``match`` and ``study`` share. The options concern the
game, the place where tasks run, the file of results, and the progress bar.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tiltboard.firmware_host.cli.cli_output import misuse, say
from tiltboard.firmware_host.messages import text

if TYPE_CHECKING:
    from tiltboard.games.base import Game
    from tiltboard_lab.studies.jobs import Job
    from tiltboard_lab.studies.match import Score

F = TypeVar("F", bound=Callable[..., Any])

SEED = click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed of the openings and the dice."
)
RECORD_TASKS = click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Store the results in this file, and continue after those that it holds.",
)
_OPENING = click.option(
    "--opening",
    type=click.IntRange(0, 20),
    default=4,
    show_default=True,
    help="Random moves at the start of each pair of games.",
)
_EVEN = click.option(
    "--even",
    is_flag=True,
    help="Use only even openings: level 10 expects 45 to 55 % after 20,000 positions.",
)
KERNELS = click.option(
    "--kernels/--no-kernels",
    default=True,
    show_default=True,
    help="Play level 10 with the compiled kernels, where there are any, or in Python.",
)
_WORKERS = click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of processes on this machine.",
)
_ON = click.option(
    "--on",
    type=click.Choice(["here", "ray"]),
    default="here",
    show_default=True,
    help="Run here or on the Ray cluster at RAY_ADDRESS (packages/lab/docs/studies.md).",
)


def pairs_options(command: F) -> F:
    """Add the options ``--opening`` and ``--even`` to a command."""
    return _OPENING(_EVEN(command))


def worker_options(command: F) -> F:
    """Add the options ``--workers`` and ``--on`` to a command."""
    return _WORKERS(_ON(command))


def made_of(game: str, options: tuple[str, ...], *, for_two: bool = False) -> Game:
    """Return the game that ``--game`` and ``--option`` describe.

    ``for_two``: True if the game must have two players. Raises UsageError.
    """
    from tiltboard.firmware_host.cli.options import chosen_game
    from tiltboard.games.registry import game_type

    chosen = chosen_game(game, options)
    if chosen is None:
        raise misuse(text("Name a game with --game."))
    made = game_type(chosen.game).create(chosen.options)
    if for_two and made.rules.players != 2:
        raise misuse(text("A match needs a game for two players. Choose another --game."))
    return made


@contextmanager
def found_by(  # noqa: PLR0917 - as the options of a command come
    job: Job, count: int, label: str, record: Path | None, workers: int, on: str
) -> Iterator[Iterator[Any]]:
    """Yield an iterator over the results of the first ``count`` tasks of ``job``, in task order,
    and show a progress bar. The caller can leave the context before the last task.

    ``record``: the file of results, or None. ``on``: ``"ray"`` for a Ray cluster, or ``"here"`` for
    this machine.
    """
    from tiltboard_lab.studies import jobs
    from tiltboard_lab.studies import workers as local

    if on == "ray":
        from tiltboard_lab.studies.on_ray import cluster

        run = cluster()
    else:
        run = local.here if workers == 1 else local.processes(workers)
    with (
        closing(jobs.Results(job, record)) as results,
        click.progressbar(length=count, label=label, file=sys.stderr) as bar,
        closing(jobs.in_order(job, results, count, run, bar.update)) as found,
    ):
        yield found


def tell_score(a: str, b: str, result: Score, shares: tuple[float, float, float]) -> None:
    """Print the score of player A against player B.

    ``shares``: player A's score and the two limits of its confidence interval, 0 to 1.
    """
    from tiltboard_lab.studies.intervals import elo

    share, low, high = (round(100 * each) for each in shares)
    height, elo_low, elo_high = (points(elo(each)) for each in shares)
    say(
        text(
            "{a} against {b}: +{won} ={drawn} -{lost}, {share} % [{low}, {high}], "
            "Elo {elo} [{elo_low}, {elo_high}]",
            a=a,
            b=b,
            won=result.won,
            drawn=result.drawn,
            lost=result.lost,
            share=share,
            low=low,
            high=high,
            elo=height,
            elo_low=elo_low,
            elo_high=elo_high,
        )
    )


def points(points: float) -> str:
    """Return a number of Elo points as text with a sign, such as ``+35``."""
    return f"{points:+.0f}" if math.isfinite(points) else ("+∞" if points > 0 else "-∞")
