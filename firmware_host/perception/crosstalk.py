"""What the magnets that are known to stand on the plate add to every other sensor.

A strong magnet adds some -0.16 mT to each sensor beside it. Where one was put down and the four
neighbours do not feel it, while the four of another place feel one that is not read there, the two
places' wires have probably changed sides. That is only reported: nothing is read differently.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import sub
from statistics import median

from firmware_host.perception.bands import STRONG_CLASSES, STRONG_MT, STRONG_STAYS_MT, strong
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.field import SIGN_OF
from firmware_host.table.sight import Magnet

_ROUNDS = 8  # a strong reading never hides behind its neighbours, so a few rounds always suffice


class Crosstalk:
    """``total_mt``: per sensor, the sum over all ``standing`` magnets elsewhere. Sparse: only a
    change of what stands costs anything.
    """

    def __init__(self, calibration: Calibration, columns: int, rows: int) -> None:
        self._columns = columns
        self._rows = rows
        self._strong = calibration.strong_mt
        self._weak = calibration.weak_mt
        self._cache: dict[tuple[bool, int], list[float]] = {}
        self.standing = [Magnet.NONE] * (columns * rows)
        self.total_mt = [0.0] * (columns * rows)

    def stand(self, index: int, magnet: Magnet) -> None:
        """Let ``magnet`` be what stands at ``index`` from now on."""
        before = self.standing[index]
        if magnet is before:
            return
        self.standing[index] = magnet
        for which, sign in ((before, -1.0), (magnet, 1.0)):
            if which is not Magnet.NONE:
                factor = sign * SIGN_OF[which]
                row = self._row(which in STRONG_CLASSES, index)
                self.total_mt = [x + factor * k for x, k in zip(self.total_mt, row, strict=True)]

    def removed(self, readings_mt: Sequence[float]) -> list[float]:
        """The readings without the neighbours."""
        return list(map(sub, readings_mt, self.total_mt))

    def strong_mt(self, source: int) -> Sequence[float]:
        """What a strong south magnet at ``source`` adds to every sensor, and one there to it."""
        return self._row(True, source)

    def share_mt(self, source: int, index: int) -> float:
        """What a strong south magnet at ``source`` adds to the sensor ``index``."""
        return self._row(True, source)[index]

    def adds_mt(self, magnet: Magnet, source: int, index: int) -> float:
        """What ``magnet`` at ``source`` adds to the sensor ``index``."""
        if magnet is Magnet.NONE:
            return 0.0
        return SIGN_OF[magnet] * self._row(magnet in STRONG_CLASSES, source)[index]

    def resolve(self, readings_mt: Sequence[float]) -> list[float]:
        """Find the strong magnets among readings of which nothing is known, and remove them."""
        for _ in range(_ROUNDS):
            result = self.removed(readings_mt)
            if not self.update(range(len(result)), result):
                break
        return self.removed(readings_mt)

    def update(self, places: Sequence[int], readings_mt: Sequence[float]) -> bool:
        """Let strong readings radiate at once, before they are accepted. Whether any changed."""
        changed = False
        for index in places:
            reading, now = readings_mt[index], self.standing[index]
            kind = strong(reading)
            if abs(reading) >= STRONG_MT or (abs(reading) >= STRONG_STAYS_MT and now is kind):
                wanted = kind
            else:
                wanted = Magnet.NONE if now in STRONG_CLASSES else now
            if wanted is not now:
                self.stand(index, wanted)
                changed = True
        return changed

    def _row(self, is_strong: bool, index: int) -> list[float]:
        row = self._cache.get((is_strong, index))
        if row is None:
            kernel = self._strong if is_strong else self._weak
            y, x = divmod(index, self._columns)
            row = [
                kernel[abs(r - y)][abs(c - x)]
                for r in range(self._rows)
                for c in range(self._columns)
            ]
            row[index] = 0.0
            self._cache[is_strong, index] = row
        return row


REST_S = 1.0  # of rest that is averaged, before and after a change
LEAST_BESIDE = 2  # neighbours of each of the two places that can tell
# Of what two places with crossed wires would change, so much is there: 0.8 to 1.2 with a piece 5 mm
# off its middle; where none are crossed, at most 0.5.
LEAST_SHARE = 0.65
MOST_SHARE = 1.5
# Places, what a strong magnet at each adds to every sensor (and one there to it), how each changed
Beside = Sequence[tuple[int, Sequence[float], float]]


class SwappedWires:
    """Compares a second of rest with the one before the last change. ``columns``, ``rows``: of the
    plate; ``looks``: that are averaged. ``pair``: the last two places that were contradicted.
    """

    def __init__(self, crosstalk: Crosstalk, columns: int, rows: int, looks: int) -> None:
        self._crosstalk = crosstalk
        self._looks = looks
        self._beside = [beside(i, columns, rows) for i in range(columns * rows)]
        self._sum: list[float] = []
        self._count = 0
        self._rest: tuple[tuple[Magnet, ...], list[float]] | None = None
        self.pair: tuple[int, int] | None = None

    def interrupt(self) -> None:
        """Something moves, or the readings begin anew: the average does, too."""
        self._count = 0

    def look(
        self, readings_mt: Sequence[float], magnets: Sequence[Magnet], unread: Collection[int]
    ) -> None:
        """At rest: readings with the neighbours removed. ``unread``: places whose readings or zeros
        are not known well.
        """
        summed = zip(self._sum, readings_mt, strict=True)
        self._sum = [s + r for s, r in summed] if self._count else list(readings_mt)
        self._count += 1
        if self._count < self._looks:
            return
        common = median(self._sum)  # all drift together with the temperature
        means = [(s - common) / self._count for s in self._sum]
        self._count = 0
        if self._rest is not None:
            before, rest_mt = self._rest
            changed = {i for i, magnet in enumerate(magnets) if magnet is not before[i]}
            put = [i for i in changed if magnets[i] in STRONG_CLASSES]
            if put:
                empty = {i for i, m in enumerate(magnets) if m is Magnet.NONE} - changed
                change = [a - b for a, b in zip(means, rest_mt, strict=True)]
                self._compare(change, empty.difference(unread), put, magnets)
        self._rest = tuple(magnets), means

    def _compare(
        self,
        change: Sequence[float],
        empty: Collection[int],
        put: Sequence[int],
        magnets: Sequence[Magnet],
    ) -> None:
        """``change``: of the readings, by place; ``put``: where strong magnets are read now."""

        def beside_it(index: int) -> Beside:
            shares = self._crosstalk.strong_mt
            return [(i, shares(i), change[i]) for i in self._beside[index] if i in empty]

        for index in put:
            sign, most, here = SIGN_OF[magnets[index]], 0.0, beside_it(index)
            for other in sorted(empty):
                # As it stands at the other place, how much of ``change``, squared, is explained
                explained = _explained(here, index, other, other, sign)
                there = _explained(beside_it(other), index, other, index, sign) if explained else 0
                if there and explained + there >= most:
                    most = explained + there
                    self.pair = index, other


def _explained(near: Beside, index: int, other: int, but: int, sign: float) -> float:
    """What of the changes ``near`` is explained, squared, if the magnet that is read at ``index``
    stands at ``other``; 0 unless they say so. ``but``: not asked.
    """
    power = along = 0.0
    count = 0
    for i, share, change in near:
        if i != but:
            expected = sign * (share[other] - share[index])
            power += expected * expected
            along += change * expected
            count += 1
    if count < LEAST_BESIDE or not LEAST_SHARE * power < along < MOST_SHARE * power:
        return 0.0
    return 2 * along - power


def beside(index: int, columns: int, rows: int) -> tuple[int, ...]:
    """The up to four places that share an edge with one."""
    row, column = divmod(index, columns)
    return tuple(
        r * columns + c
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        if 0 <= r < rows and 0 <= c < columns
    )
