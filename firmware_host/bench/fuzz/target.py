"""What is fuzzed: good examples, how they are spoilt, and who reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from firmware_host.bench.fuzz.mutations import mutated, mutated_json

if TYPE_CHECKING:
    from hw_sim.rng import Stream


class Target(ABC):
    """One reader. ``name`` and ``what`` (a few words) stand in the report.

    Made anew for each run with ``folder``, an empty one of its own. ``held``: what is given back at
    the end.
    """

    name: ClassVar[str]
    what: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held = ExitStack()

    @abstractmethod
    def examples(self) -> Sequence[bytes]:
        """Good input; asked for once."""

    @abstractmethod
    def read(self, data: bytes) -> bool:
        """Read ``data`` as the table would. False: it was refused without an error.

        The table's own errors may be raised, and no other.
        """

    def spoil(self, stream: Stream, examples: Sequence[bytes]) -> bytes:
        """One mutation."""
        return mutated(stream, examples)


class FileTarget(Target):
    """A reader of files: ``path`` holds what is to be read."""

    suffix: ClassVar[str] = ".txt"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / f"spoilt{self.suffix}"

    def read(self, data: bytes) -> bool:
        """Write it to ``path`` and read that."""
        self.path.write_bytes(data)
        return self.read_file()

    @abstractmethod
    def read_file(self) -> bool:
        """As ``read``."""


class JsonTarget(Target):
    """A reader of JSON: three of four mutations leave it JSON."""

    def spoil(self, stream: Stream, examples: Sequence[bytes]) -> bytes:
        """One mutation, of the text or of a value."""
        spoil = mutated if stream.random() < 0.25 else mutated_json
        return spoil(stream, examples)
