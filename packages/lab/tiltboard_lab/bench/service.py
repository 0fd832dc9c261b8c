"""Measurements of the whole service: CPU time of the start, memory with an open page, and speed of
scenarios.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tiltboard.ground.clock import cpu_s
from tiltboard.hw_sim.session.bench import play_quietly, session_of

GOAL_START_S = 1.5
GOAL_MEMORY_MB = 60
GOAL_SPEED = 10
PAGE_OPEN_S = 8.0


def start(echo: Callable[[str], None], profile: str = "plate-10", runs: int = 5) -> None:
    """Print the CPU time of a new process from its first instruction to its first scan."""
    code = (
        "import sys, tempfile, pathlib\n"
        "from tiltboard.firmware_host.cli.main import cli\n"
        "import tiltboard.firmware_host.cli.serve, tiltboard.firmware_host.web.server\n"
        "from tiltboard.firmware_host.config.profile import load_profile\n"
        "from tiltboard.hw_sim.session import SimSession\n"
        "from tiltboard.ground.clock import cpu_s\n"
        "with tempfile.TemporaryDirectory() as state:\n"
        "    with SimSession(load_profile(sys.argv[1]), pathlib.Path(state)):\n"
        "        print(cpu_s())\n"
    )
    command = [sys.executable, "-c", code, profile]
    used = sorted(
        float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(runs)
    )
    median_s = used[runs // 2]
    echo(f"CPU from start to first scan, {runs} runs, the page's server and the simulation loaded")
    echo(f"  min {used[0]:.2f} s, median {median_s:.2f} s, max {used[-1]:.2f} s")
    echo(f"  goal: at most {GOAL_START_S} s ({median_s / GOAL_START_S:.2f})")


def memory(echo: Callable[[str], None], profile: str = "plate-10") -> None:
    """Print the resident memory of ``tiltboard sim`` while a page is connected and receives
    snapshots.
    """
    with tempfile.TemporaryDirectory() as state:
        command = [
            sys.executable,
            "-m",
            "tiltboard.firmware_host.cli",
            "sim",
            "--no-physics",
            "--profile",
            profile,
            "--port",
            "0",
            "--state",
            state,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline() if process.stdout else ""
            url = next(word for word in line.split() if word.startswith("http"))
            snapshots = asyncio.run(_watch(url))
            held_mb = resident_mb(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
    echo(
        f"resident memory, a page open for {PAGE_OPEN_S:g} s ({snapshots} messages), simulation in"
    )
    ratio = held_mb / GOAL_MEMORY_MB
    echo(f"  {held_mb:.1f} MB; goal: at most {GOAL_MEMORY_MB} ({ratio:.2f})")


def speed(echo: Callable[[str], None], profile: str = "plate-10") -> None:
    """Print how many seconds of virtual time a scenario plays per second of CPU time. In the
    scenario, simulated hands move most of the time.
    """
    with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
        began_s, used_s = session.clock.now(), cpu_s()
        play_quietly(session)
        table_s, used_s = session.clock.now() - began_s, cpu_s() - used_s
    ratio = table_s / used_s
    echo(f"scenario speed: {table_s:.1f} s at the table in {used_s:.2f} s of CPU")
    echo(f"  {ratio:.0f} x real time; goal: at least {GOAL_SPEED} x ({ratio / GOAL_SPEED:.1f})")


async def _watch(url: str) -> int:
    """Behave like an open page for ``PAGE_OPEN_S`` seconds, and return the number of received
    messages.
    """
    from websockets.asyncio.client import connect
    from websockets.typing import Origin

    taken = 0
    target = url.replace("http", "ws") + "api/v1/ws"
    async with connect(target, origin=Origin(url.rstrip("/")), max_size=None) as socket:
        try:
            async with asyncio.timeout(PAGE_OPEN_S):
                async for _ in socket:
                    taken += 1
        except TimeoutError:
            return taken
    return taken


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
