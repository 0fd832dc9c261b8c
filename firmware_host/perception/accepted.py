"""The class that each place is taken for, and the bands of readings that go with it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import le

from firmware_host.perception import bands
from firmware_host.table.sight import Magnet


class Accepted:
    """``magnets``: by place. A reading that leaves its class's wider band is to be judged anew."""

    def __init__(self, size: int) -> None:
        self.magnets = [Magnet.NONE] * size
        self._stay_low = [bands.STAY[Magnet.NONE][0]] * size
        self._stay_high = [bands.STAY[Magnet.NONE][1]] * size
        self._enter_low = [bands.ENTER[Magnet.NONE][0]] * size
        self._enter_high = [bands.ENTER[Magnet.NONE][1]] * size
        self._per_mt = [1.0] * size

    def set_bands(self, index: int, reading_mt: float, *, zeroed: bool) -> None:
        """After its magnet, its zero or what is known of the zero has changed."""
        magnet = self.magnets[index]
        low, high = bands.STAY[magnet] if zeroed else bands.stay_unzeroed(magnet, reading_mt)
        self._stay_low[index], self._stay_high[index] = low, high
        self._enter_low[index], self._enter_high[index] = bands.ENTER[magnet]

    def outside(self, readings_mt: Sequence[float]) -> list[int]:
        """Places whose reading is not in the band to stay in."""
        low, high = self._stay_low, self._stay_high
        if all(map(le, low, readings_mt)) and all(map(le, readings_mt, high)):
            return []  # as in most scans
        return [
            i
            for i, (r, a, b) in enumerate(zip(readings_mt, low, high, strict=True))
            if not a <= r <= b
        ]

    def follow_noise(self, sigmas_mt: Sequence[float]) -> None:
        """Learn how much a millitesla means at each place."""
        self._per_mt = [
            1 / (bands.CONFIDENCE_UNITS * (sigma + bands.TOLERANCE_MT[magnet]))
            for sigma, magnet in zip(sigmas_mt, self.magnets, strict=True)
        ]

    def confidence(self, readings_mt: Sequence[float]) -> tuple[float, ...]:
        """0 to 1 per place: how far the reading is from the nearest boundary of its class."""
        distances = [
            (r - a if r - a < b - r else b - r) * k
            for r, a, b, k in zip(
                readings_mt, self._enter_low, self._enter_high, self._per_mt, strict=True
            )
        ]
        return tuple([1.0 if d > 1 else d if d > 0 else 0.0 for d in distances])
