"""What a calibration has found out: the file that perception reads, and a map of the sensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from firmware_host.perception.bands import EMPTY_MT, STRONG_MT
from firmware_host.perception.calibration import Calibration, Kernel, uncalibrated
from firmware_host.perception.field import STRONG, WEAK, shape
from firmware_host.perception.history import AVERAGED
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.setup.progress import Progress

TOLERANCE_MM = 5.0  # HARDWARE, pieces and the field: placement tolerance
REACH = 2  # places each way whose sensors feel a strong piece
FAR_SHARES = (0.6, 1.5)  # beyond, the fit is no measurement
SIGMAS = 3.0
NOISY_TIMES = 3.0
UNLIKE = 0.25
POOR_MT = 0.3


@dataclass(frozen=True, slots=True)
class Health:
    """One place. ``reading_mt``: of the strong piece in the middle. ``margin_mt``: how far the
    weakest piece, 5 mm off the middle and with three sigmas of noise against it, stays from
    being taken for the class below. ``poor``: worth a look at that sensor.
    """

    place: str
    noise_mt: float
    reading_mt: float
    margin_mt: float
    poor: bool


def far_share(
    nominal: Calibration, profile: Profile, place: int, means: Sequence[float]
) -> tuple[float, float]:
    """What the neighbours read against the model: sums of reading x model, and of model squared."""
    row, column = divmod(place, profile.columns)
    sign = 1.0 if means[place] > 0 else -1.0
    products = squares = 0.0
    for index, reading in enumerate(means):
        down, across = abs(index // profile.columns - row), abs(index % profile.columns - column)
        if index != place and max(down, across) <= REACH:
            model = nominal.strong_mt[down][across]
            products += sign * reading * model
            squares += model * model
    return products, squares


def calibration_of(profile: Profile, progress: Progress, made_s: float) -> Calibration:
    """The calibration that a whole ``progress`` amounts to."""
    nominal = uncalibrated(profile)
    size = profile.size
    gain = [1.0] * size
    strong, weak = nominal.strong_mt, nominal.weak_mt
    if profile.capabilities.measures:
        own = [abs(mt) for mt in progress.own_mt if mt is not None]
        usual = median(own)
        gain = [usual / reading for reading in own]
        far, near = _far(progress), usual / STRONG.centred_mt
        ratio = far / near
        strong_mt = _strength(progress, gain, (Magnet.N_STRONG, Magnet.S_STRONG), usual)
        weak_mt = _strength(progress, gain, (Magnet.N_WEAK, Magnet.S_WEAK), WEAK.centred_mt)
        strong = _scaled(strong, strong_mt / STRONG.centred_mt, ratio)
        weak = _scaled(weak, weak_mt / WEAK.centred_mt, ratio)
    return Calibration(
        format=1,
        profile=profile.name,
        offset_mt=tuple(progress.offset_mt),
        gain=tuple(gain),
        zeroed=(True,) * size,
        strong_mt=strong,
        weak_mt=weak,
        level_rad=progress.level_rad,
        made_s=made_s,
    )


def health_map(profile: Profile, progress: Progress) -> list[Health]:
    """Every place of a whole calibration, in index order. Empty for a table of switches."""
    if not profile.capabilities.measures:
        return []
    calibration = calibration_of(profile, progress, 0.0)
    weak_too = any(magnet in progress.strengths for magnet in ("N-weak", "S-weak"))
    disc, least_mt = (WEAK, EMPTY_MT) if weak_too else (STRONG, STRONG_MT)
    kernel = calibration.weak_mt if weak_too else calibration.strong_mt
    edge_mt = kernel[0][0] * shape(disc, profile.gap_mm, TOLERANCE_MM)
    usual_noise = median(progress.noise_mt)
    found = []
    for index, place in enumerate(profile.places):
        noise, gain = progress.noise_mt[index], calibration.gain[index]
        margin = edge_mt - least_mt - SIGMAS * noise * gain / AVERAGED**0.5
        poor = (
            margin < POOR_MT
            or abs(gain - 1) > UNLIKE
            or noise > NOISY_TIMES * max(usual_noise, 0.01)
        )
        found.append(Health(place, noise, abs(progress.own_mt[index] or 0.0), margin, poor))
    return found


def health_table(profile: Profile, found: Sequence[Health]) -> Iterator[str]:
    """For the terminal: the plate from above, readings in mT, then noise; ``!`` marks a place that
    is worth a look.
    """
    if not found:
        yield "Every place answers to both poles."
        return
    columns: tuple[tuple[str, list[str]], ...] = (
        ("strong piece in the middle, mT", [f"{h.reading_mt:.1f}" for h in found]),
        ("noise, mT", [f"{h.noise_mt:.3f}" for h in found]),
        ("margin of the weakest piece, mT", [f"{h.margin_mt:.2f}" for h in found]),
    )
    for title, values in columns:
        yield f"{title}:"
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
