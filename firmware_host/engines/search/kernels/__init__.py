"""The search's inner loops, compiled by numba where the extra ``[fast]`` is installed.

The files here are not imported without it, and no game is known here: rules and tables come from
``games``, each game's kernels from ``engines/games`` or another package. A kernel gets tables as
arrays, and tests play both side by side. Here is only where kernels are found and kept.
"""

from __future__ import annotations

import hashlib
import logging
import platform
import sys
from contextlib import suppress
from functools import cache, partial
from importlib import import_module, metadata, util
from importlib.resources import files
from pathlib import Path
from types import ModuleType

from tiltboard.firmware_host.config.files import default_state_directory
from tiltboard.games.plugins import PluginError, loaded, tried

KERNELS = "tiltboard.kernels"
"""The group of entry points by which other packages bring kernels for their games."""
_OURS = "tiltboard.firmware_host.engines.games"
_log = logging.getLogger(__name__)
CPU_INFO = Path("/proc/cpuinfo")
_TELLS = ("model name", "flags", "CPU part", "Features")


@cache
def cache_folder() -> Path:
    """What was compiled of just these sources, for just this Python and processor. numba itself
    looks at each file by itself only, and compiles anew where one has come from another computer.
    """
    found = hashlib.sha256(f"{metadata.version('numba')} {sys.version} {_processor()}".encode())
    for package in ("tiltboard.firmware_host.engines.search.kernels", _OURS):
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
    """The kernels of a game, which need numba: ours, or those of an entry point. Of those that
    cannot be loaded the log tells, and the game is played without.
    """
    ours = f"{_OURS}.{game.replace('-', '_')}"
    if game.replace("-", "").isalnum() and util.find_spec(ours) is not None:
        return import_module(ours)
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
    """The processor's name and features: compiled code is good for the same ones alone."""
    with suppress(OSError):
        said = CPU_INFO.read_text(errors="replace").splitlines()
        return "\n".join(sorted({line for line in said if line.startswith(_TELLS)}))
    return platform.machine()
