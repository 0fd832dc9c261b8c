"""Whether what was read can be the piece that was asked for; if not, why, with remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from statistics import median

from firmware_host.commissioning.progress import Progress
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.perception.field import SIGN_OF, STRONG, WEAK, field_mt
from firmware_host.table.sight import Magnet

STANDS_RIGHT = text("It stands right")  # what somebody says where a reading is unlikely

# Of one place, and what it reads, in mT: filled by ``of_place``
LOOKS_DOWN = text("It was not turned over: {place} looks down")
LEAVE_OUT = text("Leave {place} out: its sensor is broken")
OFF_SCALE = text(
    "{place} reads {mt:+.1f} mT, past the end of its scale: its wire is broken, or it has no"
    " supply."
)
NOT_EMPTY = text(
    "{place} reads {mt:+.1f} mT though the plate should be empty. Take away what stands there."
    " If nothing does, check that sensor's wires."
)
NOISY = text(
    "{place} is noisy ({mt:.2f} mT). Check its solder joints and the capacitor at its supply."
)
NO_REACTION = text(
    "{place} does not react. If the piece stands there, check that sensor's wires and supply."
)
TWO_PIECES = text("Something stands on {place} too. Take it away.")
NO_WEAK_ONE = text("{place} reads {mt:.1f} mT: that is a strong piece. Put a weak one there.")
TOO_WEAK = text(
    "{place} reads only {mt:.1f} mT. Move the piece to the middle. If it stands there, the"
    " sensor sits too deep or is another part, or the piece is a weak one."
)
TOO_STRONG = text(
    "{place} reads {mt:.1f} mT, far more than the others. Use the same piece for every place;"
    " if it is, the sensor sits too high."
)
STILL_THERE = text("A piece still stands on {place}.")
RESTLESS = text(
    "{place} does not come to rest. Let go of the piece, and keep hands and metal away. If"
    " nothing moves, that sensor is noisy: check its solder joints and the capacitor at its"
    " supply."
)
PRESENT_MT = 0.7  # a weak magnet at the edge of its place
STRONG_FROM_MT = 4.5
# A place's reading against the median of the others: sensors and gaps differ by a fifth, and
# six millimetres off the middle is two thirds.
UNLIKE = (0.7, 1.5)
HARDLY = (0.5, 2.0)  # beyond, no gain can make up for it (perception.calibration.Gain)
LEAST_WEAK = 0.7  # of what a weak piece reads in the middle; less is off the middle, or worn
# How far off the middle the neighbours may see a piece: sensors differ by a tenth, which looks like
# 2 mm between two of them.
OFF_MM = 4.0
MOST_MM = 15.0
CENTRED = 0.85  # of the usual reading: four millimetres off the middle is less
STEP_MM = 4.0  # over which the neighbours' change is taken for straight
RECHECK = 6  # places measured when the first ones are looked at again
KNOWN = 3  # readings that make a median


def of_place(profile: Profile, place: int, what: Message, mt: float = 0.0) -> Message:
    """``what`` of the table above, said of a place, with its reading where that is told."""
    return Message(what.template, {"place": profile.places[place], "mt": mt})


def piece(magnet: Magnet) -> Message:
    """A strong piece, by its magnet."""
    if magnet is Magnet.N_STRONG:
        return text("a strong piece, north down (the first player's)")
    return text("a strong piece, south down (the second player's)")


def put_here(
    profile: Profile, place: int, magnet: Magnet | None, *, carried: bool, same: bool
) -> Message:
    """Where the piece goes next. ``carried``: it is on the plate; ``same``: it was before."""
    name = profile.places[place]
    if carried:
        return text("Slide or carry it on to {place}, to the middle.", place=name)
    if same and magnet is None:
        return text("Put the same strong piece as before on the middle of {place}.", place=name)
    return text(
        "Put {piece} on the middle of {place}, and no other piece on the plate.",
        piece=piece(magnet or Magnet.S_STRONG),
        place=name,
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """``at``: the place to be lit. ``why``: what is wrong, None if nothing is.

    ``doubt``: what it would be if it were right all the same, for somebody to say so; None: it
    cannot be.
    """

    at: int
    why: Message | None = None
    doubt: Message | None = None


class PlaceJudge:
    """Judges readings of one table."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._measures = profile.capabilities.measures
        near, far = (
            field_mt(STRONG, profile.gap_mm, profile.pitch_mm + away)
            for away in (-STEP_MM, STEP_MM)
        )
        self._slope_mt_mm = (near - far) / (2 * STEP_MM)

    def strong(
        self,
        progress: Progress,
        place: int,
        magnet: Magnet | None,
        wire: int,
        means: Sequence[float],
    ) -> Verdict:
        """The strong piece that is carried about. ``wire``: the input that reacts most; ``means``:
        changes of every input from the empty plate in mT; ``magnet``: as in ``Task``.
        """
        reading = means[wire]
        elsewhere = self._elsewhere(progress, place, wire)
        if elsewhere is not None:
            return elsewhere
        for second, mt in enumerate(means):
            if second != wire and abs(mt) >= PRESENT_MT:
                return self._refused(second, TWO_PIECES)
        verdict = self._pole(progress, place, magnet, reading)
        if verdict is not None or not self._measures:
            return verdict or Verdict(place)
        known = [abs(mt) for i, mt in progress.own_mt.items() if i != place]
        usual = median(known) if len(known) >= KNOWN else None
        right = STANDS_RIGHT
        if abs(reading) < (STRONG_FROM_MT if usual is None else UNLIKE[0] * usual):
            hardly = usual is None or abs(reading) < HARDLY[0] * usual
            return self._refused(place, TOO_WEAK, reading, None if hardly else right)
        if usual is not None and abs(reading) > UNLIKE[1] * usual:
            hardly = abs(reading) > HARDLY[1] * usual
            return self._refused(place, TOO_STRONG, reading, None if hardly else right)
        expected = usual or STRONG.centred_mt
        if abs(reading) < CENTRED * expected:
            off_mm = self._off_mm(progress, place, means, expected)
            if off_mm is not None:
                return Verdict(place, self._off_the_middle(place, *off_mm), right)
        return Verdict(place)

    def _off_the_middle(self, place: int, east_mm: float, north_mm: float) -> Message:
        profile = self._profile
        row, column = divmod(place, profile.columns)
        if abs(east_mm) > abs(north_mm):
            column += -1 if east_mm > 0 else 1
        else:
            row += -1 if north_mm > 0 else 1
        return text(
            "The piece on {place} stands some {mm:.0f} mm off the middle. Move it toward {back}.",
            place=profile.places[place],
            mm=hypot(east_mm, north_mm),
            back=profile.places[row * profile.columns + column],
        )

    def weak(self, progress: Progress, place: int, wire: int, means: Sequence[float]) -> Verdict:
        """A weak piece, either pole down."""
        reading = means[wire]
        if wire != progress.input_of(place):
            return Verdict(progress.place_of(wire), self._reacts_not(place, wire))
        for second, mt in enumerate(means):
            if second != wire and abs(mt) >= PRESENT_MT:
                return self._refused(second, TWO_PIECES)
        if abs(reading) >= STRONG_FROM_MT:
            return self._refused(place, NO_WEAK_ONE, reading)
        share = abs(progress.own_mt[place]) / STRONG.centred_mt
        if abs(reading) < LEAST_WEAK * WEAK.centred_mt * share:
            return self._refused(place, TOO_WEAK, reading, STANDS_RIGHT)
        return Verdict(place)

    def unlike(self, progress: Progress) -> list[int]:
        """Places measured before there was a usual reading that are far from it, and of which
        nobody has said that they are right.
        """
        if not self._measures or len(progress.own_mt) != RECHECK:
            return []
        known = {i: abs(mt) for i, mt in progress.own_mt.items()}
        low, high = (share * median(known.values()) for share in UNLIKE)
        return [i for i, mt in known.items() if not low <= mt <= high and i not in progress.sure]

    def _refused(
        self, at: int, why: Message, reading: float = 0.0, doubt: Message | None = None
    ) -> Verdict:
        return Verdict(at, of_place(self._profile, at, why, abs(reading)), doubt)

    def _elsewhere(self, progress: Progress, place: int, wire: int) -> Verdict | None:
        """An input may answer for a place unless it is known to be another's. Its own is believed
        at once: then the other place was carried wrongly, and is asked for again.
        """
        known = progress.inputs.get(place)
        holder = next((i for i, known in progress.inputs.items() if known == wire), None)
        if wire == known or (known is None and (holder is None or wire == place)):
            return None
        asks = known is None and holder != wire
        why = self._reacts_not(place, wire)
        return Verdict(progress.place_of(wire), why, STANDS_RIGHT if asks else None)

    def _reacts_not(self, place: int, wire: int) -> Message:
        """An input that is known to be another place's."""
        names = self._profile.places
        return text(
            "{there} reacts, not {place}. Put the piece on {place}.",
            place=names[place],
            there=names[wire],
        )

    def _pole(
        self, progress: Progress, place: int, magnet: Magnet | None, reading: float
    ) -> Verdict | None:
        """Whether it sees the other pole than was asked for, or than the places before saw."""
        profile = self._profile
        if self._measures:
            others = [mt for i, mt in progress.own_mt.items() if i != place]
            expected = sum(mt > 0 for mt in others) * 2 >= len(others)
        else:
            expected = SIGN_OF[magnet or Magnet.S_STRONG] > 0
            if magnet is Magnet.S_STRONG and place in progress.own_mt:
                expected = progress.own_mt[place] < 0
        if (reading > 0) == expected:
            return None
        why = text(
            "{place} sees the other pole. If the piece was turned over, turn it back: {piece}. If"
            " not, that sensor looks down, and the table can read it so.",
            place=profile.places[place],
            piece=piece(magnet or Magnet.S_STRONG),
        )
        return Verdict(place, why, of_place(profile, place, LOOKS_DOWN))

    def _off_mm(
        self, progress: Progress, place: int, means: Sequence[float], strength_mt: float
    ) -> tuple[float, float] | None:
        """Where the neighbours on both sides see the piece, mm east and north of the middle, if
        that is too far: a sensor that it comes nearer to reads more of the other pole. Only those
        whose input and polarity are known are asked.
        """
        profile, inputs = self._profile, progress.inputs
        row, column = divmod(place, profile.columns)
        straight = all(index == wire for index, wire in inputs.items())
        away = []
        for at, count, step in ((column, profile.columns, 1), (row, profile.rows, profile.columns)):
            sides = (place - step, place + step)
            known = all((straight or i in inputs) and i not in progress.broken for i in sides)
            if not 0 < at < count - 1 or not known:
                away.append(0.0)
                continue
            one, other = (
                means[inputs.get(i, i)] * (1 if progress.own_mt.get(i, means[place]) > 0 else -1)
                for i in sides
            )
            mm = (other - one) / 2 / self._slope_mt_mm * STRONG.centred_mt / strength_mt
            away.append(mm if abs(mm) < MOST_MM else 0.0)  # beyond: steel, or a sensor that lies
        return (away[0], away[1]) if max(map(abs, away)) > OFF_MM else None
