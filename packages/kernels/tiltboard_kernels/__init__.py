"""Rules and searches of the games, compiled by numba.

Only this file and ``compiling`` can be imported without numba. The search is independent of the
games; the rules and tables come from ``tiltboard.games``. An entry point refers to the kernels
(compiled functions) of each game. These kernels are in the folder ``games`` of this package or in
another package. Tests compare the kernels with the rules in Python.
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
from tiltboard.ground.plugins import PluginError, load_entry_point, run_plugin_code

KERNELS = "tiltboard.kernels"
"""The name of the entry point group. Packages provide the kernels of a game through this group, and
so does this package.
"""
_log = logging.getLogger(__name__)
CPU_INFO = Path("/proc/cpuinfo")
_TELLS = ("model name", "flags", "CPU part", "Features")


@cache
def cache_folder() -> Path:
    """Return the folder for the compiled code. The code was compiled from these sources, for this
    Python version and this processor.

    The folder's name is a hash of the sources. Without this folder, numba would check each file
    separately, and would compile again if the files come from another machine.
    """
    found = hashlib.sha256(f"{metadata.version('numba')} {sys.version} {_processor()}".encode())
    for package in ("tiltboard_kernels", "tiltboard_kernels.games"):
        for path in sorted(files(package).iterdir(), key=lambda each: each.name):
            if path.name.endswith(".py"):
                found.update(path.read_bytes())
    for point in sorted(metadata.entry_points(group=KERNELS)):
        with suppress(PluginError):  # A package that cannot be imported provides no kernels.
            source = run_plugin_code(partial(util.find_spec, point.module))
            if source is not None and source.origin is not None:
                found.update(Path(source.origin).read_bytes())
    return default_state_directory() / "kernels" / found.hexdigest()[:16]


def kernels_of(game: str) -> ModuleType | None:
    """Return the module with the kernels (compiled functions) of a game, or None if no package
    provides kernels for the game. Needs numba.

    If kernels cannot be loaded, the error is logged and the game is played without kernels.
    """
    for point in metadata.entry_points(group=KERNELS, name=game):
        try:
            module = load_entry_point(
                point, lambda made: made if isinstance(made, ModuleType) else None
            )
        except PluginError as error:
            _log.warning("The kernels of %s (%s) cannot be used: %s", game, point.value, error)
            continue
        if module is not None:
            return module
    return None


def _processor() -> str:
    """Return the name and features of the processor. Compiled code runs only on processors with the
    same name and features.
    """
    with suppress(OSError):
        said = CPU_INFO.read_text(errors="replace").splitlines()
        return "\n".join(sorted({line for line in said if line.startswith(_TELLS)}))
    return platform.machine()
