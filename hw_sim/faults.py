"""What can fail at a table: each fault is applied where the real one would be, and proves it."""

from __future__ import annotations

import errno
import resource
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.config.paths import JOURNAL_NAME
from hw_sim.boards import HallBoard, LitBoard, SwitchBoard
from hw_sim.buses.i2c import I2cBus, Message
from hw_sim.buses.spi import MAX_BYTES
from hw_sim.buses.timing import SPI_DMA_BYTES
from hw_sim.chips import mcp23017
from hw_sim.chips.hall import NOISE_RMS_MT, QUIESCENT_V, SENSITIVITY_V_MT
from hw_sim.chips.inertial import InertialChip
from hw_sim.chips.mcp23017 import Mcp23017
from hw_sim.chips.ws2812 import BYTES_PER_LIGHT
from hw_sim.clock import in_time
from hw_sim.errors import FaultError
from hw_sim.rng import Stream
from hw_sim.world.pieces import Piece
from hw_sim.world.world import BOUNCE_S

if TYPE_CHECKING:
    from hw_sim.table import SimTable

Targets = Sequence[str]


@dataclass(frozen=True, slots=True)
class FaultKind:
    """``turn(on, *targets)``: break it (True) or mend it. ``shows(*targets)``: whether its effect
    can be seen now. ``allowed``: what each target may be. ``momentary``: it happens, and is over.
    """

    turn: Callable[..., object]
    shows: Callable[..., bool]
    allowed: tuple[Targets, ...] = ()
    momentary: bool = False


Kinds = Iterator[tuple[str, FaultKind]]

# Of the sensors under the places, their wires, and the magnets above them

WEAK_MAGNET = 0.3  # a strong magnet then reads 3.6 mT, between weak and strong; a weak one 0.8
READINGS = 32  # to tell a still output from a noisy one
# Realistic sizes: a ground of 5 milliohm that is shared to the last row (20 mV at 4 A), a
# regulator's load regulation of 1 % at 4 A, and a light at full white 10 mm above a sensor. Rails
# 3 to 5 mm below the sensors, fed at one end: 0.13 mT at 1 A (HARDWARE.md: 0.26 at 2). WS2812 are
# pulsed: 100 of them in phase are 6 A or nothing, and 30 mV on that ground.
BY_LIGHTS = {
    "ground-shift": {"ground_v_a": 0.005},
    "supply-sag": {"sag_a": 0.0025},
    "lights-heat": {"heat_k": 15.0},
    "rails-field": {"rails_mt_a": 0.13},
    "lights-pulsed": {"ground_v_a": 0.005, "pulsed": 1.0},
}
TURNED = -1.0  # a magnet's factor


def sensor_kinds(table: SimTable) -> Kinds:
    """Faults of the sensors and their wires; none for another package's."""
    board, places = table.hall_board, table.profile.places
    index = places.index
    if board is None:
        return

    def of_one(turn: Callable[[int, bool], None], shows: Callable[[str], bool]) -> FaultKind:
        return FaultKind(lambda on, place: turn(index(place), on), shows, (places,))

    def readings_v(place: str) -> list[float | bool | None]:
        """What comes of it: voltages, or what a switch says to no field and to each pole."""
        if isinstance(board, SwitchBoard):
            return [*board.answers(index(place))]
        at, now_s = index(place), table.clock.now()
        return [board.voltage_v(at, now_s) for _ in range(READINGS)]

    def is_dead(place: str) -> bool:
        """Whether nothing comes from a sensor: no voltage, or no level at all."""
        said = readings_v(place)
        return not any(said) and said[0] is not False

    def is_stuck(place: str) -> bool:
        """Whether a sensor says the same, whatever is above it."""
        said = readings_v(place)
        return all(said[:2] == said[at : at + 2] for at in range(0, len(said), 2))

    def swap(_on: bool, one: str, other: str) -> None:
        board.swap_wires(index(one), index(other))

    def are_swapped(one: str, other: str) -> bool:
        return board.wire_of(index(one)) == index(other)

    yield "sensor-dead", of_one(board.set_dead, is_dead)
    yield "sensor-stuck", of_one(board.set_stuck, is_stuck)
    yield "sensor-swapped", FaultKind(swap, are_swapped, (places, places))
    if not isinstance(board, HallBoard):
        return

    def drifts(place: str) -> bool:
        """Within the next minute, by more than a weak magnet's share."""
        return board.crept_mt(index(place), table.clock.now() + 60.0) > 1.0

    def is_noisy(place: str) -> bool:
        usual_v = NOISE_RMS_MT * SENSITIVITY_V_MT * board.noise_factor
        at, now_s = index(place), table.clock.now()
        return statistics.pstdev(board.voltage_v(at, now_s) for _ in range(READINGS)) > 3 * usual_v

    yield "sensor-drift", of_one(board.set_drifting, drifts)
    yield "sensor-noisy", of_one(board.set_noisy, is_noisy)
    yield from _lit_kinds(table, board)


