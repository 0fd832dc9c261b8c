"""What can fail at a table: each fault is applied where the real one would be, and proves it."""

from __future__ import annotations

import errno
import statistics
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from hw_sim.boards import HallBoard, LitBoard, SwitchBoard
from hw_sim.buses.i2c import I2cBus, Message
from hw_sim.chips import mcp23017
from hw_sim.chips.hall import NOISE_RMS_MT, QUIESCENT_V, SENSITIVITY_V_MT
from hw_sim.chips.inertial import InertialChip
from hw_sim.chips.mcp23017 import Mcp23017
from hw_sim.chips.ws2812 import BYTES_PER_LIGHT
from hw_sim.clock import VirtualClock, in_time
from hw_sim.errors import FaultError
from hw_sim.rng import Stream, Streams
from hw_sim.world.pieces import Piece
from hw_sim.world.world import BOUNCE_S

if TYPE_CHECKING:
    from hw_sim.table import SimTable

Change = Callable[[Sequence[str]], None]
Proof = Callable[[Sequence[str]], bool]


@dataclass(frozen=True, slots=True)
class FaultKind:
    """``targets``: how many it takes. ``shows``: whether its effect can be seen now.
    ``momentary``: it happens, and is over.
    """

    targets: int
    what: str
    apply: Change
    undo: Change
    shows: Proof
    momentary: bool = False


WEAK_MAGNET = 0.3  # a strong magnet then reads 3.6 mT, between weak and strong; a weak one 0.8
READINGS = 32  # to tell a still output from a noisy one
# Realistic sizes: a ground of 5 milliohm that is shared to the last row (20 mV at 4 A), a
# regulator's load regulation of 1 % at 4 A, and a light at full white 10 mm above a sensor.
BY_LIGHTS = {"ground_v_a": 0.005, "sag_a": 0.0025, "heat_k": 15.0}
LIT_FAULTS = {"ground-shift": "ground_v_a", "supply-sag": "sag_a", "lights-heat": "heat_k"}


def sensor_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the sensors under the places, and of their wires."""
    match table.hall_board:
        case HallBoard() as linear:
            return _LinearSensors(table, linear).kinds()
        case SwitchBoard() as switches:
            return _Switches(table, switches).kinds()
        case _:
            return {}  # another package's


class _Sensors(ABC):
    """What any sensor and its wires can have."""

    def __init__(self, table: SimTable, board: HallBoard | SwitchBoard) -> None:
        self.table = table
        self.board = board

    def kinds(self) -> dict[str, FaultKind]:
        board = self.board
        return {
            "sensor-dead": self.at_one_place(board.set_dead, self.is_dead),
            "sensor-stuck": self.at_one_place(board.set_stuck, self.is_stuck),
            "sensor-swapped": FaultKind(2, "place", self.swap, self.swap, self.are_swapped),
        }

    def at_one_place(self, change: Callable[[int, bool], None], shows: Proof) -> FaultKind:
        def turned(on: bool) -> Change:
            return lambda targets: change(self.index(targets), on)

        return FaultKind(1, "place", turned(True), turned(False), shows)

    def index(self, targets: Sequence[str]) -> int:
        return self.table.profile.places.index(targets[0])

    def swap(self, targets: Sequence[str]) -> None:
        self.board.swap_wires(self.index(targets), self.index(targets[1:]))

    def are_swapped(self, targets: Sequence[str]) -> bool:
        one, other = self.index(targets), self.index(targets[1:])
        return self.board.wire_of(one) == other and self.board.wire_of(other) == one != other

    @abstractmethod
    def is_dead(self, targets: Sequence[str]) -> bool:
        """Whether nothing comes from it."""

    @abstractmethod
    def is_stuck(self, targets: Sequence[str]) -> bool:
        """Whether it says the same whatever is above it."""


class _Switches(_Sensors):
    """A north and a south one at each place."""

    def __init__(self, table: SimTable, board: SwitchBoard) -> None:
        super().__init__(table, board)
        self.switches = board

    def is_dead(self, targets: Sequence[str]) -> bool:
        return set(self.switches.answers(self.index(targets))) == {None}

    def is_stuck(self, targets: Sequence[str]) -> bool:
        said = self.switches.answers(self.index(targets))
        return said[0:2] == said[2:4] == said[4:6]


class _LinearSensors(_Sensors):
    """One at each place, which measures."""

    def __init__(self, table: SimTable, board: HallBoard) -> None:
        super().__init__(table, board)
        self.linear = board
        self.lit = LitBoard(table)

    def kinds(self) -> dict[str, FaultKind]:
        return {
            **super().kinds(),
            "sensor-drift": self.at_one_place(self.linear.set_drifting, self.drifts),
            "sensor-noisy": self.at_one_place(self.linear.set_noisy, self.is_noisy),
            **{name: self.by_lights(figure) for name, figure in LIT_FAULTS.items()},
        }

    def by_lights(self, figure: str) -> FaultKind:
        """What the lights do to all sensors."""
        lit = self.lit

        def turned(size: float) -> Change:
            def change(_targets: Sequence[str]) -> None:
                setattr(lit, figure, size)
                self.linear.under(lit)

            return change

        def shows(_targets: Sequence[str]) -> bool:
            """With every light white, and for ten minutes, on a sensor of the last row."""
            table = copy(self.table)
            table.chain = chain = deepcopy(self.table.chain)
            probe = replace(lit, table=table)
            last, now_s = self.table.profile.size - 1, self.table.clock.now() + 600.0
            chain.receive(bytes([255]) * chain.count * BYTES_PER_LIGHT, now_s)
            shifted_v = probe.voltage_v(last, lambda _: QUIESCENT_V, now_s) - QUIESCENT_V
            warmed_k = probe.temperature_c(last, now_s) - self.table.world.climate.temperature_c(
                now_s
            )
            return abs(shifted_v) > 0.005 or warmed_k > 1.0

        return FaultKind(0, "nothing", turned(BY_LIGHTS[figure]), turned(0.0), shows)

    def is_dead(self, targets: Sequence[str]) -> bool:
        return max(self.readings_v(targets)) == 0.0

    def is_stuck(self, targets: Sequence[str]) -> bool:
        return len(set(self.readings_v(targets))) == 1

    def drifts(self, targets: Sequence[str]) -> bool:
        """Within the next minute, by more than a weak magnet's share."""
        then_s = self.table.clock.now() + 60.0
        return self.linear.crept_mt(self.index(targets), then_s) > 1.0

    def is_noisy(self, targets: Sequence[str]) -> bool:
        usual_v = NOISE_RMS_MT * SENSITIVITY_V_MT * self.table.noise_factor
        return statistics.pstdev(self.readings_v(targets)) > 3 * usual_v

    def readings_v(self, targets: Sequence[str]) -> list[float]:
        index, now_s = self.index(targets), self.table.clock.now()
        return [self.linear.voltage_v(index, now_s) for _ in range(READINGS)]


