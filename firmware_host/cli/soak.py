"""``tiltboard soak``: random games under random faults, until something is wrong."""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

import click

from firmware_host.cli.speech import say
from firmware_host.messages import text


@click.command(name="soak", epilog="Example: tiltboard soak --games 5 --seed 7")
@click.option("--games", default=100, show_default=True, help="How many games.")
@click.option("--seed", default=1, show_default=True, help="Other games, other faults.")
@click.option("--first", default=0, show_default=True, help="Number of the first game.")
@click.option("--profile", default="plate-10", show_default=True, help="Table profile.")
def command(games: int, seed: int, first: int, profile: str) -> None:
    """Play random games on simulated tables while parts fail, pieces are knocked aside, the plate
    is tilted and the service killed, by a robot that only follows lights and sentences.

    Exit status 1 if the table judged wrongly, could not go on, or kept memory or files: each
    failure is printed with the number of its game, which --first plays again.
    """
    from firmware_host.profile import load_profile
    from hw_sim.soak import Totals, play

    table, totals = load_profile(profile), Totals()
    warm: tuple[float, int] | None = None
    for number in range(first, first + games):
        known = len(totals.failures)
        with tempfile.TemporaryDirectory() as state:
            play(table, Path(state), seed, number, totals)
        for failure in totals.failures[known:]:
            click.echo(failure, err=True)
        if number == first + games // 5:
            warm = _used()
    say(
        text(
            "{games} games, {moves} moves, {hours} h at the table, {back} moves taken back by hand,"
            " {again} deeds done again",
            games=totals.games,
            moves=totals.moves,
            hours=f"{totals.table_s / 3600:.1f}",
            back=totals.taken_back,
            again=totals.done_again,
        )
    )
    for what, counts in (("faults", totals.faults), ("disturbances", totals.disturbances)):
        listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        click.echo(f"{counts.total()} {what}: {listed}")
    leaks = False
    if warm is not None:
        memory_mb, files = (after - before for after, before in zip(_used(), warm, strict=True))
        leaks = files > 0
        say(
            text(
                "after a fifth of the games: {memory} MB at most, {files} open files",
                memory=f"{memory_mb:+.1f}",
                files=f"{files:+d}",
            )
        )
    say(text("{count} failures", count=len(totals.failures)))
    sys.exit(1 if totals.failures or leaks else 0)


def _used() -> tuple[float, int]:
    """The most memory so far in MB, and open files."""
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return peak_mb, len(list(Path("/proc/self/fd").iterdir()))
