"""Results of checks with their remedies, and a health map of the calibrated sensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Any

from tiltboard.drivers.errors import PartError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.bands import EMPTY_MT
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.firmware_host.perception.field import WEAK, shape
from tiltboard.firmware_host.perception.scan_history import AVERAGED
from tiltboard.firmware_host.table.sight import SensorFault
from tiltboard.ground.errors import TiltboardError

BUS = "parts"  # Subject of a finding about a whole bus rather than one part.
# Maximum distance in mm between a piece and the centre of its place (placement tolerance in
# docs/add-a-board.md).
TOLERANCE_MM = 5.0
SIGMAS = 3.0
NOISY_TIMES = 3.0
UNLIKE = 0.25
POOR_MT = 0.3
MIN_NOISE_MT = 0.01


class FindingState(StrEnum):
    """The severity of a finding. Only a problem prevents the table from being used."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


def subject_of(name: str) -> Message:
    """Return the name of a finding's subject as shown to people."""
    return _SUBJECTS.get(name) or Message(name)


_SUBJECTS = {
    "calibration": text("calibration"),
    "clock": text("clock"),
    "computer": text("Pi"),
    "devices": text("devices"),
    "disk": text("disk"),
    "engines": text("engines"),
    "hardware": text("hardware"),
    "journal": text("journal"),
    "lights": text("lights"),
    "packages": text("packages"),
    "parts": text("parts"),
    "service": text("service"),
    "settings": text("settings"),
    "state": text("state"),
    "supply": text("supply"),
    "table": text("table"),
    "hall": text("sensors"),
    "imu": text("tilt sensor"),
    "panel": text("buttons"),
}


LISTED = 8  # Maximum number of places named in one finding.


def join_names(names: Sequence[str]) -> str:
    """Return the names on one line. If there are more than eight names, dots replace the names
    after the eighth.
    """
    return ", ".join([*names[:LISTED], *["..."] * (len(names) > LISTED)])


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check. ``subject`` is one word; a part of the table has the same name as in the
    faults of tiltboard.drivers.frame.Frame. ``remedy`` is None if no action is needed.
    """

    subject: str
    state: FindingState
    found: Message
    remedy: Message | None = None

    def plain(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {
            "subject": self.subject,
            "state": str(self.state),
            "found": str(self.found),
            "remedy": None if self.remedy is None else str(self.remedy),
        }


def ok(subject: str, found: Message) -> Finding:
    """Return a finding for a check that found no fault."""
    return Finding(subject, FindingState.OK, found)


def note(subject: str, found: Message, remedy: Message | None = None) -> Finding:
    """Return a finding about a useful fact that does not require a repair."""
    return Finding(subject, FindingState.NOTE, found, remedy)


def problem(subject: str, found: Message, remedy: Message) -> Finding:
    """Return a finding for a fault that must be repaired."""
    return Finding(subject, FindingState.PROBLEM, found, remedy)


def of_error(subject: str, error: TiltboardError) -> Finding:
    """Return a finding that describes an error and its remedy as a problem."""
    remedy = Message(error.remedy_template, error.params) if error.remedy_template else None
    return Finding(subject, FindingState.PROBLEM, Message(error.template, error.params), remedy)


def of_faults(faults: Iterable[tuple[str, PartError]]) -> list[tuple[Finding, PartError]]:
    """Group the faults by cause, and return one problem for each cause, described by its first
    fault. Parts on the same I2C bus that do not answer have the same cause. Faults with the same
    text also have the same cause.
    """
    known = list(faults)
    silent = Counter(fault.params["bus"] for _, fault in known if fault.params.get("nobody"))
    found: dict[str, tuple[Finding, PartError]] = {}
    for name, fault in known:
        problem_of = of_error(name, fault)
        bus = fault.params.get("bus")
        if fault.params.get("nobody") and silent[bus] > 1:
            problem_of = problem(BUS, Message(_NO_ANSWER.template, {"bus": bus}), _SHARED)
        found.setdefault(str(problem_of.found), (problem_of, fault))
    return [*found.values()]


_NO_ANSWER = text("Nothing answers on I2C bus {bus}.")
_SHARED = text(
    "Check what its parts share: 3.3 V, ground, and the wires of SDA and SCL at the Pi. With a"
    " multimeter, both are at 3.3 V while nothing is read; 0 V: a broken wire, or a short."
)


@dataclass(frozen=True, slots=True)
class Health:
    """The measurements and the condition of one place."""

    place: str
    noise_mt: float = 0.0
    reading_mt: float = 0.0
    """Reading in mT of a piece with a strong magnet in the centre of the place."""
    margin_mt: float = 0.0
    """Difference in mT between the reading of the weakest piece and the threshold of the next lower
    magnet class. The piece is assumed to be 5 mm off centre, and three standard deviations of noise
    are subtracted.
    """
    remedy: Message | None = None
    """The reason why the sensor needs attention, and what to do, or None if the sensor is good."""

    @property
    def poor(self) -> bool:
        """True if the place's sensor needs attention."""
        return self.remedy is not None