def magnet_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the magnet in the piece that stands on a place."""
    weakened: dict[str, Piece] = {}

    def index(targets: Sequence[str]) -> int:
        return table.profile.places.index(targets[0])

    def weaken(targets: Sequence[str]) -> None:
        piece = table.world.piece_at(index(targets))
        if piece is None:
            raise FaultError(
                "No piece stands on {place} whose magnet could be weak.",
                remedy="Put one there first.",
                place=targets[0],
            )
        piece.factor *= WEAK_MAGNET
        table.world.changed(piece)
        weakened[targets[0]] = piece

    def strengthen(targets: Sequence[str]) -> None:
        piece = weakened.pop(targets[0])
        piece.factor /= WEAK_MAGNET
        table.world.changed(piece)

    def is_weak(targets: Sequence[str]) -> bool:
        """Its share of the field under it is below what the spread of magnets allows."""
        piece = weakened.get(targets[0])
        if piece is None:
            return False
        share_mt = table.world.field_of_mt(piece, index(targets), table.clock.now())
        disc = piece.kind.disc
        centred_mt = disc.vertical_mt(0.0, table.profile.gap_mm + disc.height_mm / 2)
        return abs(share_mt) < 0.5 * centred_mt

    return {"weak-magnet": FaultKind(1, "place", weaken, strengthen, is_weak)}


def button_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the buttons, where there are some."""
    buttons = table.world.buttons
    if table.profile.panel is None:
        return {}

    def worn(on: bool) -> Change:
        def change(targets: Sequence[str]) -> None:
            buttons[targets[0]].worn = on

        return change

    def chatters(targets: Sequence[str]) -> bool:
        return buttons[targets[0]].chatter_s > BOUNCE_S

    return {"button-bounce": FaultKind(1, "button", worn(True), worn(False), chatters)}


# What can fail in the strip of lights.

MISREAD = 1 / 30  # of the bytes, where 3.3 V drive a line that wants 3.5 V (WS2812B, VIH 0.7 VDD)


