"""Bands of sensor readings for each magnet class: an entry band, and a wider band in which a
reading keeps its class.

The limits come from docs/add-a-board.md and apply after the field of neighbouring magnets is
subtracted: a place is empty below 0.6 mT, a weak magnet reads 0.8 to 3.3 mT, and a strong magnet
reads above 5.5 mT. A reading between two bands is unsure. The wider bands give hysteresis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from operator import le

from msgspec import Struct

from tiltboard.firmware_host.table.sight import Magnet

EMPTY_MT = 0.6
STRONG_MT = 5.5
STRONG_STAYS_MT = 4.5
# Limits for a sensor whose zero offset was not measured. The DRV5055A1's quiescent output (1.65 V
# +-60 mV at 60 mV/mT) and the remaining field of neighbouring magnets make an empty place read at
# most 1.1 mT. A reading above 1.25 mT therefore means a magnet.
UNZEROED_EMPTY_MT = 1.1
UNZEROED_TAKEN_MT = 1.25
UNZEROED_STRONG_MT = 4.8
UNZEROED_WEAK_MT = 4.3
UNZEROED_WEAK_MOVES_MT = 0.8

WEAK_CLASSES = frozenset({Magnet.N_WEAK, Magnet.S_WEAK})
STRONG_CLASSES = frozenset({Magnet.N_STRONG, Magnet.S_STRONG})

Band = tuple[float, float]

# A reading has confidence 1 if its distance from the nearest boundary is at least this number times
# the sum of noise and tolerance.
CONFIDENCE_UNITS = 3.0
TOLERANCE_MT = {
    Magnet.NONE: 0.1,
    Magnet.N_WEAK: 0.15,
    Magnet.S_WEAK: 0.15,
    Magnet.N_STRONG: 0.7,
    Magnet.S_STRONG: 0.7,
}


def _bands(empty: Band, weak: Band, strong: Band) -> dict[Magnet, Band]:
    """Return the band of each magnet class in mT, given the bands of an empty place, of a weak
    south magnet and of a strong south magnet.
    """
    (weak_low, weak_high), (strong_low, strong_high) = weak, strong
    return {
        Magnet.NONE: empty,
        Magnet.N_STRONG: (-strong_high, -strong_low),
        Magnet.S_STRONG: strong,
        Magnet.N_WEAK: (-weak_high, -weak_low),
        Magnet.S_WEAK: weak,
    }


# The band of a strong magnet ends at 17 mT. A magnet within its tolerances reads at most 15 mT, and
# the sensor's range ends at 22 mT.
ENTER = _bands((-EMPTY_MT, EMPTY_MT), (0.8, 3.3), (STRONG_MT, 17.0))
STAY = _bands((-0.75, 0.75), (0.65, 4.0), (STRONG_STAYS_MT, 19.0))

# Band of an empty place in a game with weak magnets. A weak magnet 11 mm from the centre of its
# place reads 0.45 mT; at 12 mm it reads 0.3 mT, and at 17 mm nothing. The table's lights shift a
# sensor's zero offset by at most 0.33 mT.
EMPTY_OF_WEAK = (-0.45, 0.45)


def stay_unzeroed(magnet: Magnet, first_mt: float) -> Band:
    """Return the band in mT in which a sensor with an unknown zero offset keeps its class
    ``magnet``.

    ``first_mt``: the sensor's first reading with that magnet.
    """
    if magnet is Magnet.NONE:
        low = min(-UNZEROED_TAKEN_MT, first_mt - UNZEROED_WEAK_MOVES_MT)
        return low, max(UNZEROED_TAKEN_MT, first_mt + UNZEROED_WEAK_MOVES_MT)
    if magnet in WEAK_CLASSES:
        return first_mt - UNZEROED_WEAK_MOVES_MT, first_mt + UNZEROED_WEAK_MOVES_MT
    return STAY[magnet]


def strong(reading_mt: float) -> Magnet:
    """Return the class of a strong magnet with the pole of ``reading_mt``: south if positive, else
    north.
    """
    return Magnet.S_STRONG if reading_mt > 0 else Magnet.N_STRONG


def weak(reading_mt: float) -> Magnet:
    """Return the class of a weak magnet with the pole of ``reading_mt``: south if positive, else
    north.
    """
    return Magnet.S_WEAK if reading_mt > 0 else Magnet.N_WEAK


def classify(reading_mt: float, *, zeroed: bool = True) -> Magnet | None:
    """Return the class whose entry band contains ``reading_mt``, or None if the reading is between
    two bands.

    ``zeroed``: False if the sensor's zero offset was not measured, so that only the data sheet's
    tolerance limits it.
    """
    size = abs(reading_mt)
    if zeroed:
        for magnet in (Magnet.NONE, strong(reading_mt), weak(reading_mt)):
            low, high = ENTER[magnet]
            if low <= reading_mt <= high:
                return magnet
        return None
    if size <= UNZEROED_EMPTY_MT:
        return Magnet.NONE
    if UNZEROED_STRONG_MT <= size <= ENTER[Magnet.S_STRONG][1] + 1:
        return strong(reading_mt)
    return weak(reading_mt) if UNZEROED_TAKEN_MT <= size <= UNZEROED_WEAK_MT else None


class Bands(Struct, frozen=True):
    """The entry band and the wider band of each place of the plate, in mT, by plate index.

    If a reading leaves the wider band of its magnet class, the place is classified again.
    """

    stay_low: Sequence[float]
    stay_high: Sequence[float]
    enter_low: Sequence[float]
    enter_high: Sequence[float]
    # Increase in confidence for each mT between a reading and the nearest boundary of its band.
    per_mt: Sequence[float]

    @classmethod
    def of_empty(cls, size: int) -> Bands:
        """Return the bands of a plate with ``size`` empty places, for use before the first scan."""
        ends = (*STAY[Magnet.NONE], *ENTER[Magnet.NONE], 1.0)
        return cls(*([end] * size for end in ends))

    def set(
        self,
        places: Iterable[int],
        magnets: Sequence[Magnet],
        readings_mt: Sequence[float],
        zeroed: Sequence[bool],
        classes: Set[Magnet],
    ) -> Bands:
        """Return updated bands, after the magnet or zero offset of some ``places`` has changed, or
        after the game's magnet ``classes`` have changed.
        """
        empty = STAY[Magnet.NONE] if classes.isdisjoint(WEAK_CLASSES) else EMPTY_OF_WEAK
        stays = {**STAY, Magnet.NONE: empty}
        lows, highs = list(self.stay_low), list(self.stay_high)
        enter_lows, enter_highs = list(self.enter_low), list(self.enter_high)
        for i in places:
            stay = stays[magnets[i]] if zeroed[i] else stay_unzeroed(magnets[i], readings_mt[i])
            lows[i], highs[i] = stay
            enter_lows[i], enter_highs[i] = ENTER[magnets[i]]
        return Bands(lows, highs, enter_lows, enter_highs, self.per_mt)

    def outside(self, readings_mt: Sequence[float]) -> list[int]:
        """Return the indices of the places whose reading is outside the wider band of the place's
        class.
        """
        low, high = self.stay_low, self.stay_high
        if all(map(le, low, readings_mt)) and all(map(le, readings_mt, high)):
            return []  # In most scans every reading is inside its band.
        return [
            i
            for i, (r, a, b) in enumerate(zip(readings_mt, low, high, strict=True))
            if not a <= r <= b
        ]

    def confidence(self, readings_mt: Sequence[float]) -> tuple[float, ...]:
        """Return the confidence of each reading, 0 to 1, from its distance to the nearest boundary
        of its class.
        """
        distances = [
            (r - a if r - a < b - r else b - r) * k
            for r, a, b, k in zip(
                readings_mt, self.enter_low, self.enter_high, self.per_mt, strict=True
            )
        ]
        return tuple([1.0 if d > 1 else d if d > 0 else 0.0 for d in distances])
