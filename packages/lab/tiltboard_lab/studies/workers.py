"""Workers that run a study's tasks, in this process or in several on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from tiltboard.ground.errors import TiltboardError
from tiltboard_lab.studies.jobs import Job, Running, Workers

AHEAD = 2  # Maximum number of tasks per worker: one running task and one waiting task.
NICE = 10


class WorkersLostError(TiltboardError):
    """Raised if the worker processes ended repeatedly. Earlier results are kept."""


def here(job: Job, numbers: Iterable[int]) -> Running:
    """Run the tasks in this process, one after the other."""
    for number in numbers:
        yield number, job.run(number)


def processes(count: int) -> Workers:
    """Return workers that use ``count`` processes. If a process is killed, its tasks run again."""

    def run(job: Job, numbers: Iterable[int]) -> Running:
        waiting = iter(numbers)
        again: list[int] = []
        others = set(multiprocessing.active_children())
        while True:
            pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin)
            running: dict[Future[Any], int] = {}
            lost_before = bool(again)
            try:
                while True:
                    room = AHEAD * count - len(running)
                    for number in [*again[:room], *islice(waiting, max(room - len(again), 0))]:
                        running[pool.submit(job.run, number)] = number
                    again = again[room:]
                    if not running:
                        return
                    for ready in wait(running, return_when=FIRST_COMPLETED).done:
                        found = ready.result()
                        yield running.pop(ready), found
                        lost_before = False
            except BrokenProcessPool:
                if lost_before:
                    raise WorkersLostError(
                        "The worker processes ended repeatedly.",
                        remedy="Start fewer with --workers; memory may be short.",
                    ) from None
                again = sorted(running.values())
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in {*multiprocessing.active_children()} - others:
                    process.terminate()

    return run


def _begin() -> None:
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The main process handles Ctrl-C.