def lights_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the strip, where there is one."""
    chain = table.chain
    if not chain.count:
        return {}

    def supply(failed: bool) -> Change:
        def change(_targets: Sequence[str]) -> None:
            chain.supply_failed = failed
            chain.power_on(table.clock.now())  # dark, when it goes and when it comes back

        return change

    def is_dark(_targets: Sequence[str]) -> bool:
        probe = deepcopy(chain)
        probe.receive(bytes([255]) * probe.count * BYTES_PER_LIGHT, table.clock.now() + 1.0)
        return not any(map(any, probe.colours))

    def spoils(_targets: Sequence[str]) -> bool:
        sent = bytes([255]) * 4096
        return chain.line(sent) != sent

    misread = partial(_misread, Streams(table.seed).stream("lights-level"))

    def line(hears: Callable[[bytes], bytes]) -> Change:
        def change(_targets: Sequence[str]) -> None:
            chain.line = hears

        return change

    return {
        "lights-brownout": FaultKind(0, "nothing", supply(True), supply(False), is_dark),
        "lights-level": FaultKind(0, "nothing", line(misread), line(bytes), spoils),
    }


def _misread(stream: Stream, data: bytes) -> bytes:
    """Without a 74AHCT125: a high that is too low is a 0 now and then."""
    return bytes(b & ~(1 << stream.randrange(8)) if stream.random() < MISREAD else b for b in data)


# What can fail between the computer and the chips: I2C, SPI and the node's cable.

READ_CHANNEL_0 = bytes([0x01, 0x80, 0x00])  # MCP3008, DS21295D section 6.1
READ_HZ = 1_000_000
NOISE = 1 / 2000  # of the bytes that pass a slip ring's brushes: three frames a second are damaged


def i2c_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the buses: a chip that acknowledges nothing, a line that is held."""
    buses = table.buses.i2c_buses
    if not buses:
        return {}

    def nack(targets: Sequence[str]) -> None:
        bus = buses[int(targets[0])]
        bus.nacking |= bus.chips.keys()

    def acknowledge(targets: Sequence[str]) -> None:
        buses[int(targets[0])].nacking.clear()

    def stick(on: bool) -> Change:
        def change(targets: Sequence[str]) -> None:
            buses[int(targets[0])].stuck = on

        return change

    def answers(expected: int) -> Proof:
        """Whether addressing each chip fails so, tried on a clock of its own."""

        def shows(targets: Sequence[str]) -> bool:
            probe = copy(buses[int(targets[0])])
            probe.clock = _spare_clock(table)
            return all(_answer(probe, address) == expected for address in probe.chips)

        return shows

    return {
        "i2c-nack": FaultKind(1, "i2c", nack, acknowledge, answers(errno.EREMOTEIO)),
        "i2c-stuck": FaultKind(1, "i2c", stick(True), stick(False), answers(errno.ETIMEDOUT)),
    }


def spi_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the only port: a data line that says nothing."""
    ports = table.buses.spi_ports
    if not ports:
        return {}
    [spi] = ports.values()

    def silence(level: int | None) -> Change:
        def change(_targets: Sequence[str]) -> None:
            spi.silent = level

        return change

    def is_silent(_targets: Sequence[str]) -> bool:
        probe = copy(spi)
        probe.clock = _spare_clock(table)
        return not any(probe.transfer(READ_CHANNEL_0, READ_HZ, 0))

    return {"spi-silent": FaultKind(1, "spi", silence(0x00), silence(None), is_silent)}


def node_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the plate's own microcontroller, where it has one."""
    node = table.node
    if node is None:
        return {}
    line, clock = node.line, table.clock
    stream = Streams(table.seed).stream("line-noise")

    def brushes(data: bytes) -> bytes:
        return bytes(b ^ 1 << stream.randrange(8) if stream.random() < NOISE else b for b in data)

    def hiss(noise: Callable[[bytes], bytes]) -> Change:
        def change(_targets: Sequence[str]) -> None:
            line.noise = noise

        return change

    return {
        "line-noise": FaultKind(
            0,
            "nothing",
            hiss(brushes),
            hiss(bytes),
            lambda _: line.noise(bytes(100_000)) != bytes(100_000),
        ),
        "node-reenumerated": FaultKind(
            0,
            "nothing",
            lambda _: line.unplug(),
            lambda _: node.replug(),
            lambda _: not line.plugged and not line.path.exists(),
        ),
        "node-unplugged": FaultKind(
            0,
            "nothing",
            lambda _: node.unplug(),
            lambda _: node.power_on(clock.now()),
            lambda _: not line.plugged and not line.path.exists(),
        ),
    }


def _spare_clock(table: SimTable) -> VirtualClock:
    """Proofs take no time of the table's."""
    clock = VirtualClock()
    clock.advance(table.clock.now())
    return clock


def _answer(bus: I2cBus, address: int) -> int | None:
    """The error of addressing a chip; None: it answers."""
    try:
        bus.transfer([Message(address, b"")])
    except OSError as error:
        return error.errno
    return None