def _lit_kinds(table: SimTable, board: HallBoard) -> Kinds:
    """What the lights do to sensors that measure."""
    lit = LitBoard(table)

    def light(sizes: Mapping[str, float], on: bool) -> None:
        for figure, size in sizes.items():
            setattr(lit, figure, size if on else 0.0)
        board.under(lit)

    def acts() -> bool:
        """With every light white, and for ten minutes, on a sensor of the last row."""
        white = copy(table)
        white.chain = chain = deepcopy(table.chain)
        probe = replace(lit, table=white)
        last, now_s = table.profile.size - 1, table.clock.now() + 600.0
        chain.receive(bytes([255]) * chain.count * BYTES_PER_LIGHT, now_s)
        shifted_v = probe.voltage_v(last, lambda _: QUIESCENT_V, now_s) - QUIESCENT_V
        warmed_k = probe.temperature_c(last, now_s) - table.world.climate.temperature_c(now_s)
        return abs(shifted_v) > 0.005 or warmed_k > 1.0

    for name, sizes in BY_LIGHTS.items():
        yield name, FaultKind(partial(light, sizes), acts)


def magnet_kinds(table: SimTable) -> Kinds:
    """Faults of the magnet in the piece that stands on a place."""
    places = table.profile.places
    changed: dict[tuple[str, float], Piece] = {}

    def change(factor: float, on: bool, place: str) -> None:
        at = places.index(place)
        piece = table.world.piece_at(at) if on else changed.pop((place, factor))
        if piece is None:
            raise FaultError(
                "No piece stands on {place} whose magnet could be weak.",
                remedy="Put one there first.",
                place=place,
            )
        piece.factor *= factor if on else 1 / factor
        if on:
            changed[place, factor] = piece
        table.world.changed(piece)

    def share(factor: float, place: str) -> float:
        """The share of a piece's rated field that is felt under it; 1 for a sound magnet."""
        piece = changed.get((place, factor))
        if piece is None:
            return 1.0
        share_mt = table.world.field_of_mt(piece, places.index(place), table.clock.now())
        disc = piece.kind.disc
        centred_mt = disc.vertical_mt(0.0, table.profile.gap_mm + disc.height_mm / 2)
        return share_mt / (centred_mt * piece.kind.sign)

    def of_one(factor: float, shows: Callable[[float], bool]) -> FaultKind:
        return FaultKind(partial(change, factor), lambda p: shows(share(factor, p)), (places,))

    # Below what the spread of magnets allows, or the other pole: glued in the wrong way round
    yield "weak-magnet", of_one(WEAK_MAGNET, lambda share: abs(share) < 0.5)
    yield "magnet-turned", of_one(TURNED, lambda share: share < 0.0)


# Of buttons and lights

LIGHTS_HZ = 2_400_000
MISREAD = 1 / 30  # of the bytes, where 3.3 V drive a line that wants 3.5 V (WS2812B, VIH 0.7 VDD)


def button_kinds(table: SimTable) -> Kinds:
    """Faults of the buttons, where there are some."""
    buttons = table.world.buttons

    def wear(on: bool, name: str) -> None:
        buttons[name].worn = on

    def chatters(name: str) -> bool:
        return buttons[name].chatter_s > BOUNCE_S

    if table.profile.panel is not None:
        yield "button-bounce", FaultKind(wear, chatters, ([*buttons],))


