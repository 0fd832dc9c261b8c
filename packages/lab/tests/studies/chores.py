"""Jobs for the tests of workers; worker processes import this file by its name."""

import os
import signal
import time
from pathlib import Path
from typing import Any, ClassVar

from tiltboard_lab.studies.jobs import Job


class Square(Job, frozen=True, kw_only=True):
    finds: ClassVar[Any] = list[int]

    def run(self, number):
        return [number, self.seed * number * number]


class Deadly(Square, frozen=True, kw_only=True):
    """A job that kills its worker process in one task, once or each time."""

    folder: str
    task: int
    once: bool = True

    def run(self, number):
        mark = Path(self.folder, "killed")
        if number == self.task and not (self.once and mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with Path(self.folder, "run").open("a") as file:
            file.write(f"{number}\n")
        return [number, self.seed * number * number]


class Waiting(Square, frozen=True, kw_only=True):
    """A job that waits from task 10 on for a node's death, and reports each task's node."""

    folder: str

    def run(self, number):
        import ray

        folder = Path(self.folder)
        with (folder / "run").open("a") as file:
            file.write(f"{number} {ray.get_runtime_context().get_node_id()}\n")
        while number >= 10 and not (folder / "killed").exists():
            time.sleep(0.01)
        return super().run(number)