# What can fail in a chip on the I2C bus: a reset, a wrong identity, a dead axis.

AXES = ("x", "y", "z")
OTHER_ID = 0x12  # an ICM-20602: not an LSM6DSOX, an MPU-6050, nor a clone with its registers


class Resettable(Protocol):
    """A chip that can lose its settings."""

    def reset(self, now_s: float, /) -> None:
        """It does."""


def chips_of(table: SimTable) -> dict[str, Resettable]:
    """By name: "imu", and each expander by its address, "0x20"."""
    chips: dict[str, Resettable] = {} if table.imu is None else {"imu": table.imu}
    return chips | {f"{address:#04x}": chip for address, chip in table.expanders.items()}


def chip_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the tilt sensor and of the expanders."""
    if not table.buses.i2c_buses:
        return {}

    def reset(targets: Sequence[str]) -> None:
        chips_of(table)[targets[0]].reset(table.clock.now())

    def is_reset(targets: Sequence[str]) -> bool:
        chip = chips_of(table)[targets[0]]
        if isinstance(chip, Mcp23017):
            return chip.register(0, mcp23017.IODIR) == chip.register(1, mcp23017.IODIR) == 0xFF
        return table.imu is not None and table.imu.powered_down

    kinds = {
        "chip-reset": FaultKind(1, "chip", reset, lambda _: None, is_reset, momentary=True),
    }
    return kinds if table.imu is None else {**kinds, **_imu_kinds(table, table.imu)}


def _imu_kinds(table: SimTable, imu: InertialChip) -> dict[str, FaultKind]:
    genuine = imu.who_am_i

    def identify(who_am_i: int) -> Change:
        def change(_targets: Sequence[str]) -> None:
            imu.who_am_i = who_am_i

        return change

    def says_other(_targets: Sequence[str]) -> bool:
        """On its bus."""
        now_s = table.clock.now()
        imu.write(bytes([imu.WHO_AM_I]), now_s)
        return (imu.read(1, now_s) or b"\0")[0] == OTHER_ID

    def stands_still(targets: Sequence[str]) -> bool:
        """Whether that axis of the accelerometer feels nothing at all, not even its own noise."""
        axis, now_s = AXES.index(targets[0]), table.clock.now()
        return not any(imu.accel_words(now_s)[axis] for _ in range(READINGS))

    return {
        "wrong-id": FaultKind(1, "identity", identify(OTHER_ID), identify(genuine), says_other),
        "imu-axis-dead": FaultKind(
            1,
            "axis",
            lambda t: imu.dead_axes.add(AXES.index(t[0])),
            lambda t: imu.dead_axes.discard(AXES.index(t[0])),
            stands_still,
        ),
    }


# What can fail in the computer that runs the table: its time and its disk.

STALL_S = 0.6  # how late each scan comes while the computer is busy with something else
PAUSE_S = 0.05, 0.3  # a card that writes, a browser that starts: now and then
PAUSES = 1 / 100  # of the scans: every two seconds
SLEEPS = 200


def computer_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the computer's time and of its disk."""
    clock, disk = table.clock, table.disk
    stream = Streams(table.seed).stream("stalls")

    def now_and_then_s() -> float:
        return stream.uniform(*PAUSE_S) if stream.random() < PAUSES else 0.0

    def stall(late_s: Callable[[], float]) -> Change:
        def change(_targets: Sequence[str]) -> None:
            clock.late_s = late_s

        return change

    def is_late_by(least_s: float) -> Proof:
        def shows(_targets: Sequence[str]) -> bool:
            probe = copy(clock)
            for _ in range(SLEEPS):
                probe.sleep(1.0)
            return probe.now() - clock.now() > SLEEPS + least_s

        return shows

    mend = stall(in_time)
    kinds = {
        "scan-stall": FaultKind(
            0, "nothing", stall(lambda: STALL_S), mend, is_late_by(SLEEPS * STALL_S / 2)
        ),
        "scan-pauses": FaultKind(0, "nothing", stall(now_and_then_s), mend, is_late_by(PAUSE_S[0])),
    }
    if disk is not None:
        kinds["disk-full"] = FaultKind(
            0, "nothing", lambda _: disk.fill(), lambda _: disk.empty(), lambda _: disk.full
        )
    return kinds


# The faults of one table: which it can have, which it has.
#
# A target is a place ("d4"), a button ("confirm"), an I2C bus ("1" or "i2c-1"), a chip ("imu" or
# "mpu6050", "0x20") or an axis ("x"); a fault of the only bus or chip of its kind needs none.

