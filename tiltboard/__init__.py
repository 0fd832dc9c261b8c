"""A tilting game table on a Raspberry Pi, and a simulated one that runs the same code.

The names in ``__all__`` are the public ones; docs/python.md describes them. Everything else may
change with any version.

    >>> import tiltboard
    >>> tiltboard.rules("momentum", size=3, marbles=3).perft(3)
    600
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltboard import drivers as drivers
    from tiltboard import testing as testing
    from tiltboard.firmware_host.config.profile import Profile as Profile
    from tiltboard.firmware_host.config.profile import load_profile as load_profile
    from tiltboard.firmware_host.config.profile import profile_names as profile_names
    from tiltboard.games.base import Outcome as Outcome
    from tiltboard.games.base import RulesError as RulesError
    from tiltboard.games.base import Shift as Shift
    from tiltboard.ground.errors import TiltboardError as TiltboardError
    from tiltboard.hardware import plate as plate
    from tiltboard.play import GamePosition as GamePosition
    from tiltboard.play import GameRules as GameRules
    from tiltboard.play import game_names as game_names
    from tiltboard.play import rules as rules

    __version__: str

# Nothing is imported before it is asked for: the service imports this package, too.
_HOMES = {
    "GamePosition": "play",
    "GameRules": "play",
    "Outcome": "games.base",
    "Profile": "firmware_host.config.profile",
    "RulesError": "games.base",
    "Shift": "games.base",
    "TiltboardError": "ground.errors",
    "game_names": "play",
    "load_profile": "firmware_host.config.profile",
    "plate": "hardware",
    "profile_names": "firmware_host.config.profile",
    "rules": "play",
}
_PACKAGES = ("drivers", "testing")
__all__ = ["__version__", *_HOMES, *_PACKAGES]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name in _HOMES:
        found = getattr(import_module(f"tiltboard.{_HOMES[name]}"), name)
    elif name in _PACKAGES:
        found = import_module(f"tiltboard.{name}")
    elif name == "__version__":
        found = import_module("importlib.metadata").version("tiltboard")
    else:
        raise AttributeError(f"module 'tiltboard' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
