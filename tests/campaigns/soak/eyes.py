"""The physical state of a simulated table: the piece on each place, now and a moment ago."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tiltboard.firmware_host.table.sight import Magnet
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.world.magnet import WEAK
from tiltboard.hw_sim.world.pieces import SimulatedPiece
from tiltboard.hw_sim.world.world import World

# Maximum height of a piece on its place; switches close before a piece touches the plate.
STANDS_MM = 5.0
KEPT_S = 10.0
FELT = 0.5  # Minimum strength of a detectable magnet, as a fraction of a normal magnet.


@dataclass(frozen=True, slots=True)
class _Seen:
    cells: Mapping[str, str]
    unfelt: set[str]


class Eyes:
    """Records the pieces of one table in each scan."""

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._past: deque[tuple[float, _Seen]] = deque()
        profile = session.profile
        self._pitch_mm = profile.pitch_mm
        self._x_mm, self._y_mm = profile.centre_mm(0)
        self._key: tuple[object, ...] = ()

    def look(self) -> None:
        """Record the pieces on the plate now."""
        world, now_s = self._session.table.world, self._session.clock.now()
        world.settle(now_s)
        pieces = world.pieces.values()
        key: tuple[object, ...] = (
            self._session.host.overlay,
            *((p.piece_id, p.here, p.factor) for p in pieces if p.path is None and not p.held),
            *(self._spot(p, now_s) for p in pieces if p.path is not None),
        )
        if key != self._key:
            self._key = key
            self._past.append((now_s, _Seen(self.reads(), self._unfelt())))
        while len(self._past) > 1 and self._past[1][0] < now_s - KEPT_S:
            self._past.popleft()

    def pieces(self) -> dict[str, str]:
        """Return the piece on each occupied place, whichever side is up."""
        return {place: piece.label for place, piece in self._standing()}

    def reads(self) -> dict[str, str]:
        """Return the reading of a perfect sensor on each occupied place. A piece that is upside
        down reads as another piece.
        """
        overlay = self._session.host.overlay
        found = {}
        for place, piece in self._standing():
            read = overlay.piece_of(Magnet(piece.kind.value))
            if read is not None:
                found[place] = read
        return found

    def unfelt_since(self, since_s: float) -> set[str]:
        """Return the places that have had a magnet too weak for a sensor since ``since_s``."""
        return {place for seen in self._since(since_s) for place in seen.unfelt}

    def weak(self) -> set[str]:
        """Return the places that have a weak magnet now."""
        return {place for place, piece in self._standing() if piece.kind.disc == WEAK}

    def past(self, since_s: float, until_s: float) -> list[tuple[float, Mapping[str, str]]]:
        """Return the boards between two times, each with its duration in seconds."""
        spans = []
        for (start_s, seen), end_s in zip(self._past, self._ends(), strict=True):
            first, last = max(start_s, since_s), min(end_s, until_s)
            if first <= last:
                spans.append((last - first, seen.cells))
        return spans

    def _since(self, since_s: float) -> Iterator[_Seen]:
        for (_, seen), end_s in zip(self._past, self._ends(), strict=True):
            if end_s >= since_s:
                yield seen

    def _unfelt(self) -> set[str]:
        return {place for place, piece in self._standing() if piece.factor < FELT}

    def _ends(self) -> Iterator[float]:
        for start_s, *_ in list(self._past)[1:]:
            yield start_s
        yield self._session.clock.now()

    def _standing(self) -> list[tuple[str, SimulatedPiece]]:
        world: World = self._session.table.world
        now_s = self._session.clock.now()
        world.settle(now_s)
        places = self._session.host.overlay.places
        spots = [(self._spot(piece, now_s), piece) for piece in world.pieces.values()]
        return [(places[index], piece) for index, piece in spots if index is not None]

    def _spot(self, piece: SimulatedPiece, now_s: float) -> int | None:
        """Return the index of the place on which a piece is, or None if the piece is in the air or
        off the plate.
        """
        if piece.held or not piece.present(now_s):
            return None
        x_mm, y_mm, height_mm = piece.at(now_s)
        if height_mm > STANDS_MM:
            return None
        profile = self._session.profile
        column = round((x_mm - self._x_mm) / self._pitch_mm)
        row = round((y_mm - self._y_mm) / self._pitch_mm)
        if 0 <= column < profile.columns and 0 <= row < profile.rows:
            return row * profile.columns + column
        return None
