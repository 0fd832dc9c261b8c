"""The disk under the table's state: it can be full, by the kernel's own word."""

from __future__ import annotations

import resource
from pathlib import Path

from firmware_host.config.paths import JOURNAL_NAME


class SimDisk:
    """The folder of journal and calibration.

    A full disk is RLIMIT_FSIZE: the kernel refuses every write that would make a file longer than
    the journal's log is, as a quota does (EFBIG; it holds for the whole process, and for root).
    The same writes as on a full disk fail, at the same system call.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._limits: tuple[int, int] | None = None

    @property
    def full(self) -> bool:
        """Whether it takes nothing more, tried with a file of its own."""
        probe = self._state / "probe"
        try:
            probe.write_bytes(bytes(self._log_bytes() + 1))
        except OSError:
            return True
        finally:
            probe.unlink(missing_ok=True)
        return False

    def fill(self) -> None:
        """From now on it takes nothing more."""
        if self._limits is None:
            self._limits = resource.getrlimit(resource.RLIMIT_FSIZE)  # Python ignores SIGXFSZ
        self._limit()

    def empty(self) -> None:
        """There is room again."""
        if self._limits is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, self._limits)
            self._limits = None

    def reopened(self) -> None:
        """The journal was closed and opened: its log has begun anew."""
        if self._limits is not None:
            self._limit()

    def _limit(self) -> None:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._log_bytes(), hard))

    def _log_bytes(self) -> int:
        """The journal's write-ahead log only grows until it is closed."""
        log = self._state / f"{JOURNAL_NAME}-wal"
        return log.stat().st_size if log.exists() else 0
