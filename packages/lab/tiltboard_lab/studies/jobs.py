"""A study: many independent tasks, and a file with one line for each.

A task is a pure function of the job and its number: its result does not depend on where, how often
and in which order it runs. So a study resumes where it stopped, and each line counts once.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError


class Job(msgspec.Struct, frozen=True, kw_only=True, tag_field="study"):
    """The full settings of a study, which are the heading of its file.

    Results with limits in time repeat only on machines of equal speed.
    """

    finds: ClassVar[Any]
    """The type of what a task finds, which msgspec can write."""
    seed: int = 1
    """Seed of its random numbers."""

    def run(self, number: int) -> Any:
        """Run task ``number``, from 0, and return its result."""
        raise NotImplementedError


Running = Generator[tuple[int, Any], None, None]
Workers = Callable[[Job, Iterable[int]], Running]
"""Runs tasks of a job and yields their numbers and results, in any order. It takes few more numbers
than it is working on, and drops unfinished tasks when the iterator is closed.
"""


class Results:
    """The results of a job's tasks by their numbers, kept in a file if there is one.

    Raises ConfigError if the file is that of another job, NotPossibleError if another program is
    adding to it.
    """

    def __init__(self, job: Job, path: Path | None = None) -> None:
        self.found: dict[int, Any] = {}
        self._file = None if path is None else path.open("a+b")
        if self._file is not None and path is not None:
            try:
                self._resume(job, path)
            except BaseException:
                self.close()
                raise

    def _resume(self, job: Job, path: Path) -> None:
        file = self._file
        if file is None:
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # goes with the process
        except BlockingIOError:
            raise NotPossibleError(
                "Another program is adding to {path}.", remedy="Wait until it has ended.", path=path
            ) from None
        heading = msgspec.json.encode(job)
        file.seek(0)
        first, *lines = file.read().split(b"\n")
        if not lines and heading.startswith(first):  # new, or cut off within its first line
            file.truncate(0)
            file.write(heading + b"\n")
            file.flush()
            return
        if first != heading:
            raise ConfigError(
                "{path} is the record of another study.",
                remedy="Name another file, or ask for the same again.",
                path=path,
            )
        kind = msgspec.json.Decoder(tuple[int, job.finds])  # type: ignore[name-defined]
        for line in lines[:-1]:
            try:
                number, found = kind.decode(line)
            except msgspec.DecodeError:
                continue  # damaged: that task is run again
            self.found.setdefault(number, found)
        if lines[-1]:  # behind the last newline is what was cut off
            file.truncate(file.tell() - len(lines[-1]))

    def add(self, number: int, found: Any) -> None:
        """Add the result of a task, unless it is there already."""
        if number in self.found:
            return
        self.found[number] = found
        if self._file is not None:
            self._file.write(msgspec.json.encode((number, found)) + b"\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file, so that others can add to it."""
        if self._file is not None:
            self._file.close()


def in_order(
    job: Job, results: Results, count: int, workers: Workers, done: Callable[[int], None]
) -> Generator[Any, None, None]:
    """Yield the results of tasks 0 to ``count`` - 1 in this order, and run those that ``results``
    lacks. ``done``: called with the number of further results. May be closed early.
    """
    missing = [number for number in range(count) if number not in results.found]
    done(count - len(missing))
    with closing(workers(job, missing)) as running:
        for number in range(count):
            while number not in results.found:
                ready, found = next(running)
                results.add(ready, found)
                done(1)
            yield results.found[number]
