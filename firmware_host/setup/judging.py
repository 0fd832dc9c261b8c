"""Whether what a place reads can be the piece that was asked for; if not, why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from firmware_host.messages import Message
from firmware_host.perception.field import SIGN_OF, STRONG, WEAK, field_mt
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.setup import reasons
from firmware_host.setup.progress import Progress

STRONG_KINDS = (Magnet.N_STRONG, Magnet.S_STRONG)
PRESENT_MT = 0.7  # a weak magnet at the edge of its place
STRONG_FROM_MT = 4.5
# A place's reading against the median of the others: sensors and gaps differ by a fifth, and
# six millimetres off the middle is two thirds.
UNLIKE = (0.7, 1.5)
HARDLY = (0.5, 2.0)  # beyond, no gain can make up for it (perception.calibration.Gain)
LEAST_WEAK = 0.7  # of what a weak piece reads in the middle; less is off the middle, or worn
# How far off the middle the neighbours on both sides of a place, and on one side alone, may see a
# piece: sensors differ by a tenth, which looks like 2 mm between two of them and like 4 mm alone.
OFF_MM = 4.0
OFF_ALONE_MM = 7.0
MOST_MM = 15.0
AGREE_MM = 8.0  # both neighbours of a line see the piece within this of each other, or one errs
CENTRED = 0.85  # of the usual reading: four millimetres off the middle is less
STEP_MM = 4.0  # over which the neighbours' change is taken for straight
SIGMAS = 2.0  # of what a piece's place is uncertain by noise
RECHECK = 6  # places measured when the first ones are looked at again
KNOWN = 3  # readings that make a median


@dataclass(frozen=True, slots=True)
class Verdict:
    """``at``: the place that reacts most. ``why``: what is wrong, None if nothing is.

    ``doubt``: it may be right all the same, if somebody says so.
    """

    at: int
    why: Message | None = None
    doubt: bool = False


class PlaceJudge:
    """Judges readings of one table, each the mean of so many ``scans``."""

    def __init__(self, profile: Profile, scans: int) -> None:
        self._profile = profile
        self._scans = scans
        self._measures = profile.capabilities.measures
        beside, step = profile.pitch_mm, STEP_MM
        self._beside_mt = field_mt(STRONG, profile.gap_mm, beside)
        near, far = (field_mt(STRONG, profile.gap_mm, beside + s) for s in (-step, step))
        self._slope_mt_mm = (near - far) / (2 * step)

    def judge(
        self, progress: Progress, place: int, magnet: Magnet | None, means: Sequence[float]
    ) -> Verdict:
        """``means``: changes from the empty plate in mT. ``magnet`` None: the strong piece that is
        carried about.
        """
        profile = self._profile
        by_size = sorted(range(len(means)), key=lambda i: -abs(means[i]))
        strongest = by_size[0]
        if strongest != place:
            return Verdict(strongest, reasons.elsewhere(profile, place, strongest))
        if len(by_size) > 1 and abs(means[by_size[1]]) >= PRESENT_MT:
            return Verdict(by_size[1], reasons.two_pieces(profile, by_size[1]))
        if magnet is not None:
            return self._of_a_kind(progress, place, magnet, means[place])
        return self._carried(progress, place, means)

    def unlike(self, progress: Progress) -> list[int]:
        """Places measured before there was a usual reading that are far from it, and of which
        nobody has said that they are right.
        """
        known = {i: abs(mt) for i, mt in enumerate(progress.own_mt) if mt is not None}
        if not self._measures or len(known) != RECHECK:
            return []
        usual = median(known.values())
        low, high = (share * usual for share in UNLIKE)
        return [i for i, mt in known.items() if not low <= mt <= high and i not in progress.sure]

    def _of_a_kind(self, progress: Progress, place: int, magnet: Magnet, reading: float) -> Verdict:
        profile = self._profile
        if (reading > 0) != (SIGN_OF[magnet] > 0):
            return Verdict(place, reasons.other_pole(profile, place, magnet))
        if not self._measures:
            return Verdict(place)
        if (abs(reading) >= STRONG_FROM_MT) != (magnet in STRONG_KINDS):
            return Verdict(place, reasons.other_strength(profile, place, magnet, reading))
        usual = WEAK.centred_mt if magnet not in STRONG_KINDS else STRONG.centred_mt
        own = progress.own_mt[place]
        share = 1.0 if own is None else abs(own) / STRONG.centred_mt
        if abs(reading) < LEAST_WEAK * usual * share:
            return Verdict(place, reasons.too_weak(profile, place, reading), doubt=True)
        return Verdict(place)

    def _carried(self, progress: Progress, place: int, means: Sequence[float]) -> Verdict:
        profile, reading = self._profile, means[place]
        others = (mt for i, mt in enumerate(progress.own_mt) if i != place)
        known = [mt for mt in others if mt is not None]
        if known and (reading > 0) != (median(known) > 0):
            return Verdict(place, reasons.turned_over(profile, place))
        usual = abs(median(known)) if len(known) >= KNOWN else None
        if abs(reading) < (STRONG_FROM_MT if usual is None else UNLIKE[0] * usual):
            doubt = usual is not None and abs(reading) >= HARDLY[0] * usual
            return Verdict(place, reasons.too_weak(profile, place, reading), doubt)
        if usual is not None and abs(reading) > UNLIKE[1] * usual:
            doubt = abs(reading) <= HARDLY[1] * usual
            return Verdict(place, reasons.too_strong(profile, place, reading), doubt)
        expected = usual or STRONG.centred_mt
        off = self._off_mm(progress, place, means, expected)
        if abs(reading) < CENTRED * expected and off is not None:
            return Verdict(place, reasons.off_the_middle(profile, place, *off), doubt=True)
        return Verdict(place)

    def _off_mm(
        self, progress: Progress, place: int, means: Sequence[float], strength_mt: float
    ) -> tuple[float, float] | None:
        """Where the neighbours see the piece, mm east and north of the middle, if that is too far.

        A piece that comes nearer to a neighbour makes it read more of the other pole.
        """
        profile = self._profile
        row, column = divmod(place, profile.columns)
        sign = 1.0 if means[place] > 0 else -1.0
        scale = strength_mt / STRONG.centred_mt
        away = [0.0, 0.0]
        limits_mm = [OFF_MM, OFF_MM]
        for axis, (at, count, step) in enumerate(
            ((column, profile.columns, 1), (row, profile.rows, profile.columns))
        ):
            sides = [
                (way, sign * means[place + way * step] / scale, place + way * step)
                for way in (-1, 1)
                if 0 <= at + way < count and place + way * step not in progress.broken
            ]
            if not sides:
                continue
            # Towards a side its reading moves by the slope; the mean of both forgets the strength.
            seen = [way * (mt - self._beside_mt) / self._slope_mt_mm for way, mt, _ in sides]
            if max(seen) - min(seen) > AGREE_MM or max(map(abs, seen)) > MOST_MM:
                continue  # steel, or a sensor that tells nothing
            away[axis] = sum(seen) / len(seen)
            noise_mt = max(progress.noise_mt[index] for *_, index in sides)
            noise_mt *= SIGMAS / (self._scans * len(sides)) ** 0.5
            limits_mm[axis] = OFF_MM if len(sides) == 2 else OFF_ALONE_MM
            limits_mm[axis] += noise_mt / scale / abs(self._slope_mt_mm)
        if all(abs(mm) <= most for mm, most in zip(away, limits_mm, strict=True)):
            return None
        return away[0], away[1]