def lights_kinds(table: SimTable) -> Kinds:
    """Faults of the strip, where there is one."""
    chain = table.chain
    misread = partial(_misread, table.streams.stream("lights-level"))

    def cut(on: bool) -> None:
        chain.supply_failed = on
        chain.power_on(table.clock.now())  # dark, when it goes and when it comes back

    def is_dark() -> bool:
        probe = deepcopy(chain)
        probe.receive(bytes([255]) * probe.count * BYTES_PER_LIGHT, table.clock.now() + 1.0)
        return not any(map(any, probe.colours))

    def spoil(on: bool) -> None:
        chain.line = misread if on else bytes

    def gap(on: bool) -> None:
        chain.gaps_under = MAX_BYTES + 1 if on else SPI_DMA_BYTES

    def has_gaps() -> bool:
        """A dark frame, as SPI sends it, arrives as another."""
        probe = deepcopy(chain)
        dark = int("100" * 8 * BYTES_PER_LIGHT * probe.count, 2)
        sent = dark.to_bytes(3 * BYTES_PER_LIGHT * probe.count)
        probe.transfer(sent, LIGHTS_HZ, 0, table.clock.now() + 1.0)
        return any(map(any, probe.colours))

    def spoils() -> bool:
        sent = bytes([255]) * 4096
        return chain.line(sent) != sent

    if chain.count:
        yield "lights-brownout", FaultKind(cut, is_dark)
        yield "lights-level", FaultKind(spoil, spoils)
        if chain is table.buses.light_port.chip:
            yield "lights-gaps", FaultKind(gap, has_gaps)


def _misread(stream: Stream, data: bytes) -> bytes:
    """Without a 74AHCT125: a high that is too low is a 0 now and then."""
    return bytes(b & ~(1 << stream.randrange(8)) if stream.random() < MISREAD else b for b in data)


# Between the computer and the chips: I2C, SPI and the node's cable

READ_CHANNEL_0 = bytes([0x01, 0x80, 0x00])  # MCP3008, DS21295D section 6.1
READ_HZ = 1_000_000
NOISE = 1 / 2000  # of the bytes that pass a slip ring's brushes: three frames a second are damaged


def bus_kinds(table: SimTable) -> Kinds:
    """Of I2C: a chip that acknowledges nothing, a line that is held. Of SPI: a data line that says
    nothing.
    """
    buses = {str(number): bus for number, bus in table.buses.i2c_buses.items()}
    ports = {f"{bus}.{select}": port for (bus, select), port in table.buses.spi_ports.items()}

    def nack(on: bool, number: str) -> None:
        bus = buses[number]
        bus.nacking = {*bus.chips} if on else set()

    def stick(on: bool, number: str) -> None:
        buses[number].stuck = on

    def fails_with(error: int, number: str) -> bool:
        """Whether addressing each chip does, tried on a clock of its own."""
        probe = copy(buses[number])
        probe.clock = copy(table.clock)
        return all(_error_of(probe, address) == error for address in probe.chips)

    def silence(on: bool, port: str) -> None:
        ports[port].silent = 0x00 if on else None

    def is_silent(port: str) -> bool:
        probe = copy(ports[port])
        probe.clock = copy(table.clock)
        return not any(probe.transfer(READ_CHANNEL_0, READ_HZ, 0))

    if buses:
        yield "i2c-nack", FaultKind(nack, partial(fails_with, errno.EREMOTEIO), ([*buses],))
        yield "i2c-stuck", FaultKind(stick, partial(fails_with, errno.ETIMEDOUT), ([*buses],))
    if ports:
        yield "spi-silent", FaultKind(silence, is_silent, ([*ports],))


def node_kinds(table: SimTable) -> Kinds:
    """Faults of the plate's own microcontroller, where it has one."""
    node = table.node
    if node is None:
        return
    line = node.line
    stream = table.streams.stream("line-noise")

    def brushes(data: bytes) -> bytes:
        return bytes(b ^ 1 << stream.randrange(8) if stream.random() < NOISE else b for b in data)

    def hiss(on: bool) -> None:
        line.noise = brushes if on else bytes

    def is_gone() -> bool:
        return not line.plugged

    def replug(on: bool) -> None:
        (line.unplug if on else node.replug)()

    def pull_out(on: bool) -> None:
        if on:
            node.unplug()
        else:
            node.power_on(table.clock.now())

    yield "line-noise", FaultKind(hiss, lambda: line.noise(bytes(100_000)) != bytes(100_000))
    yield "node-reenumerated", FaultKind(replug, is_gone)
    yield "node-unplugged", FaultKind(pull_out, is_gone)


def _error_of(bus: I2cBus, address: int) -> int | None:
    """The error of addressing a chip; None: it answers."""
    try:
        bus.transfer([Message(address, b"")])
    except OSError as error:
        return error.errno
    return None


# In a chip on the I2C bus: a reset, a wrong identity, a dead axis

AXES = ("x", "y", "z")
OTHER_ID = 0x12  # an ICM-20602: not an LSM6DSOX, an MPU-6050, nor a clone with its registers


