"""Rules and searches of the games, compiled by numba.

Only ``compiling`` and this file can be imported without numba. The search knows no game: rules and
tables come from ``tiltboard.games``, each game's kernels from an entry point, of ``games`` here or
of another package. Tests play rules and kernels side by side.
"""

from __future__ import annotations

import hashlib
import logging
import platform
import sys
from contextlib import suppress
from functools import cache, partial
from importlib import metadata, util
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from tiltboard.firmware_host.config.files import default_state_directory
from tiltboard.ground.plugins import PluginError, loaded, tried

KERNELS = "tiltboard.kernels"
"""Group of the entry points by which packages, this one too, bring kernels for games."""
_log = logging.getLogger(__name__)
CPU_INFO = Path("/proc/cpuinfo")
_TELLS = ("model name", "flags", "CPU part", "Features")


@cache
def cache_folder() -> Path:
    """Return the folder of code compiled from exactly these sources, for this Python and processor.

    numba alone looks at each file separately, and compiles again when files come from another
    machine.
    """
    found = hashlib.sha256(f"{metadata.version('numba')} {sys.version} {_processor()}".encode())
    for package in ("tiltboard_kernels", "tiltboard_kernels.games"):
        for path in sorted(files(package).iterdir(), key=lambda each: each.name):
            if path.name.endswith(".py"):
                found.update(path.read_bytes())
    for point in sorted(metadata.entry_points(group=KERNELS)):
        with suppress(PluginError):  # whose package cannot be imported has no kernels either
            source = tried(partial(util.find_spec, point.module))
            if source is not None and source.origin is not None:
                found.update(Path(source.origin).read_bytes())
    return default_state_directory() / "kernels" / found.hexdigest()[:16]


def kernels_of(game: str) -> ModuleType | None:
    """Return the kernels of a game, which need numba, or None if no package brings any. Those that
    cannot be loaded are named in the log, and the game is played without them.
    """
    for point in metadata.entry_points(group=KERNELS, name=game):
        try:
            module = loaded(point, lambda made: made if isinstance(made, ModuleType) else None)
        except PluginError as error:
            _log.warning("The kernels of %s (%s) cannot be used: %s", game, point.value, error)
            continue
        if module is not None:
            return module
    return None


def _processor() -> str:
    """Return the processor's name and features: compiled code fits only the same ones."""
    with suppress(OSError):
        said = CPU_INFO.read_text(errors="replace").splitlines()
        return "\n".join(sorted({line for line in said if line.startswith(_TELLS)}))
    return platform.machine()
