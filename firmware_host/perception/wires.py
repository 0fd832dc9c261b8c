"""Two sensors whose wires have changed sides: what one reads, the other's neighbours feel."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from firmware_host.perception.bands import STRONG_CLASSES
from firmware_host.perception.blind import LEAST_MT2, around
from firmware_host.perception.crosstalk import Crosstalk
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.observation import Magnet

SCANS = 15  # of quiet, averaged
SURE = 0.65  # of a strong magnet


class SwappedWires:
    """``wire``: the input that each place is read from."""

    def __init__(self, crosstalk: Crosstalk, columns: int, rows: int) -> None:
        self._crosstalk = crosstalk
        self._columns, self._rows = columns, rows
        self._checks: dict[int, Sequence[float]] = {}
        self._magnets: dict[int, Sequence[Magnet]] = {}
        self.wire = list(range(columns * rows))
        self._straight = True

    def sorted(self, raw_mt: Sequence[float]) -> Sequence[float]:
        """Readings by place."""
        return raw_mt if self._straight else [raw_mt[wire] for wire in self.wire]

    @property
    def crossed(self) -> frozenset[int]:
        """Places that are read from another's input."""
        if self._straight:
            return frozenset()
        return frozenset(i for i, wire in enumerate(self.wire) if i != wire)

    def watch(
        self, index: int, magnet: Magnet, rest_mt: Sequence[float], magnets: Sequence[Magnet]
    ) -> None:
        """A magnet was just taken for standing at ``index``; before, these were the readings with
        ``magnets`` removed.
        """
        self._checks.pop(index, None)
        if magnet in STRONG_CLASSES:
            self._checks[index] = rest_mt
            self._magnets[index] = tuple(magnets)

    def interrupt(self) -> None:
        """The readings were interrupted."""
        self._checks.clear()

    def wanted(self) -> bool:
        """Whether ``found`` has anything to look at."""
        return bool(self._checks)

    def found(
        self,
        mean_mt: Sequence[float],
        magnets: Sequence[Magnet],
        unread: Collection[int],
        restless: Collection[int],
    ) -> tuple[int, int] | None:
        """Where a magnet seems to stand, and where it does stand; None where all is well.

        ``mean_mt``: of quiet scans, ``magnets`` removed. ``unread``: places that no sensor sees.
        ``restless``: those whose readings fit nothing.
        """
        checks, self._checks = self._checks, {}
        for index, rest_mt in checks.items():
            magnet, before = magnets[index], self._magnets[index]
            if magnet not in STRONG_CLASSES or index in unread:
                continue
            steady = {
                i: (mean_mt[i] - rest_mt[i]) * SIGN_OF[magnet]
                for i, (old, new) in enumerate(zip(before, magnets, strict=True))
                if old is new and i not in unread and i not in restless
            }
            if self._amount(index, steady)[0] > -SURE:
                continue
            candidates = [
                (score, i)
                for i, other in enumerate(magnets)
                if i != index and (other is not magnet or i in restless) and i not in unread
                for amount, score in (self._amount(i, steady),)
                if amount > SURE
            ]
            if candidates:
                return index, max(candidates)[1]
        return None

    def cross(self, one: int, other: int) -> None:
        """Read each of the two from the other's input from now on."""
        wire = self.wire
        wire[one], wire[other] = wire[other], wire[one]
        self._straight = wire == list(range(len(wire)))

    def _amount(self, index: int, change_mt: Mapping[int, float]) -> tuple[float, float]:
        """How many strong magnets the neighbours of ``index`` feel there, beyond what is known; and
        how much of what all feel one magnet there explains.
        """
        total = weight = 0.0
        for i in around(index, self._columns, self._rows):
            if i in change_mt:
                share = self._crosstalk.share_mt(index, i)
                total += change_mt[i] * share
                weight += share * share
        return (total / weight, 2 * total - weight) if weight >= LEAST_MT2 else (0.0, 0.0)