def chip_kinds(table: SimTable) -> Kinds:
    """Faults of the tilt sensor, "imu", and of each expander, by its address, "0x20"."""
    imu = table.imu
    chips: dict[str, InertialChip | Mcp23017] = {} if imu is None else {"imu": imu}
    chips |= {f"{address:#04x}": chip for address, chip in table.expanders.items()}

    def reset(on: bool, name: str) -> None:
        if on:
            chips[name].reset(table.clock.now())

    def is_reset(name: str) -> bool:
        chip = chips[name]
        if isinstance(chip, Mcp23017):
            return chip.register(0, mcp23017.IODIR) == chip.register(1, mcp23017.IODIR) == 0xFF
        return chip.powered_down

    if not table.buses.i2c_buses:
        return
    yield "chip-reset", FaultKind(reset, is_reset, ([*chips],), momentary=True)
    if imu is None:
        return
    genuine = imu.who_am_i

    def identify(on: bool, _name: str) -> None:
        imu.who_am_i = OTHER_ID if on else genuine

    def says_other(_name: str) -> bool:
        """Whether the chip gives a strange identity on its bus."""
        now_s = table.clock.now()
        imu.write(bytes([imu.WHO_AM_I]), now_s)
        return (imu.read(1, now_s) or b"\0")[0] == OTHER_ID

    def deaden(on: bool, axis: str) -> None:
        (imu.dead_axes.add if on else imu.dead_axes.discard)(AXES.index(axis))

    def stands_still(axis: str) -> bool:
        """Whether that axis of the accelerometer feels nothing at all, not even its own noise."""
        at, now_s = AXES.index(axis), table.clock.now()
        return not any(imu.accel_words(now_s)[at] for _ in range(READINGS))

    yield "wrong-id", FaultKind(identify, says_other, (["imu"],))
    yield "imu-axis-dead", FaultKind(deaden, stands_still, (AXES,))


# In the computer that runs the table: its time and its disk

STALL_S = 0.6  # how late each scan comes while the computer is busy with something else
PAUSE_S = 0.05, 0.3  # a card that writes, a browser that starts: now and then
PAUSES = 1 / 100  # of the scans: every two seconds
SLEEPS = 200


class SimDisk:
    """The folder of journal and calibration.

    A full disk is RLIMIT_FSIZE: the kernel refuses every write that would make a file longer than
    the journal's log is, as a quota does (EFBIG; it holds for the whole process, and for root).
    The same writes as on a full disk fail, at the same system call.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._limits: tuple[int, int] | None = None

    @property
    def full(self) -> bool:
        """Whether it takes nothing more, tried with a file of its own."""
        probe = self._state / "probe"
        try:
            probe.write_bytes(bytes(self._log_bytes() + 1))
        except OSError:
            return True
        finally:
            probe.unlink(missing_ok=True)
        return False

    def fill(self) -> None:
        """Fill the disk: it takes nothing more."""
        if self._limits is None:
            self._limits = resource.getrlimit(resource.RLIMIT_FSIZE)  # Python ignores SIGXFSZ
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._log_bytes(), hard))

    def empty(self) -> None:
        """Make room on the disk again."""
        if self._limits is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, self._limits)
            self._limits = None

    def reopened(self) -> None:
        """The journal was closed and opened: its log has begun anew."""
        if self._limits is not None:
            self.fill()

    def _log_bytes(self) -> int:
        """The journal's write-ahead log only grows until it is closed."""
        log = self._state / f"{JOURNAL_NAME}-wal"
        return log.stat().st_size if log.exists() else 0


def computer_kinds(table: SimTable) -> Kinds:
    """Faults of the computer's time and of its disk."""
    clock, disk = table.clock, table.disk
    stream = table.streams.stream("stalls")

    def now_and_then_s() -> float:
        return stream.uniform(*PAUSE_S) if stream.random() < PAUSES else 0.0

    def delay(late_s: Callable[[], float], on: bool) -> None:
        clock.late_s = late_s if on else in_time

    def is_late_by(least_s: float) -> bool:
        probe = copy(clock)
        for _ in range(SLEEPS):
            probe.sleep(1.0)
        return probe.now() - clock.now() > SLEEPS + least_s

    for name, late_s, least_s in (
        ("scan-stall", lambda: STALL_S, SLEEPS * STALL_S / 2),
        ("scan-pauses", now_and_then_s, PAUSE_S[0]),
    ):
        yield name, FaultKind(partial(delay, late_s), partial(is_late_by, least_s))
    if disk is not None:
        yield (
            "disk-full",
            FaultKind(lambda on: disk.fill() if on else disk.empty(), lambda: disk.full),
        )


