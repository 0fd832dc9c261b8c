"""The command ``tiltboard warm``, which compiles the kernels once for each machine and version."""

from __future__ import annotations

import click

from tiltboard.firmware_host.cli.cli_output import say
from tiltboard.firmware_host.config.files import ensure_state_directory
from tiltboard.firmware_host.messages import text
from tiltboard.ground.clock import SystemClock
from tiltboard_kernels import cache_folder, compiling
from tiltboard_kernels.errors import CannotCompileError


@click.command(name="warm", hidden=True, epilog="Example: tiltboard warm")
def command() -> None:
    """Compile the programs that bots think with, once for each machine and version.

    Bots then think many times faster. Needs numba.
    """
    if not compiling.is_installed():
        raise CannotCompileError(
            "numba is not installed, so there is nothing to compile; bots play without it.",
            remedy="In a clone of tiltboard run: {command}",
            command="pip install ./packages/kernels",
        )
    if compiling.is_warm():
        say(text("The bots' programs are compiled already."))
        return
    ensure_state_directory(cache_folder())
    clock = SystemClock()
    begun_s = clock.now()
    with click.progressbar(compiling.warm_kernels(), length=len(compiling.to_warm())) as steps:
        for _ in steps:
            pass
    used_s = round(clock.now() - begun_s)
    say(text("The bots' programs are compiled; that took {seconds} s.", seconds=used_s))
