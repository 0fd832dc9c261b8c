"""Not a test: the process that the crash tests kill. Started once, it forks one child per death.

Reads JSON from standard input: ``folder``, ``ops`` (a list of [method, arguments]), and ``limits``:
either null or file sizes. Each child works in its own folder ``0``, ``1``, ... and notes in the
file ``log`` one byte per call that has returned.

- Without limits, child k dies by SIGKILL at its k-th step. Steps are SQLite statements, every few
  instructions of SQLite's virtual machine, and Python's calls that open, lock, rename or remove
  files. The last child survives.
- With limits, child k dies by SIGXFSZ in the write that would make any file larger than its limit,
  once the kernel has written what fits: a torn write.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tiltboard.firmware_host.journal.records import PlayedGame
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.table.move_line import PendingMove

INSTRUCTIONS_PER_STEP = 40
FILE_CALLS = frozenset({"open", "fcntl.flock", "os.rename", "os.remove", "os.listdir"})


class FixedClock:
    def now(self) -> float:
        return 0.0

    def sleep(self, duration_s: float) -> None:
        pass

    def calendar(self) -> float:
        return 1_700_000_000.0


class Executioner:
    """Counts steps, and kills this process at the chosen one."""

    def __init__(self, fatal: int) -> None:
        self.left = fatal

    def step(self, *_: object) -> int:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        return 0

    def audit(self, event: str, _: object) -> None:
        if event in FILE_CALLS:
            self.step()

    def watch(self) -> None:
        connect = sqlite3.connect

        def watched(*args: Any, **kwargs: Any) -> sqlite3.Connection:
            database = connect(*args, **kwargs)
            database.set_trace_callback(self.step)
            database.set_progress_handler(self.step, INSTRUCTIONS_PER_STEP)
            return database

        sqlite3.connect = watched
        sys.addaudithook(self.audit)


def play(folder: Path, ops: list[tuple[str, list[Any]]], fatal: int, limit: int | None) -> None:
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
    if limit is None:
        Executioner(fatal).watch()
    journal = Journal.open(folder / "journal.sqlite", FixedClock(), or_set_aside=True)
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    for method, arguments in ops:
        if method == "store":
            journal.store(PlayedGame(*arguments))
        elif method == "hold":
            journal.hold(arguments[0], arguments[1] and PendingMove(*arguments[1]))
        else:
            getattr(journal, method)(*arguments)
        os.write(log, b"x")
    if limit is None:
        journal.close()


def main() -> None:
    task = json.load(sys.stdin)
    limits = task["limits"]
    for k in range(len(limits) if limits else 100_000):
        folder = Path(task["folder"], str(k))
        folder.mkdir(exist_ok=True)
        child = os.fork()
        if child == 0:
            play(folder, task["ops"], k, limits[k] if limits else None)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            if os.WEXITSTATUS(status) != 0:
                sys.exit(f"child {k} failed by itself")
            if not limits:
                return


if __name__ == "__main__":
    main()
