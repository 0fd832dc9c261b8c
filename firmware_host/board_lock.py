"""One test at a time on the hardware of this machine."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from drivers.errors import TiltboardError

LOCK_NAME = "tiltboard-board.lock"


class BoardInUseError(TiltboardError, BlockingIOError):
    """Another test has the board. Wait for it to end."""


class BoardLock:
    """Held inside its context, by flock(2): the kernel drops it with the process.

    ``folder``: one that all users of this machine share; by default the one for temporary files.
    Not checked: whether a service uses the board; its drivers find the buses taken.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or Path(tempfile.gettempdir())) / LOCK_NAME
        self._descriptor = -1

    def __enter__(self) -> Self:
        """Take it. Raises BoardInUseError at once where another holds it; OSError."""
        try:  # another user's file in a folder for all may be opened, but not with O_CREAT
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise BoardInUseError(
                "Another test uses this board now ({path} is locked).",
                remedy="Wait until it has ended.",
                path=self.path,
            ) from None
        except OSError:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The file stays: removing it would race with the next taker.
        os.close(self._descriptor)