# The faults of one table: which it can have, which it has.
#
# A target is a place ("d4"), a button ("confirm"), an I2C bus ("1" or "i2c-1"), a chip ("imu" or
# "mpu6050", "0x20") or an axis ("x"); a fault of the only bus or chip of its kind needs none.

OF_A_TABLE = (
    sensor_kinds,
    magnet_kinds,
    button_kinds,
    bus_kinds,
    chip_kinds,
    node_kinds,
    lights_kinds,
    computer_kinds,
)


class Faults:
    """What is wrong with one table. ``active``: name and targets, in the order of injection."""

    def __init__(self, table: SimTable) -> None:
        self.active: list[tuple[str, tuple[str, ...]]] = []
        self._kinds = {name: kind for kinds in OF_A_TABLE for name, kind in kinds(table)}
        self._other_names = {f"i2c-{number}": str(number) for number in table.buses.i2c_buses}
        if table.imu is not None:
            self._other_names[type(table.imu).__name__.lower()] = "imu"

    @property
    def names(self) -> tuple[str, ...]:
        """Every fault that this table can have."""
        return tuple(self._kinds)

    def targets_of(self, name: str) -> tuple[Targets, ...]:
        """What each target of that fault may be. Raises FaultError for an unknown fault."""
        return self._kind(name).allowed

    def inject(self, name: str, targets: Targets = ()) -> None:
        """Break something, and see that it is broken.

        Raises FaultError for an unknown fault or target, one already there, or no visible effect.
        """
        kind = self._kind(name)
        chosen = self._chosen(name, kind, targets)
        if (name, chosen) in self.active:
            raise FaultError(
                "{name} {targets} is already there.",
                remedy="Heal it first.",
                name=name,
                targets=" ".join(chosen),
            )
        kind.turn(True, *chosen)
        if not kind.shows(*chosen):
            kind.turn(False, *chosen)
            raise FaultError(
                "{name} {targets} was applied and shows no effect.",
                remedy="Look at the order of faults: another one may hide it.",
                name=name,
                targets=" ".join(chosen),
            )
        if not kind.momentary:
            self.active.append((name, chosen))

    def heal(self, name: str, targets: Targets = ()) -> None:
        """Mend it; without targets, every fault of that name.

        What was over at once (chip-reset) is healed already. Raises FaultError if it is not there.
        """
        kind = self._kind(name)
        if kind.momentary:
            self._chosen(name, kind, targets)
            return
        wanted = self._chosen(name, kind, targets) if targets else None
        found = [each for each in self.active if each[0] == name and wanted in (None, each[1])]
        if not found:
            raise FaultError(
                "There is no {name} {targets} to heal.",
                remedy="Name a fault that was injected.",
                name=name,
                targets=" ".join(targets),
            )
        for fault in found:
            self.active.remove(fault)
            kind.turn(False, *fault[1])

    def shows(self, name: str, targets: Targets = ()) -> bool:
        """Whether that fault's effect can be seen now, injected or not."""
        kind = self._kind(name)
        return kind.shows(*self._chosen(name, kind, targets))

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

    def _chosen(self, name: str, kind: FaultKind, given: Targets) -> tuple[str, ...]:
        """Checked targets; the only bus or chip may be left out."""
        chosen = tuple(self._other_names.get(target, target) for target in given)
        if not chosen and all(len(allowed) == 1 for allowed in kind.allowed):
            chosen = tuple(allowed[0] for allowed in kind.allowed)
        check_targets(name, kind.allowed, chosen)
        return chosen


def check_targets(name: str, allowed: tuple[Targets, ...], given: Targets) -> None:
    """Raises FaultError unless ``given`` are what each target may be, and none of them twice."""
    known = all(target in each for target, each in zip(given, allowed, strict=False))
    if known and len(given) == len(allowed) == len({*given}):
        return
    raise FaultError(
        "{name} takes {wanted}, not {given!r}.",
        remedy="Name what is to fail.",
        name=name,
        wanted=" and ".join(f"one of {_listed(each)}" for each in allowed) or "nothing",
        given=" ".join(given),
    )


def _listed(known: Targets) -> str:
    return ", ".join(known) if len(known) <= 6 else f"{known[0]} to {known[-1]}"
