"""A simulated table with its drivers and without a game, and the base class of a simulated and a
real bench.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, Self, TypeVar

from tiltboard.drivers.buses import Buses
from tiltboard.drivers.errors import PartError
from tiltboard.drivers.frame import Frame
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import NodeHall
from tiltboard.firmware_host.host.lobby import presets_for, usual_options
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.scenario.trace import Scan, TraceHeader, TraceWriter, layout_of
from tiltboard.firmware_host.table.hands import MAX_OFFSET_MM, MAX_TILT_DEG
from tiltboard.games.registry import HOSTED
from tiltboard.ground.override import override
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import FaultError, SimulationError
from tiltboard.hw_sim.hands import Action
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.testing.subject import (
    ExpectationError,
    NotPossibleHereError,
    Subject,
    condition_on,
    known,
    loaded,
    number,
    verb,
    whole,
)

T = TypeVar("T")
Rgb = tuple[int, int, int]

PIECES = {
    "north": MagnetKind.N_STRONG,
    "south": MagnetKind.S_STRONG,
    "weak-north": MagnetKind.N_WEAK,
    "weak-south": MagnetKind.S_WEAK,
}
"""The pieces that can be put on a bench (a table under test), named by the pole that faces down."""
PARTS = ("hall", "imu", "lights", "panel")
BUTTONS = ("confirm", "back")
HELD_S = 1e6
MAX_WAIT_S = 86_400.0
LET_GO_S = 0.1  # Time in seconds for the contact of a released button to stop bouncing.


def plug_of(profile: Profile, part: str) -> tuple[str, tuple[str, ...]]:
    """Return the simulated fault, with its targets, that corresponds to pulling the plug of a part
    of this table. Raises SimulationError for an unknown part, and NotPossibleHereError if the table
    lacks the part or the part has no plug.
    """
    wired = dict(profile.parts).get(known(part, "part", PARTS))
    if wired is None:
        raise NotPossibleHereError("{profile} has no {part}.", profile=profile.name, part=part)
    if isinstance(profile.hall, NodeHall):
        return ("lights-brownout" if part == "lights" else "node-unplugged"), ()
    if part == "lights":
        return "lights-brownout", ()
    for bus, _ in wired.i2c():
        return "i2c-nack", (str(bus),)
    for need in wired.needs(part, ""):
        spi = re.fullmatch(r"/dev/spidev(\d+)\.(\d+)", need.device)
        if spi is not None:
            return "spi-silent", (f"{spi[1]}.{spi[2]}",)
    raise NotPossibleHereError(
        "{profile}: the {part} is on the Pi's own pins, and has no plug to pull.",
        profile=profile.name,
        part=part,
    )


class AnyBench(Subject, ABC):
    """A table with its drivers, simulated or real. Places are given by name, and angles in
    degrees.
    """

    patience_s = 3.0
    """Default time in seconds that a bench waits for a condition to become true."""
    hands_s = 2.0
    """Time in seconds that a hand takes to tilt the plate."""

    def __init__(self, profile: Profile, buses: Buses, title: str) -> None:
        super().__init__(profile, buses.clock, title)
        self.buses = buses
        """The buses that the drivers use."""
        self.plate: Plate = build_plate(profile, buses)
        """The plate with the drivers of all parts."""
        self._pacer = Pacer(buses.clock, profile.scans_per_s)
        self.frame: Frame | None = None
        """The frame of the last scan, or None before the first scan."""
        self._trace: TraceWriter | None = None
        self.trace: Path | None = None
        """The file to which every scan is written, for ``tiltboard replay``, or None."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the drivers and the trace."""
        self.plate.close()
        if self._trace is not None:
            self._trace.close()
            self._trace = None

    def record(self, path: str | PathLike[str]) -> None:
        """Write every later scan to the file ``path``. Raises OSError."""
        kind = next((each for each in HOSTED.values() if presets_for(each, self.profile)), None)
        if kind is not None:
            options = usual_options(kind, self.profile)
            header = TraceHeader(1, layout_of(self.profile), None, kind.name, options, ())
            self.trace = Path(path)
            self._trace = TraceWriter(self.trace, header)

    # Methods that read the drivers

    def scan(self) -> Frame:
        """Read all parts of the table once, and return the readings as a frame."""
        self.frame = frame = self.plate.scan()
        if self._trace is not None:
            self._trace.write(Scan(frame))
        return frame

    def pace(self) -> None:
        """Wait until the next scan is due."""
        self._pacer.wait()

    @verb
    def advance(self, seconds: float) -> Frame:
        """Scan for ``seconds`` seconds and return the last frame."""
        return self._advance(number(seconds, "seconds", 0.0, MAX_WAIT_S))

    def _advance(self, seconds: float) -> Frame:
        end_s = self.clock.now() + seconds
        frame = self.scan()
        while self.clock.now() < end_s:
            self.pace()
            frame = self.scan()
        return frame

    @verb
    def until(self, condition: Callable[[Frame], object], *, within: float | None = None) -> Frame:
        """Scan until ``condition(frame)`` is true, and return that frame. Raises ExpectationError
        after ``within`` seconds (by default ``patience_s``).
        """
        __tracebackhide__ = True
        condition_on("frame", condition)
        patience_s = self._patience(within)
        end_s = self.clock.now() + patience_s
        frame = self.scan()
        while not condition(frame):
            if self.clock.now() >= end_s:
                raise ExpectationError(
                    "This did not come about within {seconds:g} s; the last scan: {seen}",
                    seconds=patience_s,
                    seen=seen_in(frame),
                )
            self.pace()
            frame = self.scan()
        return frame

    def retry(
        self,
        use: Callable[[], T],
        right: Callable[[T], object] = lambda _: True,
        *,
        within: float | None = None,
    ) -> T:
        """Call ``use`` once per scan period until it raises no PartError and ``right`` accepts the
        result. Return the result. Raises ExpectationError after ``within`` seconds (by default
        ``patience_s``).
        """
        __tracebackhide__ = True
        patience_s, last = self._patience(within), "nothing"
        end_s = self.clock.now() + patience_s
        while self.clock.now() < end_s:
            try:
                value = use()
                if right(value):
                    return value
                last = repr(value)
            except PartError as error:
                last = str(error)
            self.pace()
        raise ExpectationError(
            "This did not come about within {seconds:g} s; last: {last}",
            seconds=patience_s,
            last=last,
        )

    def _patience(self, within: float | None) -> float:
        return number(self.patience_s if within is None else within, "within", 0.0, MAX_WAIT_S)

    def field_mt(self, place: str) -> float:
        """Scan, and return the magnetic field at the sensor under a place, in mT. A south pole
        gives a positive value. Raises SimulationError if the sensors do not answer.
        """
        index, frame = self.index_of(place), self.scan()
        if not frame.field_mt:
            raise SimulationError("The sensors give nothing: {seen}", seen=seen_in(frame))
        return frame.field_mt[index]

    def part(self, name: str) -> Any:
        """Return the driver of a part (hall, imu, lights, panel). Raises NotPossibleHereError if
        the table lacks the part.
        """
        found = getattr(self.plate, known(name, "part", PARTS))
        if found is None:
            raise NotPossibleHereError("{table} has no {part}.", table=self.profile.name, part=name)
        return found

    def cut_off(self, error: OSError | ImportError) -> Plate:
        """Return a new plate with the bench's profile. The buses of the new plate fail to open with
        the error ``error``.
        """
        return build_plate(self.profile, _NoBuses(self.clock, error))  # type: ignore[arg-type]

    # Methods that act on the table as a person's hands do.

    @abstractmethod
    def clear(self) -> None:
        """Remove every piece from the plate."""

    @abstractmethod
    def put(self, piece: str, place: str, *, east_mm: float = 0.0, north_mm: float = 0.0) -> None:
        """Put a piece (one of ``PIECES``) on a place, at the given distances from the middle of the
        place.
        """

    @abstractmethod
    def take(self, place: str) -> None:
        """Remove the piece from a place."""

    @abstractmethod
    def tilt(self, *, x_deg: float = 0.0, y_deg: float = 0.0, wait: bool = True) -> None:
        """Tilt the plate and keep it tilted. A positive ``x_deg`` lowers the south side, and a
        positive ``y_deg`` the east side. If ``wait`` is false, the method returns immediately, and
        the movement takes ``hands_s`` seconds.
        """

    @abstractmethod
    def hold(self, button: str) -> None:
        """Hold a button down (``confirm`` or ``back``)."""

    @abstractmethod
    def let_go(self, button: str) -> None:
        """Release a button."""

    @abstractmethod
    def unplug(self, part: str) -> None:
        """Pull the plug of a part: hall, imu, lights or panel."""

    @abstractmethod
    def plug_in(self, part: str) -> None:
        """Reconnect the plug of a part."""

    @verb
    def press(self, button: str, *, for_s: float = 0.1) -> None:
        """Press a button for ``for_s`` seconds and release it."""
        known(button, "button", BUTTONS)
        for_s = number(for_s, "for_s", 0.0, MAX_WAIT_S)
        self.hold(button)
        self._advance(for_s)
        self.let_go(button)

    @contextmanager
    def unplugged(self, part: str) -> Iterator[None]:
        """Return a context in which the plug of a part is pulled."""
        self.unplug(part)
        try:
            yield
        finally:
            self.plug_in(part)

    @abstractmethod
    def fault(self, name: str, *targets: str) -> AbstractContextManager[None]:
        """Return a context in which the table has the fault ``name`` (docs/scenarios.md)."""

    # Methods that return the table's outputs: lights, current and sound.

    @abstractmethod
    def lit(self) -> dict[str, Rgb]:
        """Return a mapping from the place of each light that is not dark to the light's colour, as
        red, green and blue from 0 to 255.
        """

    def light(self, place: str) -> Rgb:
        """Return the colour of the light at a place, as red, green and blue from 0 to 255."""
        self.index_of(place)
        return self.lit().get(place, (0, 0, 0))

    @abstractmethod
    def drawn_ma(self) -> float | None:
        """Return the current of the lights in mA, or None if the current is not measured."""

    @abstractmethod
    def sounds(self) -> bool:
        """Return whether the buzzer sounds."""

    def state_lines(self) -> Iterable[str]:
        """Yield lines that describe the last scan and the trace."""
        yield "last scan: " + ("none" if self.frame is None else seen_in(self.frame))
        if self.trace is not None:
            yield f"trace: tiltboard replay {self.trace} --profile {self.profile.name}"


