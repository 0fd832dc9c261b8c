"""Measurements of the whole service: CPU time at the start, memory in use with an open page, and
speed of scenarios.
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
from tiltboard.ground.measured import Measured
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
    echo(
        Measured(
            "CPU from start to first scan, {runs} runs,"
            " the page's server and the simulation loaded",
            runs=runs,
        )
    )
    echo(
        Measured(
            "  min {min_s:.2f} s, median {median_s:.2f} s, max {max_s:.2f} s",
            min_s=used[0],
            median_s=median_s,
            max_s=used[-1],
        )
    )
    echo(
        Measured(
            "  goal: at most {goal_s} s ({of_goal:.2f})",
            goal_s=GOAL_START_S,
            of_goal=median_s / GOAL_START_S,
        )
    )


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
        Measured(
            "resident memory, a page open for {open_s:g} s ({messages} messages), simulation in",
            open_s=PAGE_OPEN_S,
            messages=snapshots,
        )
    )
    echo(
        Measured(
            "  {held_mb:.1f} MB; goal: at most {goal_mb} ({of_goal:.2f})",
            held_mb=held_mb,
            goal_mb=GOAL_MEMORY_MB,
            of_goal=held_mb / GOAL_MEMORY_MB,
        )
    )


def speed(echo: Callable[[str], None], profile: str = "plate-10") -> None:
    """Print how many seconds of virtual time a scenario plays per second of CPU time. In the
    scenario, simulated hands move most of the time.
    """
    with tempfile.TemporaryDirectory() as state, session_of(profile, Path(state)) as session:
        began_s, used_s = session.clock.now(), cpu_s()
        play_quietly(session)
        table_s, used_s = session.clock.now() - began_s, cpu_s() - used_s
    ratio = table_s / used_s
    echo(
        Measured(
            "scenario speed: {table_s:.1f} s at the table in {used_cpu_s:.2f} s of CPU",
            table_s=table_s,
            used_cpu_s=used_s,
        )
    )
    echo(
        Measured(
            "  {speed_x:.0f} x real time; goal: at least {goal_x} x ({of_goal:.1f})",
            speed_x=ratio,
            goal_x=GOAL_SPEED,
            of_goal=ratio / GOAL_SPEED,
        )
    )


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
