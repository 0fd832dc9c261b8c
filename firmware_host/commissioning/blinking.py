"""A test of the lights together with the sensors: all lights alternate between white and dark while
the sensors are read.

The current of the lights must not shift the sensors' readings, and every frame must reach the
lights unchanged. White light is the highest electrical load in any game. No other test on the table
checks the supply and the ground wiring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from msgspec import structs

from tiltboard.firmware_host.commissioning.findings import Finding, problem
from tiltboard.firmware_host.commissioning.placing import OFF_SCALE_MT
from tiltboard.firmware_host.commissioning.progress import Progress
from tiltboard.firmware_host.commissioning.tasks import (
    Asking,
    SweepStep,
    TaskAnswer,
    TaskChoice,
    TaskLight,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import text

PHASE_S = 1.0  # Duration of each phase, white or dark, in seconds.
# Time in seconds for which readings are ignored at the start of a phase, because lights, supply and
# sensors must settle.
SETTLED_S = 0.3
PHASES = 4
# Maximum mean shift of a row and maximum shift of one place, in mT. If the lights of a row are fed
# from both ends, most of the magnetic field of their current cancels (0.13 mT remain at 2 A). The
# limit for one place is half of an empty place's maximum reading.
MAX_ROW_MT = 0.05
MAX_PLACE_MT = 0.3
# If the shift grows from the first row or column to the last by at least this fraction of the mean
# shift, the wiring is the likely cause. A shift that increases linearly from zero grows by 1 over
# three rows, and by 1.6 over ten rows.
GROWS_SHARE = 0.75

YES = TaskChoice(TaskAnswer.YES, text("Yes"))
FLICKER = TaskChoice(TaskAnswer.FLICKER, text("Some flicker, or are not white"))
GLOW = TaskChoice(TaskAnswer.GLOW, text("Some glow while the others are dark"))

Means = tuple[float, ...]


def blinking(profile: Profile, progress: Progress) -> Asking:
    """Blink all lights, and ask the user whether all of them look the same. The shifts of the
    sensors' readings are measured at the same time.

    The possible answers appear after the sensors have been read in all phases.
    """
    say = text(
        "All lights turn white and dark in turn. Look for some seconds: is each one as white as the"
        " others, steady, and quite dark in between?"
    )
    white = dict.fromkeys(range(profile.size), TaskLight.BRIGHT)
    readings: dict[bool, list[Sequence[float]]] = {False: [], True: []}
    began_s: float | None = None
    step, value = SweepStep(say, lights=white), None
    while value is None:
        frame, value = yield step
        began_s = frame.time_s if began_s is None else began_s
        number, since_s = divmod(frame.time_s - began_s, PHASE_S)
        is_white = number % 2 == 0
        if since_s >= SETTLED_S and frame.field_mt:
            readings[is_white].append(frame.field_mt)
        choices = (YES, FLICKER, GLOW) if number >= PHASES else ()
        step = SweepStep(say, lights=white if is_white else {}, choices=choices)
    shifts = _shifts(readings[True], readings[False]) if profile.measures else ()
    yield SweepStep(say, known=structs.replace(progress, blink=value, lit_mt=shifts))


def _shifts(white: Sequence[Sequence[float]], dark: Sequence[Sequence[float]]) -> Means:
    """Return each input's mean with white lights minus its mean with dark lights, in mT. The result
    is empty if the sensors were not read, and 0 for an input that is outside its measuring range.
    """
    if not white or not dark:
        return ()
    means = (map(fmean, zip(*scans, strict=True)) for scans in (white, dark))
    return tuple(
        0.0 if max(abs(lit), abs(unlit)) > OFF_SCALE_MT else lit - unlit
        for lit, unlit in zip(*means, strict=True)
    )


def lit_findings(profile: Profile, progress: Progress) -> Iterator[Finding]:
    """Yield the faults that were found while all lights blinked."""
    if progress.blink == TaskAnswer.FLICKER:
        yield problem(
            "lights",
            text("Some lights flicker, or are not white when all should be."),
            text(
                "If those far from the feed are yellow or red, feed 5 V and ground into both ends"
                " of each row. Otherwise the data line is too weak: use a 74AHCT125, not a"
                " 74HC125, with 5 V at its supply, its enable pin at ground, and a short data"
                " wire beside a ground wire."
            ),
        )
    if progress.blink == TaskAnswer.GLOW:
        yield problem(
            "lights",
            text("Some lights glow when all should be dark."),
            text(
                "The Pi sends the lights' bits with gaps. Ask tiltboard doctor about config.txt,"
                " update the Pi (sudo apt full-upgrade), and take out options of spi_bcm2835 in"
                " /etc/modprobe.d. If it stays, check the ground wire beside the data wire."
            ),
        )
    yield from _shifted(profile, progress)


def _shifted(profile: Profile, progress: Progress) -> Iterator[Finding]:
    """Yield the likely cause if the current of the lights shifts the sensors' readings.

    If the current flows through the sensors' ground, the shift grows along the ground wire. If the
    supply voltage falls, all readings become lower by the same amount. Otherwise, the cause is the
    magnetic field of the current.
    """
    if not progress.lit_mt:
        return
    shift_mt = [0.0] * profile.size
    for wire, mt in enumerate(progress.lit_mt):
        shift_mt[progress.place_of(wire)] = mt
    rows = [
        fmean(shift_mt[at : at + profile.columns]) for at in range(0, profile.size, profile.columns)
    ]
    columns = [fmean(shift_mt[at :: profile.columns]) for at in range(profile.columns)]
    worst = max(range(profile.size), key=lambda place: abs(shift_mt[place]))
    mean_mt, most_mt, at = fmean(shift_mt), abs(shift_mt[worst]), profile.places[worst]
    if max(map(abs, rows)) < MAX_ROW_MT and most_mt < MAX_PLACE_MT:
        return
    grows_mt = max(abs(each[-1] - each[0]) for each in (rows, columns))
    if grows_mt > GROWS_SHARE * abs(mean_mt):
        yield problem(
            "sensors",
            text(
                "The sensors' readings shift by up to {mt:.2f} mT when all lights are white, most"
                " at {place}: the lights' current flows through the sensors' ground.",
                mt=most_mt,
                place=at,
            ),
            text(
                "With a multimeter, while the lights blink: less than 5 mV between the sensors'"
                " ground at {place} and that at the converter. If it is more, lead the lights'"
                " ground to the star point by wires of its own, as thick as report.md says, and"
                " join it to the sensors' ground nowhere else.",
                place=at,
            ),
        )
    elif mean_mt < 0:
        yield problem(
            "sensors",
            text(
                "All sensors read {mt:.2f} mT less when all lights are white: the sensors' supply"
                " falls.",
                mt=-mean_mt,
            ),
            text(
                "With a multimeter, while the lights blink: a steady 3.3 V at the sensors, and the"
                " same at the converter's VREF. If it falls, feed the sensors' regulator by its"
                " own pair of wires from the supply, thicker or shorter ones; VREF belongs to the"
                " same regulator."
            ),
        )
    else:
        yield problem(
            "sensors",
            text(
                "The sensors' readings shift by up to {mt:.2f} mT when all lights are white, most"
                " at {place}: they feel the current in the lights' wires.",
                mt=most_mt,
                place=at,
            ),
            text(
                "Feed 5 V and ground into both ends of each row of lights, lay the two wires of"
                " each feed side by side or twist them, and keep them away from the sensors. With"
                " a multimeter, while the lights blink: less than 5 mV between the sensors' ground"
                " and that of the supply."
            ),
        )