class Bench(AnyBench):
    """A simulated table with the real drivers, which read and write models of the chips.

    Use it as a context manager. ``profile`` is a profile, the name of a built-in profile, or the
    path of a profile's file.

        >>> with Bench("node") as bench:
        ...     bench.put("north", "d4")
        ...     with bench.unplugged("hall"):
        ...         lost = bench.until(lambda frame: frame.faults)
        ...     frame = bench.until(lambda frame: not frame.faults, within=5)
        >>> lost.faults[0].part, frame.field_mt[33] < -5
        ('hall', True)
    """

    def __init__(
        self,
        profile: str | PathLike[str] | Profile,
        *,
        seed: int = 1,
        clock: VirtualClock | None = None,
    ) -> None:
        wired = loaded(profile)
        self.table = SimTable(wired, whole(seed, "seed"), clock=clock)
        """The simulated chips, hands and faults."""
        self.table.world.trays = dict(PIECES)
        self.virtual = self.table.clock
        self._open = False
        super().__init__(wired, self.table.buses, f"{wired.name}, simulated, seed {seed}")

    def __enter__(self) -> Self:
        if self._open:
            raise SimulationError("This bench is open already.")
        self.table.__enter__()
        self._open = True
        return self

    def close(self) -> None:
        """Close the drivers and remove the simulated chips, faults and hands."""
        try:
            super().close()
        finally:
            self._open = False
            self.table.__exit__()

    @override
    def _check_open(self) -> None:
        if not self._open:
            raise SimulationError(
                "This bench is not open.", remedy='Use it as a context: with Bench("plate-10").'
            )

    def scan(self) -> Frame:
        """Read all parts of the table once, and return the readings as a frame. Raises
        SimulationError outside the context.
        """
        self._check_open()
        return super().scan()

    @verb
    def clear(self) -> None:
        """Remove every piece from the plate immediately."""
        self.table.hands.set_up({})

    @verb
    @override
    def put(self, piece: str, place: str, *, east_mm: float = 0.0, north_mm: float = 0.0) -> None:
        known(piece, "piece", PIECES)
        off = tuple(
            number(each, what, -MAX_OFFSET_MM, MAX_OFFSET_MM)
            for what, each in (("east_mm", east_mm), ("north_mm", north_mm))
        )
        self._wait(self.table.hands.put(piece, self.index_of(place), (off[0], off[1])))

    @verb
    @override
    def take(self, place: str) -> None:
        self._wait(self.table.hands.take(self.index_of(place)))

    @verb
    def move(self, source: str, target: str) -> None:
        """Lift the piece on the place ``source`` and put it on the place ``target``."""
        self._wait(self.table.hands.move(self.index_of(source), self.index_of(target)))

    @verb
    def slide(self, source: str, target: str) -> None:
        """Push the piece on the place ``source`` to the place ``target`` without lifting it."""
        self._wait(self.table.hands.slide(self.index_of(source), self.index_of(target)))

    @verb
    @override
    def tilt(self, *, x_deg: float = 0.0, y_deg: float = 0.0, wait: bool = True) -> None:
        x_deg = number(x_deg, "x_deg", -MAX_TILT_DEG, MAX_TILT_DEG)
        y_deg = number(y_deg, "y_deg", -MAX_TILT_DEG, MAX_TILT_DEG)
        tilted = self.table.hands.tilt(math.radians(x_deg), math.radians(y_deg))
        if wait:
            self._wait(tilted)

    @verb
    def bump(self) -> None:
        """Knock against the table."""
        self._wait(self.table.hands.bump())

    @verb
    @override
    def hold(self, button: str) -> None:
        self.table.hands.press(known(button, "button", BUTTONS), HELD_S)

    @verb
    @override
    def let_go(self, button: str) -> None:
        self.table.hands.press(known(button, "button", BUTTONS), 0.0)
        self.clock.sleep(LET_GO_S)

    @verb
    @override
    def unplug(self, part: str) -> None:
        self.table.faults.inject(*plug_of(self.profile, part))

    @verb
    @override
    def plug_in(self, part: str) -> None:
        self.table.faults.heal(*plug_of(self.profile, part))

    @contextmanager
    def fault(self, name: str, *targets: str) -> Iterator[None]:
        """Return a context in which the table has the fault ``name`` (docs/scenarios.md)."""
        self._check_open()
        self.note(" ".join(map(str, ("fault", name, *targets))))
        known(name, "fault", self.table.faults.names)
        for target in targets:
            if not isinstance(target, str):
                raise SimulationError("A fault's target is a name, not {value!r}.", value=target)
        self.table.faults.inject(name, targets)
        try:
            yield
        finally:
            self.note(" ".join(("heal", name, *targets)))
            # The test may have repaired the fault already.
            with suppress(FaultError):
                self.table.faults.heal(name, targets)

    @override
    def lit(self) -> dict[str, Rgb]:
        self._live()
        return {
            place: rgb
            for place, rgb in zip(self.profile.places, self.table.lights, strict=True)
            if any(rgb)
        }

    def drawn_ma(self) -> float | None:
        """Return the current of the lights in mA, or None for a table without lights."""
        lights = self.profile.lights
        if lights is None:
            return None
        channels = sum(map(sum, self.lit().values()))
        return channels / 255 * lights.channel_ma + lights.idle_ma * self.profile.size

    @override
    def sounds(self) -> bool:
        self._live()
        return self.table.piezo.tone_hz is not None

    def _live(self) -> None:
        """Run the plate's controller up to the current time, because no driver reads from the
        controller. Raises SimulationError outside the context.
        """
        self._check_open()
        for line in self.table.buses.lines.values():
            line.pump()

    def _wait(self, action: Action) -> None:
        self._advance(max(0.0, action.end_s - self.clock.now()))

    def state_lines(self) -> Iterable[str]:
        """Yield lines that describe the faults, the lights, the last scan and the trace."""
        active = [" ".join((name, *targets)) for name, targets in self.table.faults.active]
        yield f"faults: {', '.join(active) or 'none'}"
        if not self._open:
            return
        lit = ", ".join(f"{place} {rgb}" for place, rgb in self.lit().items())
        yield f"lights: {lit or 'dark'}"
        yield from super().state_lines()


class _NoBuses:
    """Buses that fail to open with a given error."""

    def __init__(self, clock: object, error: OSError | ImportError) -> None:
        self.clock = clock
        self._error = error

    def __getattr__(self, name: str) -> object:
        raise self._error


def seen_in(frame: Frame) -> str:
    """Return one line with the strongest fields, the pressed buttons and the faults of a scan."""
    strongest = sorted(frame.field_mt, key=abs, reverse=True)[:4]
    fields = ", ".join(f"{mt:.1f}" for mt in strongest)
    told = [f"strongest fields {fields} mT" if fields else "no fields"]
    told += [f"pressed: {', '.join(sorted(frame.pressed))}"] if frame.pressed else []
    told += [f"{fault.part}: {fault}" for fault in frame.faults]
    return "; ".join(told)
