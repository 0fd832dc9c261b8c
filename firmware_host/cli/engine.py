"""Computer players: our engine, its kernels, and the puzzles that come with the games."""

from __future__ import annotations

import sys
import threading
from importlib import metadata

import click

from drivers.clock import SystemClock
from firmware_host.cli.speech import say
from firmware_host.messages import text


@click.command(name="engine", epilog="Example: printf 'ugi\\nquit\\n' | tiltboard engine")
def command() -> None:
    """Play by UGI, the universal game interface, on standard input and output.

    docs/engines.md tells the language, and how to let another engine play at the table.
    """
    import secrets

    from drivers.clock import SystemClock
    from firmware_host.engines.server import MOST_SEED, EngineServer

    writing = threading.Lock()

    def write(line: str) -> None:
        with writing:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    EngineServer(
        write,
        SystemClock(),
        version=metadata.version("tiltboard"),
        seed=lambda: 1 + secrets.randbelow(MOST_SEED),
    ).serve(sys.stdin or ())  # none, where whoever started it has closed it


@click.command(name="warm", epilog="Example: tiltboard warm")
def warm() -> None:
    """Compile the engine's kernels, once for each machine and version.

    Engines think many times faster from then on. Needs the extra fast: pip install
    'tiltboard[fast]'.
    """
    from firmware_host.config.paths import ensure_state_directory
    from firmware_host.engines.errors import CannotCompileError
    from firmware_host.engines.search import warmth

    if not warmth.installed():
        raise CannotCompileError(
            "numba is not installed, so there is nothing to compile; engines play without it.",
            remedy="Install it with pip install 'tiltboard[fast]', and try again.",
        )
    if warmth.warm():
        say(text("The engine's kernels are compiled already."))
        return
    ensure_state_directory(warmth.cache_folder())

    clock = SystemClock()
    begun_s = clock.now()
    with click.progressbar(warmth.warmed(), length=len(warmth.to_warm())) as steps:
        for _ in steps:
            pass
    used_s = round(clock.now() - begun_s)
    say(text("The engine's kernels are compiled; that took {seconds} s.", seconds=used_s))


@click.command(name="puzzles", epilog="Example: tiltboard puzzles --check")
@click.option("--game", help="Of this game alone.")
@click.option("--check", is_flag=True, help="Go through every proof again, by the rules alone.")
def puzzles(game: str | None, check: bool) -> None:
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
