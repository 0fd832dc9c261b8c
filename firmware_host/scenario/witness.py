"""What the sensors of a real table have seen of what a person does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from firmware_host.config.errors import NotPossibleError
from firmware_host.host.host import Host
from firmware_host.scenario.real_table import RealTable
from firmware_host.scenario.run import SkippedError
from firmware_host.table.observation import Happening, Stillness

REST_S = 0.5
NOISE_MT = 0.5  # HARDWARE, pieces and the field: 0.2 mT peak to peak, and steps of 0.054 mT
CHANGE_MT = 0.7  # what no empty place reads, and every piece does

Seen = Callable[[], bool]


class Witness:
    """One table's sensors, asked about pieces, plate and parts."""

    def __init__(self, table: RealTable) -> None:
        self._table = table

    @property
    def _host(self) -> Host:
        """The one that runs now."""
        return self._table.host

    @property
    def cells(self) -> Mapping[str, str]:
        """Place -> piece."""
        return self._host.sight.cells

    def seen_at(self, place: str, accepted: Seen) -> Seen:
        """``accepted``; or, on a plate out of level, where nothing is accepted, that the reading
        under ``place`` has changed and come to rest.
        """
        if self.is_still():
            return accepted
        index = self._host.overlay.index_of(place)
        first_mt = self._host.frame.field_mt[index : index + 1]
        latest_mt: deque[float] = deque(maxlen=round(REST_S * self._host.profile.scans_per_s))

        def changed() -> bool:
            latest_mt.extend(self._host.frame.field_mt[index : index + 1])
            return (
                len(latest_mt) == latest_mt.maxlen
                and max(latest_mt) - min(latest_mt) < NOISE_MT
                and abs(latest_mt[-1] - first_mt[0]) > CHANGE_MT
            )

        return changed if first_mt else accepted

    def piece_on(self, place: str) -> str:
        """The piece there. Raises NotPossibleError."""
        self._host.overlay.index_of(place)
        piece = self.cells.get(place)
        if piece is None:
            raise NotPossibleError(
                "There is nothing on {place} to take.",
                remedy="Name a place where a piece stands.",
                place=place,
            )
        return piece

    def check_free(self, place: str) -> None:
        """Raises NotPossibleError where something stands there, or there is no such place."""
        self._host.overlay.index_of(place)
        if place in self.cells:
            raise NotPossibleError(
                "{place} is occupied.", remedy="Take that piece away first.", place=place
            )

    def is_empty(self, place: str) -> bool:
        """Surely nothing stands there."""
        return place not in self.cells and place not in self._host.sight.unsure

    def is_settled(self) -> bool:
        """All parts answer, and every place is read for certain."""
        sight = self._host.sight
        return sight.ready and not sight.unsure and self.is_whole()

    def is_whole(self) -> bool:
        """All parts answer."""
        return not self._host.sight.faults

    def is_back(self) -> bool:
        """All parts have answered for long enough to be believed."""
        sight = self._host.sight
        return self.is_whole() and sight.ready and sight.stillness is not Stillness.UNKNOWN

    def is_still(self) -> bool:
        """The plate is level and at rest."""
        return self._host.sight.stillness is Stillness.STILL

    def was_knocked(self) -> bool:
        """Just now, or what came of it is still going on."""
        events = self._host.sight.events
        return not self.is_still() or any(e.happening is Happening.BUMPED for e in events)

    def check_tilt_sensor(self) -> None:
        """Raises SkippedError where a tilt would not be seen."""
        if not self._host.profile.capabilities.sees_tilt:
            raise SkippedError("This table has no tilt sensor to see it with.")
