"""A study: many independent tasks, and a file with one line for the result of each task.

The result of a task depends only on the job and on the number of the task. The machine, the order
and repeated runs do not change the result. Therefore a stopped study can resume from its file.
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
    """The full settings of a study, written as the first line of its file.

    If a setting limits the time of a move, results repeat only on machines of the same speed.
    """

    finds: ClassVar[Any]
    """The type of a task's result. The library msgspec must be able to encode this type."""
    seed: int = 1
    """The seed of the random numbers of all tasks."""

    def run(self, number: int) -> Any:
        """Run the task ``number``, counted from 0, and return its result."""
        raise NotImplementedError


Running = Generator[tuple[int, Any], None, None]
Workers = Callable[[Job, Iterable[int]], Running]
"""A function that runs tasks of a job and yields each task's number and result, in any order.

The function reads only a few task numbers ahead. It cancels unfinished tasks when the iterator is
closed.
"""


class Results:
    """The results of a job's tasks by task number, optionally stored in a file.

    Raises ConfigError if the file belongs to another job, and NotPossibleError if another program
    is writing to the file.
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
            # The operating system releases the lock when the process ends.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotPossibleError(
                "Another program is adding to {path}.",
                remedy="Wait until it has ended, or name another file.",
                path=path,
            ) from None
        heading = msgspec.json.encode(job)
        file.seek(0)
        first, *lines = file.read().split(b"\n")
        # The file is new, or was cut off within its first line.
        if not lines and heading.startswith(first):
            file.truncate(0)
            file.write(heading + b"\n")
            file.flush()
            return
        if first != heading:
            raise ConfigError(
                "{path} holds the results of another study.",
                remedy="Name another file, or repeat the options of that study.",
                path=path,
            )
        kind = msgspec.json.Decoder(tuple[int, job.finds])  # type: ignore[name-defined]
        for line in lines[:-1]:
            try:
                number, found = kind.decode(line)
            except msgspec.DecodeError:
                continue  # The line is damaged, so its task runs again.
            self.found.setdefault(number, found)
        if lines[-1]:  # The text after the last newline is a line that was cut off.
            file.truncate(file.tell() - len(lines[-1]))

    def add(self, number: int, found: Any) -> None:
        """Store the result of a task, and append it to the file, unless the task already has a
        result.
        """
        if number in self.found:
            return
        self.found[number] = found
        if self._file is not None:
            self._file.write(msgspec.json.encode((number, found)) + b"\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file, so that other programs can write to it."""
        if self._file is not None:
            self._file.close()


def in_order(
    job: Job, results: Results, count: int, workers: Workers, done: Callable[[int], None]
) -> Generator[Any, None, None]:
    """Yield the results of tasks 0 to ``count`` - 1 in this order. The function ``workers`` runs
    the tasks that have no result yet. A caller can close the iterator early.

    ``done``: called with the number of results that have become available since the last call.
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
