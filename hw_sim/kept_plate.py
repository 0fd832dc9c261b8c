"""What lies on the simulated plate, kept in a file: pieces of wood stay when a program ends."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from hw_sim.errors import HandsError
from hw_sim.world import MagnetKind, World
from hw_sim.world.paths import Point

PLATE_NAME = "plate.json"

_log = logging.getLogger(__name__)


class Lying(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece at rest. ``magnet``: as perception writes it; ``at_mm``: from the plate's centre."""

    label: str
    magnet: str
    factor: float
    at_mm: Point


class KeptPlate:
    """The file in the folder ``state``. It is a convenience: no game depends on it."""

    def __init__(self, state: Path) -> None:
        self._path = state / PLATE_NAME
        self._kept: list[Lying] = []
        self._complained = False

    def lay_out(self, world: World) -> None:
        """Put on the empty plate of ``world`` what lay there; with a file that cannot be read,
        nothing, and the log says so.
        """
        try:
            lying = msgspec.json.decode(self._path.read_bytes(), type=list[Lying])
            pieces = [(piece, MagnetKind.parse(piece.magnet)) for piece in lying]
        except FileNotFoundError:
            return
        except (OSError, ValueError, HandsError) as error:
            _log.warning(
                "The simulated plate starts empty: %s cannot be read: %s.", self._path, error
            )
            return
        for piece, kind in pieces:
            world.lay(piece.label, kind, piece.factor, piece.at_mm)
        self._kept = lying

    def keep(self, world: World) -> None:
        """Write down what lies on the plate, where that has changed. Pieces in hands do not lie."""
        lying = [
            Lying(piece.label, piece.kind.name, piece.factor, piece.here)
            for piece in world.pieces.values()
            if piece.path is None and not piece.held
        ]
        if lying == self._kept:
            return
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_bytes(msgspec.json.encode(lying))
            fresh.replace(self._path)
        except OSError as error:
            if not self._complained:
                _log.warning("What lies on the simulated plate could not be kept: %s.", error)
            self._complained = True
            return
        self._kept, self._complained = lying, False
