"""Whether the compiled kernels may be used: numba is there, and has compiled them.

An engine that had to compile first would keep its players waiting, so one that is not warm plays
in pure Python. So does one that may not run what it compiles: the service's unit forbids that
(MemoryDenyWriteExecute). Imports nothing heavy.
"""

from __future__ import annotations

import hashlib
import mmap
import platform
import shutil
import sys
from contextlib import suppress
from functools import cache
from importlib import metadata, util
from importlib.resources import files
from pathlib import Path

from firmware_host.config.paths import default_state_directory

KERNELS = "tiltboard.kernels"
"""The group of entry points by which other packages bring kernels for their games."""
CPU_INFO = Path("/proc/cpuinfo")
_MARK = "warm"
_TELLS = ("model name", "flags", "CPU part", "Features")


@cache
def cache_folder() -> Path:
    """What was compiled of just these sources, for just this Python and processor. numba itself
    looks at each file by itself only, and compiles anew where one has come from another computer.
    """
    found = hashlib.sha256(f"{metadata.version('numba')} {sys.version} {_processor()}".encode())
    sources = files("firmware_host.engines.search.kernels")
    for path in sorted(sources.iterdir(), key=lambda each: each.name):
        if path.name.endswith(".py"):
            found.update(path.read_bytes())
    for point in sorted(metadata.entry_points(group=KERNELS)):
        source = util.find_spec(point.module)
        if source is not None and source.origin is not None:
            found.update(Path(source.origin).read_bytes())
    return default_state_directory() / "kernels" / found.hexdigest()[:16]


def _processor() -> str:
    """What it is, and can."""
    with suppress(OSError):
        said = CPU_INFO.read_text(errors="replace").splitlines()
        return "\n".join(sorted({line for line in said if line.startswith(_TELLS)}))
    return platform.machine()


@cache
def installed() -> bool:
    """Whether numba can be imported."""
    return util.find_spec("numba") is not None


@cache
def warm() -> bool:
    """Whether there are kernels that start at once."""
    return installed() and (cache_folder() / _MARK).exists() and _may_run_what_it_writes()


def _may_run_what_it_writes() -> bool:
    whole = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    try:
        with mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, whole):
            return True
    except OSError:
        return False


def note_warm() -> None:
    """They are compiled; what was for other versions goes, but for what one of them is writing just
    now. Raises OSError.
    """
    folder = cache_folder()
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    (folder / _MARK).touch()
    warm.cache_clear()
