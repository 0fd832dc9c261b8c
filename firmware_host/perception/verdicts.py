"""Whether what has changed has come to rest, and as what: the patience that slow hands need."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from firmware_host.perception import bands
from firmware_host.perception.distrust import Distrust
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.history import AVERAGED, trend
from firmware_host.perception.loose import LooseMagnet
from firmware_host.perception.watched import LONGEST_SEEN_S, Pending, Watched
from firmware_host.table.sight import Magnet

# A strong magnet on its way down or up passes the weak band. A weak one rests as long as its
# reading took to get there (so a slow hand shows), and longer where only one far off centre reads.
_WEAK_REST_S = 0.12
_WEAK_EDGE_REST_S = 0.6
_WEAK_LONGEST_REST_S = 0.6
_WEAK_EDGE_MT = 1.3
_USUAL_SIGMA_MT = 0.035  # 0.2 mT peak to peak; noisier sensors are watched longer
_WEAK_MOST_NOISIER = 4.0
_SLIDE_REST_S = 0.2  # a piece that slid over a place did not stop there
_WEAK_GONE_S = 0.3  # a weak magnet is invisible between places; this long it may be sliding there
_MOST_UNUSABLE = 3  # with more places changing at once, fields cannot be compared with those before
_LOOSE_S = 1.5  # after that, a piece that stands between places has left its own
_LIVELY_S = 0.5  # other changes wait for a place that moved within this time
_LONGEST_WAIT_S = 3.0


class Verdicts:
    """Judges the pending places of one plate."""

    def __init__(self, watched: Watched, distrust: Distrust) -> None:
        self._watched = watched
        self._distrust = distrust
        self._loose = LooseMagnet(watched.profile)

    def given(self, now_s: float) -> Mapping[int, Magnet] | None:
        """The class that each place has come to rest in, where it has; None while something still
        moves that may belong to it.
        """
        verdicts: dict[int, Magnet] = {}
        lively = False
        for index, pending in self._watched.pending.items():
            verdict = self._verdict(index, pending, now_s)
            if verdict is not None:
                verdicts[index] = verdict
            elif (
                now_s - pending.moved_s < _LIVELY_S
                and now_s - pending.since_s < _LONGEST_WAIT_S
                and not self._distrust.is_noisy(index)
            ):
                lively = True
        return None if lively else verdicts

    def wait(self, verdicts: Mapping[int, Magnet], now_s: float, *, sliding: bool) -> bool:
        """Whether a piece may still be on its way. ``sliding``: whether it could slide."""
        if sliding and self._still_sliding(verdicts):
            return True
        return any(self._still_loose(index, verdicts, now_s) for index in verdicts)

    def _verdict(self, index: int, pending: Pending, now_s: float) -> Magnet | None:
        """The class that the place has come to rest in, None while it has not."""
        watched = self._watched
        if not watched.agree(index, AVERAGED):
            pending.moved_s = now_s
            return None
        zeroed = watched.zeros.zeroed[index]
        magnet = bands.classify(watched.readings[index], zeroed=zeroed)
        if magnet is None or magnet is watched.magnets[index] or self._distrust.is_noisy(index):
            return None
        if magnet in bands.WEAK_CLASSES and not self._weak_rests(index, magnet, pending, now_s):
            return None
        return magnet

    def _weak_rests(self, index: int, magnet: Magnet, pending: Pending, now_s: float) -> bool:
        """Whether that is a weak magnet, not a strong one in the hand or far off centre."""
        watched = self._watched
        if magnet not in watched.classes:
            return False
        sigma = watched.noise.sigma_mt(index)
        series = watched.history.series(index, watched.scans(now_s - pending.since_s))
        level = sum(series[-AVERAGED:]) / AVERAGED
        run = 0
        for value in reversed(series):
            if abs(value - level) > 0.1 + 3 * sigma:
                break
            run += 1
        edge = abs(watched.readings[index]) < _WEAK_EDGE_MT
        noisier = min(max(sigma / _USUAL_SIGMA_MT, 1.0), _WEAK_MOST_NOISIER)
        least = watched.scans((_WEAK_EDGE_REST_S if edge else _WEAK_REST_S) * noisier)
        least = min(least, watched.scans(LONGEST_SEEN_S))
        if run < max(least, min(len(series) - run, watched.scans(_WEAK_LONGEST_REST_S))):
            return False
        # It is final only when it has stopped rising: the halves' means differ by no more than one
        # sigma of that and a little for the steps. At rest two looks of three pass, so soon one
        # does; a hand of 3 mm/s at three times the noise is five sigma off.
        if abs(trend(series[-run:])) > 0.02 + sigma * sqrt(2 / (run // 2)):
            return False
        return not self._lies_near(index, index, magnet, pending)

    def _still_sliding(self, verdicts: Mapping[int, Magnet]) -> bool:
        """Whether a piece has just come over a place while another place was left."""
        if Magnet.NONE not in verdicts.values():
            return False
        count = self._watched.scans(_SLIDE_REST_S)
        return any(
            magnet is not Magnet.NONE and not self._watched.agree(index, count)
            for index, magnet in verdicts.items()
        )

    def _still_loose(self, index: int, verdicts: Mapping[int, Magnet], now_s: float) -> bool:
        """Whether the piece that left a place may still be on the plate, between places."""
        watched = self._watched
        gone = watched.magnets[index]
        if verdicts[index] is not Magnet.NONE or gone in verdicts.values():
            return False
        pending = watched.pending[index]
        waited_s = now_s - max(pending.since_s, watched.trail_s)
        if gone in bands.WEAK_CLASSES:
            return waited_s < _WEAK_GONE_S
        return waited_s < _LOOSE_S and any(
            self._lies_near(index, centre, gone, pending)
            for centre in dict.fromkeys((index, *watched.trail[-2:]))
        )

    def _lies_near(self, source: int, centre: int, magnet: Magnet, pending: Pending) -> bool:
        watched = self._watched
        readings, rest = watched.readings, pending.rest_mt
        change = [r - q for r, q in zip(readings, rest, strict=True)]
        now, before = watched.magnets, pending.rest_magnets
        unusable = {i for i, (a, b) in enumerate(zip(now, before, strict=True)) if a is not b}
        unusable.update(watched.pending)
        unusable.discard(source)
        if len(unusable) > _MOST_UNUSABLE:
            return False
        if source != centre:
            change[source] = readings[source]
        return self._loose.present(change, unusable, centre, SIGN_OF[magnet])