ROOMS: Final = (
    sensor_kinds,
    magnet_kinds,
    button_kinds,
    i2c_kinds,
    chip_kinds,
    spi_kinds,
    node_kinds,
    lights_kinds,
    computer_kinds,
)


class Faults:
    """What is wrong with one table. ``active``: name and targets, in the order of injection."""

    def __init__(self, table: SimTable) -> None:
        self._table = table
        self.active: list[tuple[str, tuple[str, ...]]] = []
        self._kinds: Mapping[str, FaultKind] = {
            name: kind for kinds_of in ROOMS for name, kind in kinds_of(table).items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Every fault that this table can have."""
        return tuple(self._kinds)

    def targets_of(self, name: str) -> tuple[Sequence[str], ...]:
        """What each target of that fault may be. Raises FaultError for an unknown fault."""
        kind = self._kind(name)
        return (self._known(kind.what),) * kind.targets

    def inject(self, name: str, targets: Sequence[str] = ()) -> None:
        """Break something, and see that it is broken.

        Raises FaultError for an unknown fault or target, one already there, or no visible effect.
        """
        kind = self._kind(name)
        chosen = self._targets(name, kind, targets)
        if (name, chosen) in self.active:
            raise FaultError(
                "{name} {targets} is already there.",
                remedy="Heal it first.",
                name=name,
                targets=" ".join(chosen),
            )
        kind.apply(chosen)
        if not kind.shows(chosen):
            kind.undo(chosen)
            raise FaultError(
                "{name} {targets} was applied and shows no effect.",
                remedy="Look at the order of faults: another one may hide it.",
                name=name,
                targets=" ".join(chosen),
            )
        if not kind.momentary:
            self.active.append((name, chosen))

    def heal(self, name: str, targets: Sequence[str] = ()) -> None:
        """Mend it; without targets, every fault of that name.

        What was over at once (chip-reset) is healed already. Raises FaultError if it is not there.
        """
        kind = self._kind(name)
        if kind.momentary:
            self._targets(name, kind, targets)
            return
        wanted = self._targets(name, kind, targets) if targets else None
        found = [
            (known, chosen)
            for known, chosen in self.active
            if known == name and wanted in (None, chosen)
        ]
        if not found:
            raise FaultError(
                "There is no {name} {targets} to heal.",
                remedy="Name a fault that was injected.",
                name=name,
                targets=" ".join(targets),
            )
        for fault in found:
            self.active.remove(fault)
            kind.undo(fault[1])

    def shows(self, name: str, targets: Sequence[str] = ()) -> bool:
        """Whether that fault's effect can be seen now, injected or not."""
        kind = self._kind(name)
        return kind.shows(self._targets(name, kind, targets))

    def _kind(self, name: str) -> FaultKind:
        kind = self._kinds.get(name)
        if kind is None:
            raise FaultError(
                "This table cannot have the fault {name!r}.",
                remedy="It can have: {known}.",
                name=name,
                known=", ".join(self._kinds),
            )
        return kind

    def _targets(self, name: str, kind: FaultKind, given: Sequence[str]) -> tuple[str, ...]:
        """Checked targets; the only bus or chip may be left out."""
        known = self._known(kind.what)
        chosen = tuple(self._other_names.get(target, target) for target in given)
        if not chosen and len(known) == 1:
            chosen = (known[0],) * kind.targets
        if len(chosen) != kind.targets or any(target not in known for target in chosen):
            raise FaultError(
                "{name} takes {count} of: {known}; not {given!r}.",
                remedy="Name what is to fail.",
                name=name,
                count=kind.targets,
                known=_listed(known),
                given=" ".join(given),
            )
        return chosen

    @property
    def _other_names(self) -> Mapping[str, str]:
        """What else buses and chips are called -> their names here."""
        names = {f"i2c-{number}": str(number) for number in self._table.buses.i2c_buses}
        if self._table.imu is not None:
            names[type(self._table.imu).__name__.lower()] = "imu"
        return names

    def _known(self, what: str) -> Sequence[str]:
        return {
            "place": self._table.profile.places,
            "button": tuple(self._table.world.buttons),
            "i2c": tuple(str(number) for number in self._table.buses.i2c_buses),
            "chip": tuple(chips_of(self._table)),
            "identity": ("imu",),
            "axis": AXES,
            "nothing": (),
            "spi": tuple(f"{bus}.{device}" for bus, device in self._table.buses.spi_ports),
        }[what]


def _listed(known: Sequence[str]) -> str:
    if not known:
        return "nothing"
    return ", ".join(known) if len(known) <= 4 else f"{known[0]} to {known[-1]}"