def left_out(calibration: Calibration) -> frozenset[int]:
    """Return the indices of the places that were excluded from the measurement because their
    sensors are broken.
    """
    return frozenset(index for index, why in calibration.failed if why is SensorFault.LEFT_OUT)


def worth_a_look(profile: Profile, calibration: Calibration) -> list[Message]:
    """Return the remedies for individual places that need attention. This also works for tables
    with switches instead of Hall sensors.
    """
    found = health_map(profile, calibration) or [
        _unread(profile.places[index]) for index in sorted(left_out(calibration))
    ]
    return [each.remedy for each in found if each.remedy is not None]


def _unread(place: str) -> Health:
    mend = text(
        "The table does not read {place}. Fix its sensor, then measure it:"
        " tiltboard bringup --again {place}",
        place=place,
    )
    return Health(place, remedy=mend)


def health_map(profile: Profile, calibration: Calibration | None) -> list[Health]:
    """Return the health of each place in index order. The result is empty for a table with
    switches, and for a table that was not calibrated with magnets.
    """
    if not profile.measures or calibration is None or not calibration.carried_mt:
        return []
    edge_mt = calibration.weak_mt[0][0] * shape(WEAK, profile.gap_mm, TOLERANCE_MM)
    noisy_mt = NOISY_TIMES * max(median(calibration.noise_mt), MIN_NOISE_MT)
    found = []
    for index, place in enumerate(profile.places):
        if index in left_out(calibration):
            found.append(_unread(place))
            continue
        noise, gain = calibration.noise_mt[index], abs(calibration.gain[index])
        margin = edge_mt - EMPTY_MT - SIGMAS * noise * gain / AVERAGED**0.5
        why = None
        if noise > noisy_mt:
            why = text(
                "{place} is noisy. Check its solder joints and the capacitor at its supply.",
                place=place,
            )
        elif gain - 1 > UNLIKE:
            why = text(
                "{place} reads little. If the piece stood on the middle, the sensor sits too deep;"
                " else measure the place again.",
                place=place,
            )
        elif 1 / gain - 1 > UNLIKE:
            why = text(
                "{place} reads much. If it was the same piece, the sensor sits too high; else"
                " measure the place again.",
                place=place,
            )
        elif margin < POOR_MT:
            why = text(
                "The margin on {place} is small: pieces may be unsure there. Pieces whose magnets"
                " are weaker than the others' are the likeliest cause.",
                place=place,
            )
        found.append(Health(place, noise, calibration.carried_mt / gain, margin, why))
    return found


def health_table(
    profile: Profile, found: Sequence[Health], say: Callable[[Message], str]
) -> Iterator[str]:
    """Yield lines for the terminal: the plate from above with readings, noise and margins in mT.
    ``!`` marks a place that needs attention. ``say`` translates messages.
    """
    if not found:
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
