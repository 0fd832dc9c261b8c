"""Whether a table is running in a state folder: its parts and its journal are then its own."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from firmware_host.config.paths import JOURNAL_NAME


def running_table(state: Path) -> str | None:
    """The process (its number, or "?") that writes the journal in ``state``; None if there is none.

    Looks at the journal's lock (journal.files.WriterLock) and lets go of it at once.
    """
    try:
        descriptor = os.open(state / f"{JOURNAL_NAME}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 20).decode("ascii", "replace").strip() or "?"
    finally:
        os.close(descriptor)
    return None
