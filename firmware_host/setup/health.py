"""What a calibration has found out: the file that perception reads, and a map of the sensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

import msgspec

from drivers.attitude import gravity_tilt
from drivers.mounting import FLAT
from firmware_host.messages import Message, text
from firmware_host.perception.bands import EMPTY_MT, STRONG_MT
from firmware_host.perception.calibration import LEFT_OUT, Calibration, Kernel, uncalibrated
from firmware_host.perception.field import STRONG, WEAK, shape
from firmware_host.perception.history import AVERAGED
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.setup.mounting import mounting_of
from firmware_host.setup.progress import Progress

TOLERANCE_MM = 5.0  # HARDWARE, pieces and the field: placement tolerance
REACH = 2  # places each way whose sensors feel a strong piece
FAR_SHARES = (0.6, 1.5)  # beyond, the fit is no measurement
SIGMAS = 3.0
NOISY_TIMES = 3.0
UNLIKE = 0.25
POOR_MT = 0.3
LEAST_NOISE_MT = 0.01
LEAST_GAIN, MOST_GAIN = 0.5, 2.0  # perception.calibration.Gain


class Why(StrEnum):
    """What is not as it should be with a place. FAINT: it reads little of the same magnet.
    LEFT_OUT: somebody has said that its sensor is broken, and nothing has been measured.
    """

    FINE = "fine"
    NOISY = "noisy"
    FAINT = "faint"
    LOUD = "loud"
    SCANT = "scant"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Health:
    """One place. ``reading_mt``: of the strong piece in the middle. ``margin_mt``: how far the
    weakest piece, 5 mm off the middle and with three sigmas of noise against it, stays from
    being taken for the class below. ``why`` it is worth a look at that sensor.
    """

    place: str
    noise_mt: float
    reading_mt: float
    margin_mt: float
    why: Why

    @property
    def poor(self) -> bool:
        """It is worth a look."""
        return self.why is not Why.FINE


def far_share(
    nominal: Calibration,
    profile: Profile,
    progress: Progress,
    place: int,
    means: Sequence[float],
) -> tuple[float, float]:
    """What the neighbours read against the model: sums of reading x model, and of model squared."""
    row, column = divmod(place, profile.columns)
    sign = 1.0 if means[place] > 0 else -1.0
    products = squares = 0.0
    for index, reading in enumerate(means):
        down, across = abs(index // profile.columns - row), abs(index % profile.columns - column)
        if index != place and max(down, across) <= REACH and index not in progress.broken:
            model = nominal.strong_mt[down][across]
            products += sign * reading * model
            squares += model * model
    return products, squares


def calibration_of(profile: Profile, progress: Progress, made_s: float) -> Calibration:
    """The calibration that a whole ``progress`` amounts to."""
    nominal = uncalibrated(profile)
    size = profile.size
    found = msgspec.structs.replace(
        nominal,
        offset_mt=tuple(progress.offset_mt),
        zeroed=tuple(index not in progress.broken for index in range(size)),
        noise_mt=tuple(progress.noise_mt),
        made_s=made_s,
        failed=tuple((index, LEFT_OUT) for index in sorted(progress.broken)),
    )
    if progress.level is not None:
        lies = mounting_of(progress.level, progress.edges) or FLAT
        level_rad = gravity_tilt(lies.on_plate(progress.level))
        found = msgspec.structs.replace(
            found, level_rad=level_rad, mounting=(lies.east, lies.north, lies.up)
        )
    if not profile.capabilities.measures:
        return found
    usual = median(abs(mt) for mt in progress.own_mt if mt is not None)
    gain = tuple(
        1.0 if mt is None else min(max(usual / abs(mt), LEAST_GAIN), MOST_GAIN)
        for mt in progress.own_mt
    )
    far, near = _far(progress), usual / STRONG.centred_mt
    ratio = far / near
    strong_mt = _strength(progress, gain, (Magnet.N_STRONG, Magnet.S_STRONG), usual)
    weak_mt = _strength(progress, gain, (Magnet.N_WEAK, Magnet.S_WEAK), WEAK.centred_mt)
    return msgspec.structs.replace(
        found,
        gain=gain,
        strong_mt=_scaled(nominal.strong_mt, strong_mt / STRONG.centred_mt, ratio),
        weak_mt=_scaled(nominal.weak_mt, weak_mt / WEAK.centred_mt, ratio),
        carried_mt=usual,
        weak_pieces=any(kind in progress.strengths for kind in ("N-weak", "S-weak")),
    )


def left_out(calibration: Calibration) -> frozenset[int]:
    """Places whose sensors were said to be broken, and were not measured."""
    return frozenset(index for index, why in calibration.failed if why == LEFT_OUT)


def worth_a_look(profile: Profile, calibration: Calibration) -> list[Message]:
    """What is to be said about single places, switches too."""
    found = health_map(profile, calibration) or [
        Health(profile.places[index], 0.0, 0.0, 0.0, Why.LEFT_OUT)
        for index in sorted(left_out(calibration))
    ]
    return [why for why in map(remedy, found) if why is not None]


def health_map(profile: Profile, calibration: Calibration | None) -> list[Health]:
    """Every place in index order. Empty for a table of switches, or one that has not been
    calibrated with magnets.
    """
    if not profile.capabilities.measures or calibration is None or not calibration.carried_mt:
        return []
    weak_too = calibration.weak_pieces
    disc, least_mt = (WEAK, EMPTY_MT) if weak_too else (STRONG, STRONG_MT)
    kernel = calibration.weak_mt if weak_too else calibration.strong_mt
    edge_mt = kernel[0][0] * shape(disc, profile.gap_mm, TOLERANCE_MM)
    usual_noise = median(calibration.noise_mt)
    found = []
    broken = left_out(calibration)
    for index, place in enumerate(profile.places):
        if index in broken:
            found.append(Health(place, 0.0, 0.0, 0.0, Why.LEFT_OUT))
            continue
        noise, gain = calibration.noise_mt[index], calibration.gain[index]
        margin = edge_mt - least_mt - SIGMAS * noise * gain / AVERAGED**0.5
        why = Why.FINE
        if noise > NOISY_TIMES * max(usual_noise, LEAST_NOISE_MT):
            why = Why.NOISY
        elif gain - 1 > UNLIKE:
            why = Why.FAINT
        elif 1 / gain - 1 > UNLIKE:
            why = Why.LOUD
        elif margin < POOR_MT:
            why = Why.SCANT
        found.append(Health(place, noise, calibration.carried_mt / gain, margin, why))
    return found


def remedy(health: Health) -> Message | None:
    """What is wrong with a place that is worth a look, and what to do; None for a good one."""
    match health.why:
        case Why.FINE:
            return None
        case Why.NOISY:
            return text(
                "{place} is noisy. Check its solder joints and the capacitor at its supply.",
                place=health.place,
            )
        case Why.FAINT:
            return text(
                "{place} reads little. If the piece stood on the middle, the sensor sits too deep;"
                " else measure the place again.",
                place=health.place,
            )
        case Why.LOUD:
            return text(
                "{place} reads much. If it was the same piece, the sensor sits too high; else"
                " measure the place again.",
                place=health.place,
            )
        case Why.LEFT_OUT:
            return text(
                "{place} was left out, and is not read. Mend its sensor, then measure it:"
                " tiltboard calibrate --again {place}",
                place=health.place,
            )
        case Why.SCANT:
            return text(
                "The margin on {place} is small: pieces may be unsure there. Pieces whose magnets"
                " are weaker than the others' are the likeliest cause.",
                place=health.place,
            )


def health_table(
    profile: Profile, found: Sequence[Health], say: Callable[[Message], str]
) -> Iterator[str]:
    """For the terminal: the plate from above, readings in mT, then noise; ``!`` marks a place that
    is worth a look. ``say``: translates.
    """
    if not found:
        yield say(text("Every place answers to both poles."))
        return
    columns: tuple[tuple[Message, list[str]], ...] = (
        (text("A strong piece in the middle, mT:"), [f"{h.reading_mt:.1f}" for h in found]),
        (text("Noise, mT:"), [f"{h.noise_mt:.3f}" for h in found]),
        (text("Margin of the weakest piece, mT:"), [f"{h.margin_mt:.2f}" for h in found]),
    )
    for title, values in columns:
        yield say(title)
        for row in reversed(range(profile.rows)):
            line = range(row * profile.columns, (row + 1) * profile.columns)
            cells = "".join(f"{values[i] + ('!' if found[i].poor else ' '):>8}" for i in line)
            yield f"{row + 1:>4} {cells}"
        letters = (chr(ord("a") + column) for column in range(profile.columns))
        yield "     " + "".join(f"{letter + ' ':>8}" for letter in letters)


def _far(progress: Progress) -> float:
    products, squares = progress.far
    near = median(abs(mt) for mt in progress.own_mt if mt is not None) / STRONG.centred_mt
    if squares <= 0:
        return near
    low, high = FAR_SHARES
    return min(max(products / squares, low * near), high * near)


def _strength(
    progress: Progress, gain: Sequence[float], kinds: Sequence[Magnet], otherwise_mt: float
) -> float:
    readings = [
        abs(mt) * gain[int(index)]
        for kind in kinds
        for index, mt in progress.strengths.get(kind.value, {}).items()
    ]
    return fmean(readings) if readings else otherwise_mt


def _scaled(kernel: Kernel, own: float, ratio: float) -> Kernel:
    """``own``: factor of the magnet's own reading; ``ratio``: of the others' against it."""
    return tuple(
        tuple(mt * own * (1.0 if down == across == 0 else ratio) for across, mt in enumerate(line))
        for down, line in enumerate(kernel)
    )
