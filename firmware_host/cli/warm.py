"""``tiltboard warm``: compile what thinks fast."""

from __future__ import annotations

import click

from drivers.clock import SystemClock
from firmware_host.cli.speech import say
from firmware_host.messages import text


@click.command(name="warm", epilog="Example: tiltboard warm")
def command() -> None:
    """Compile the engine's kernels, once for each machine and version.

    Engines think many times faster from then on. Needs the extra fast: pip install
    'tiltboard[fast]'.
    """
    from firmware_host.config.paths import ensure_state_directory
    from firmware_host.engines.errors import CannotCompileError
    from firmware_host.engines.search.warmth import cache_folder, installed, warm

    if not installed():
        raise CannotCompileError(
            "numba is not installed, so there is nothing to compile; engines play without it.",
            remedy="Install it with pip install 'tiltboard[fast]', and try again.",
        )
    if warm():
        say(text("The engine's kernels are compiled already."))
        return
    ensure_state_directory(cache_folder())
    from firmware_host.engines.search.warmth import to_warm, warmed

    clock = SystemClock()
    begun_s = clock.now()
    with click.progressbar(warmed(), length=len(to_warm())) as steps:
        for _ in steps:
            pass
    used_s = round(clock.now() - begun_s)
    say(text("The engine's kernels are compiled; that took {seconds} s.", seconds=used_s))
