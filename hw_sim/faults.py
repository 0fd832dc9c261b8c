"""The faults of a simulated table. Each fault is applied to the part where the real fault would
occur, and its effect is verified.
"""

from __future__ import annotations

import errno
import os
import resource
import statistics
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message, nearest, text
from tiltboard.hw_sim.boards import CHANNEL_A, READINGS, HallBoard, LitBoard, SwitchBoard
from tiltboard.hw_sim.buses import SimBuses
from tiltboard.hw_sim.buses.i2c import I2cBus, I2cMessage
from tiltboard.hw_sim.buses.serial import SimLine
from tiltboard.hw_sim.buses.spi import MAX_BYTES, SpiPort
from tiltboard.hw_sim.buses.timing import SPI_DMA_BYTES
from tiltboard.hw_sim.chips.hall import NOISE_RMS_MT, QUIESCENT_V, SENSITIVITY_V_MT
from tiltboard.hw_sim.chips.inertial import InertialChip
from tiltboard.hw_sim.chips.mcp23017 import Mcp23017
from tiltboard.hw_sim.chips.ws2812 import BYTES_PER_LIGHT, Ws2812Chain
from tiltboard.hw_sim.clock import VirtualClock, in_time
from tiltboard.hw_sim.errors import FaultError
from tiltboard.hw_sim.node import SimNode
from tiltboard.hw_sim.rng import Stream, Streams
from tiltboard.hw_sim.world.pieces import SimulatedPiece
from tiltboard.hw_sim.world.world import BOUNCE_S, Button, World

Targets = Sequence[str]
Shows = Callable[[], bool]
Failing = Iterator[Shows]
"""A generator for one fault: it breaks something, yields a function that returns whether the fault
has an effect now, and repairs the part when it is resumed.
"""
# What each fault is called on the page and in errors.
TITLES = {
    "sensor-dead": text("A sensor is dead"),
    "sensor-stuck": text("A sensor is stuck"),
    "sensor-drift": text("A sensor drifts"),
    "sensor-noisy": text("A sensor is noisy"),
    "sensor-swapped": text("Two sensors are swapped"),
    "weak-magnet": text("A piece has a weak magnet"),
    "magnet-turned": text("A piece's magnet is the wrong way round"),
    "i2c-nack": text("A whole bus is silent"),
    "i2c-stuck": text("A bus is stuck"),
    "wrong-id": text("Another chip than expected"),
    "chip-reset": text("A chip starts again"),
    "imu-axis-dead": text("An axis of the tilt sensor is dead"),
    "spi-silent": text("The converter is silent"),
    "lights-brownout": text("The lights lose their power"),
    "button-bounce": text("A button bounces"),
    "ground-shift": text("The lights shift the sensors' ground"),
    "supply-sag": text("The lights pull the supply down"),
    "lights-heat": text("The lights warm the sensors"),
    "lights-pulsed": text("The lights are switched in phase"),
    "rails-field": text("Sensors pick up the lights' power"),
    "lights-gaps": text("The lights' line has gaps"),
    "lights-level": text("The lights misread their line"),
    "line-noise": text("The plate's cable is noisy"),
    "node-reenumerated": text("The plate's USB drops out"),
    "scan-pauses": text("The Pi pauses now and then"),
    "scan-stall": text("The Pi is too busy"),
    "disk-full": text("The disk is full"),
    "node-unplugged": text("The plate's cable is pulled"),
}


class FaultyTable(Protocol):
    """The parts of a simulated table that faults can affect (tiltboard.hw_sim.table.SimTable)."""

    profile: Profile
    world: World
    clock: VirtualClock
    streams: Streams
    buses: SimBuses
    expanders: dict[int, Mcp23017]
    hall_board: HallBoard | SwitchBoard | None
    chain: Ws2812Chain
    imu: InertialChip | None
    node: SimNode | None
    disk: SimDisk | None

    def strip_rgb(self, index: int, /) -> tuple[int, int, int]:
        """Return the present colour of the light at plate place ``index``, 0 to 255 for each
        channel.
        """


def _switched(set_on: Callable[..., object], shows: Callable[..., bool], *things: Any) -> Failing:
    set_on(True, *things)
    yield partial(shows, *things)
    set_on(False, *things)


# Faults of the sensors under the places, of their wires, and of the magnets.

# Factor for the field of a weakened magnet. A strong magnet then reads 3.6 mT, between the classes
# weak and strong; a weak magnet reads 0.8 mT.
WEAK_MAGNET = 0.3
TURNED = -1.0  # Factor for the field of a magnet that is glued in upside down.
OF_MAGNETS = ("weak-magnet", "magnet-turned")
# Realistic strengths of the lights' disturbances. ground-shift: 5 milliohm of shared ground up to
# the last row (20 mV at 4 A). supply-sag: load regulation of 1 % at 4 A. lights-heat: a white light
# 10 mm above a sensor. rails-field: rails 3 to 5 mm below the sensors, fed at one end, 0.13 mT at 1
# A and 0.26 mT at 2 A. lights-pulsed: the PWM of 100 WS2812B lights in phase draws 6 A or nothing,
# which shifts the shared ground by 30 mV.
BY_LIGHTS = {
    "ground-shift": {"ground_v_a": 0.005},
    "supply-sag": {"sag_a": 0.0025},
    "lights-heat": {"heat_k": 15.0},
    "rails-field": {"rails_mt_a": 0.13},
    "lights-pulsed": {"ground_v_a": 0.005, "pulsed": 1.0},
}


def _swap_inputs(board: HallBoard | SwitchBoard, one: int, other: int) -> Failing:
    board.swap_wires(one, other)
    yield lambda: board.wire_of(one) == other
    board.swap_wires(one, other)


def _drifts(board: HallBoard, clock: VirtualClock, index: int) -> bool:
    """Return whether the sensor drifts by more than 1 mT, about a weak magnet's field, within a
    minute.
    """
    return board.crept_mt(index, clock.now() + 60.0) > 1.0


def _is_noisy(board: HallBoard, index: int) -> bool:
    usual_v = NOISE_RMS_MT * SENSITIVITY_V_MT * board.noise_factor
    return statistics.pstdev(board.probe(index)) > 3 * usual_v


def _add_light_effects(
    table: FaultyTable, board: HallBoard, lit: LitBoard, sizes: Mapping[str, float]
) -> Failing:
    """Let the lights disturb analogue sensors. ``sizes``: strength of each effect of LitBoard."""
    last, white_a = table.profile.size - 1, table.chain.count * 3 * CHANNEL_A

    def acts() -> bool:
        """Return whether a sensor of the last row shows the effect when every light is white."""
        shifted_v = lit.shifted_v(last, QUIESCENT_V, white_a) - QUIESCENT_V
        return abs(shifted_v) > 0.005 or lit.heat_k > 1.0

    for figure, size in sizes.items():
        setattr(lit, figure, size)
    board.under(lit)
    yield acts
    for figure in sizes:
        setattr(lit, figure, 0.0)


def _magnet(table: FaultyTable, factor: float, index: int) -> Failing:
    """Multiply the field of the piece at place ``index`` by ``factor``. Raises FaultError if the
    place is empty.
    """
    world, profile = table.world, table.profile
    piece = world.piece_at(index)
    if piece is None:
        raise FaultError(
            "No piece stands on {place} whose magnet could fail.",
            remedy="Put one there first.",
            place=profile.places[index],
        )
    disc = piece.kind.disc
    rated_mt = disc.vertical_mt(0.0, profile.gap_mm + disc.height_mm / 2) * piece.kind.sign

    def shows() -> bool:
        """Return whether the field is weaker than the spread of magnets allows.

        For a magnet that is glued in upside down, return whether the other pole is detected.
        """
        share = world.field_of_mt(piece, index, table.clock.now()) / rated_mt
        return share < 0.0 if factor == TURNED else abs(share) < 0.5

    piece.factor *= factor
    world.changed(piece)
    yield shows
    piece.factor /= factor
    world.changed(piece)


# Faults of buttons and lights.

LIGHTS_HZ = 2_400_000
# Fraction of bytes that are misread if a 3.3 V signal drives a line that needs 3.5 V (WS2812B, VIH
# 0.7 VDD).
MISREAD = 1 / 30


def _bounce(button: Button) -> Failing:
    button.worn = True
    yield lambda: button.chatter_s > BOUNCE_S
    button.worn = False


def _brownout(chain: Ws2812Chain, clock: VirtualClock) -> Failing:
    """Cut the lights' supply until the fault is repaired. All lights turn dark and stay dark until
    new data arrives.
    """

    def is_dark() -> bool:
        probe = deepcopy(chain)
        probe.receive(bytes([255]) * probe.count * BYTES_PER_LIGHT, clock.now() + 1.0)
        return not any(map(any, probe.colours))

    chain.supply_failed = True
    chain.power_on(clock.now())
    yield is_dark
    chain.supply_failed = False
    chain.power_on(clock.now())


def _misread(chain: Ws2812Chain, stream: Stream) -> Failing:
    """Change ones to zeros at random, as happens if the signal level is too low without a
    74AHCT125.
    """

    def misread(data: bytes) -> bytes:
        return bytes(
            byte & ~(1 << stream.randrange(8)) if stream.random() < MISREAD else byte
            for byte in data
        )

    chain.line = misread
    yield lambda: _damages(chain.line, 4096)
    chain.line = bytes


def _gaps(chain: Ws2812Chain, clock: VirtualClock) -> Failing:
    def has_gaps() -> bool:
        """Return whether a dark frame, sent over SPI, arrives with other colours."""
        probe = deepcopy(chain)
        dark = int("100" * 8 * BYTES_PER_LIGHT * probe.count, 2)
        sent = dark.to_bytes(3 * BYTES_PER_LIGHT * probe.count)
        probe.transfer(sent, LIGHTS_HZ, 0, clock.now() + 1.0)
        return any(map(any, probe.colours))

    chain.gaps_under = MAX_BYTES + 1
    yield has_gaps
    chain.gaps_under = SPI_DMA_BYTES


def _damages(line: Callable[[bytes], bytes], count: int) -> bool:
    """Return whether the line changes any of ``count`` bytes sent through it."""
    sent = bytes([255]) * count
    return line(sent) != sent


# Faults between the Pi and the chips: I2C, SPI and the node's cable.

# Command to an MCP3008 to read channel 0 (DS21295D section 6.1).
READ_CHANNEL_0 = bytes([0x01, 0x80, 0x00])
READ_HZ = 1_000_000
# Fraction of bytes that the brushes of a slip ring damage, about three frames per second.
NOISE = 1 / 2000


def _nack(bus: I2cBus) -> Failing:
    bus.nacking = {*bus.chips}
    yield lambda: _fails_with(errno.EREMOTEIO, bus)
    bus.nacking = set()


def _stuck(bus: I2cBus) -> Failing:
    bus.stuck = True
    yield lambda: _fails_with(errno.ETIMEDOUT, bus)
    bus.stuck = False


def _fails_with(error: int, bus: I2cBus) -> bool:
    """Return whether every chip on the bus fails with ``error``. Uses a copy of the clock."""
    probe = copy(bus)
    probe.clock = copy(bus.clock)
    found = []
    for address in probe.chips:
        try:
            probe.transfer([I2cMessage(address, b"")])
        except OSError as failure:
            found.append(failure.errno)
    return found == [error] * len(probe.chips)


def _silent(port: SpiPort) -> Failing:
    def is_silent() -> bool:
        probe = copy(port)
        probe.clock = copy(port.clock)
        return not any(probe.transfer(READ_CHANNEL_0, READ_HZ, 0))

    port.silent = 0x00
    yield is_silent
    port.silent = None


def _noise(line: SimLine, stream: Stream) -> Failing:
    def brushes(data: bytes) -> bytes:
        return bytes(b ^ 1 << stream.randrange(8) if stream.random() < NOISE else b for b in data)

    line.noise = brushes
    yield lambda: _damages(line.noise, 100_000)
    line.noise = bytes


def _reenumerated(node: SimNode) -> Failing:
    node.line.unplug()
    yield lambda: not node.line.plugged
    node.replug()


def _unplugged(node: SimNode, clock: VirtualClock) -> Failing:
    node.unplug()
    yield lambda: not node.line.plugged
    node.power_on(clock.now())


# Faults in a chip on the I2C bus: a reset, a wrong identity, a dead axis.

AXES = {"x": 0, "y": 1, "z": 2}
# Identity of an ICM-20602, which is not an LSM6DSOX, an MPU-6050 or one of its clones.
OTHER_ID = 0x12


def _reset(clock: VirtualClock, chip: InertialChip | Mcp23017) -> Failing:
    chip.reset(clock.now())
    yield lambda: chip.is_reset


def _other_id(clock: VirtualClock, chip: InertialChip) -> Failing:
    def says_other() -> bool:
        """Return whether the chip answers on its bus with the identity of another chip."""
        now_s = clock.now()
        chip.write(bytes([chip.WHO_AM_I]), now_s)
        return (chip.read(1, now_s) or b"\0")[0] == OTHER_ID

    genuine, chip.who_am_i = chip.who_am_i, OTHER_ID
    yield says_other
    chip.who_am_i = genuine


def _dead_axis(chip: InertialChip, clock: VirtualClock, axis: int) -> Failing:
    def stands_still() -> bool:
        """Return whether the accelerometer reads exactly 0 along the axis, without noise."""
        return not any(chip.accel_words(clock.now())[axis] for _ in range(READINGS))

    chip.dead_axes.add(axis)
    yield stands_still
    chip.dead_axes.discard(axis)


# Faults in the Pi that runs the table: its time and its disk.

STALL_S = 0.6  # Delay of each scan in seconds while the Pi is busy with another program.
# Shortest and longest pause in seconds, as when an SD card writes or a browser starts.
PAUSE_S = 0.05, 0.3
PAUSES = 1 / 100  # Fraction of scans with a pause, about one every two seconds.
SLEEPS = 200


def _late(clock: VirtualClock, late_s: Callable[[], float], least_s: float) -> Failing:
    """Make each sleep late by ``late_s()``. ``least_s``: minimum total delay of ``SLEEPS`` sleeps
    that counts as an effect.
    """

    def is_late() -> bool:
        probe = copy(clock)
        for _ in range(SLEEPS):
            probe.sleep(1.0)
        return probe.now() - clock.now() > SLEEPS + least_s

    clock.late_s = late_s
    yield is_late
    clock.late_s = in_time


NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


class SimDisk:
    """The folder of journal and calibration, on a disk that can be full.

    A full disk is simulated by RLIMIT_FSIZE: the kernel refuses every write that would make a file
    longer than the journal's log, as a quota does (EFBIG, for the whole process and even for root).
    So the same writes fail as on a full disk, at the same system call. Programs started while the
    disk is full inherit the limit and must not write bytecode: Python 3.11 would leave half a file
    and later fail to load it.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._limits: tuple[int, int] | None = None
        # Previous settings of Python's bytecode: the flag and the environment variable.
        self._kept: tuple[bool, str | None] = False, None

    def is_full(self) -> bool:
        """Return whether the disk refuses more bytes, tested with a probe file."""
        probe = self._state / "probe"
        try:
            probe.write_bytes(bytes(self._log_bytes() + 1))
        except OSError:
            return True
        finally:
            probe.unlink(missing_ok=True)
        return False

    def set_full(self, on: bool) -> None:
        """Fill the disk so that no file can grow, or free space again."""
        if on and self._limits is None:
            # Python ignores the signal SIGXFSZ, so that the refused write raises OSError.
            self._limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            self._kept = sys.dont_write_bytecode, os.environ.get(NO_BYTECODE)
            sys.dont_write_bytecode, os.environ[NO_BYTECODE] = True, "1"
        if self._limits is not None:
            soft, hard = self._limits
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._log_bytes() if on else soft, hard))
        if not on and self._limits is not None:
            self._limits = None
            sys.dont_write_bytecode, said = self._kept
            os.environ.pop(NO_BYTECODE)
            if said is not None:
                os.environ[NO_BYTECODE] = said

    def refill_after_reopening(self) -> None:
        """Fill the disk again after the journal was reopened, so that only the space of its new log
        remains.
        """
        if self._limits is not None:
            self.set_full(True)

    def _log_bytes(self) -> int:
        """Return the size of the journal's write-ahead log, which only grows until the journal is
        closed.
        """
        log = self._state / f"{JOURNAL_NAME}-wal"
        return log.stat().st_size if log.exists() else 0


# A target is a place ("d4"), a button ("confirm"), an I2C bus ("1" or "i2c-1"), a chip ("imu",
# "mpu6050" or "0x20") or an axis ("x"). A fault of the only bus or chip of its kind needs no
# target.

MOMENTARY = frozenset({"chip-reset"})  # Faults that end immediately and need no repair.
Kind = tuple[Callable[..., Failing], tuple[Mapping[str, Any], ...]]
"""A function that starts the fault, called with one object per target, and for each target the
possible objects by name.
"""


def kinds(table: FaultyTable) -> dict[str, Kind]:
    """Return every fault that this table can have, by name. Faults of sensors from another package
    are not included.
    """
    clock, chain, board = table.clock, table.chain, table.hall_board
    imu, node, buses, stream = table.imu, table.node, table.buses, table.streams.stream
    places = {place: index for index, place in enumerate(table.profile.places)}
    found: dict[str, Kind] = {}
    if board is not None:
        found["sensor-dead"] = partial(_switched, board.set_dead, board.is_dead), (places,)
        found["sensor-stuck"] = partial(_switched, board.set_stuck, board.is_stuck), (places,)
        found["sensor-swapped"] = partial(_swap_inputs, board), (places, places)
    if isinstance(board, HallBoard):
        drifts, is_noisy = partial(_drifts, board, clock), partial(_is_noisy, board)
        found["sensor-drift"] = partial(_switched, board.set_drifting, drifts), (places,)
        found["sensor-noisy"] = partial(_switched, board.set_noisy, is_noisy), (places,)
        lit = LitBoard(table.profile, chain, table.world.climate, table.strip_rgb)
        for name, sizes in BY_LIGHTS.items():
            found[name] = partial(_add_light_effects, table, board, lit, sizes), ()
    found["weak-magnet"] = partial(_magnet, table, WEAK_MAGNET), (places,)
    found["magnet-turned"] = partial(_magnet, table, TURNED), (places,)
    if table.profile.panel is not None:
        found["button-bounce"] = _bounce, (table.world.buttons,)
    if buses.i2c_buses:
        numbered = {str(number): bus for number, bus in buses.i2c_buses.items()}
        found["i2c-nack"] = _nack, (numbered,)
        found["i2c-stuck"] = _stuck, (numbered,)
        chips = {f"{address:#04x}": chip for address, chip in table.expanders.items()}
        named = chips if imu is None else {"imu": imu, **chips}
        found["chip-reset"] = partial(_reset, clock), (named,)
        if imu is not None:
            found["wrong-id"] = partial(_other_id, clock), ({"imu": imu},)
            found["imu-axis-dead"] = partial(_dead_axis, imu, clock), (AXES,)
    if buses.spi_ports:
        ports = {f"{bus}.{select}": port for (bus, select), port in buses.spi_ports.items()}
        found["spi-silent"] = _silent, (ports,)
    if node is not None:
        found["line-noise"] = partial(_noise, node.line, stream("line-noise")), ()
        found["node-reenumerated"] = partial(_reenumerated, node), ()
        found["node-unplugged"] = partial(_unplugged, node, clock), ()
    if chain.count:
        found["lights-brownout"] = partial(_brownout, chain, clock), ()
        found["lights-level"] = partial(_misread, chain, stream("lights-level")), ()
        if chain is buses.light_port.chip:
            found["lights-gaps"] = partial(_gaps, chain, clock), ()
    chance = stream("stalls")

    def pause_s() -> float:
        return chance.uniform(*PAUSE_S) if chance.random() < PAUSES else 0.0

    found["scan-stall"] = partial(_late, clock, lambda: STALL_S, SLEEPS * STALL_S / 2), ()
    found["scan-pauses"] = partial(_late, clock, pause_s, PAUSE_S[0]), ()
    if table.disk is not None:
        found["disk-full"] = partial(_switched, table.disk.set_full, table.disk.is_full), ()
    return found


class _Broken(NamedTuple):
    """A fault that is active."""

    name: str
    targets: tuple[str, ...]
    piece: SimulatedPiece | None
    """The piece with the broken magnet, or None for faults of other parts."""
    failing: Failing


class Faults:
    """The possible and the active faults of one table."""

    def __init__(self, table: FaultyTable) -> None:
        self._kinds = kinds(table)
        self._world = table.world
        self._places = table.profile.places
        self._failing: list[_Broken] = []
        self._other_names = {f"i2c-{number}": str(number) for number in table.buses.i2c_buses}
        if table.imu is not None:
            self._other_names[type(table.imu).__name__.lower()] = "imu"

    @property
    def active(self) -> list[tuple[str, tuple[str, ...]]]:
        """Name and targets of every active fault, in the order of injection. The target of a
        magnet's fault is the place where the piece stands now.
        """
        return [(each.name, self._targets_now(each)) for each in self._failing]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all faults that this table can have."""
        return tuple(self._kinds)

    def targets_of(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return the allowed values of each target of a fault. Raises FaultError for an unknown
        fault.
        """
        return tuple(tuple(each) for each in self._kind(name)[1])

    def inject(self, name: str, targets: Targets = ()) -> Shows:
        """Start a fault, verify its effect, and return a function that tests whether the effect is
        still there.

        Raises FaultError for an unknown fault or target, a fault that is already active, or a fault
        without an effect.
        """
        begin, named = self._kind(name)
        chosen = self._chosen(name, targets)
        if (name, chosen) in self.active:
            raise FaultError(
                "{fault}: it is broken already.",
                remedy="Repair it first.",
                fault=_called(name, chosen),
            )
        things = [each[target] for each, target in zip(named, chosen, strict=True)]
        failing = begin(*things)
        shows = next(failing)
        if not shows():
            next(failing, None)
            raise FaultError(
                "{fault}: this has no effect now.",
                remedy="Another fault may hide it. Repair that one first.",
                fault=_called(name, chosen),
            )
        if name not in MOMENTARY:
            piece = self._world.piece_at(things[0]) if name in OF_MAGNETS else None
            self._failing.append(_Broken(name, chosen, piece, failing))
        return shows

    def heal(self, name: str, targets: Targets = ()) -> None:
        """Repair a fault, or without targets every fault with that name.

        The target of a magnet's fault is the place where the piece stands now, or where it stood
        when the magnet broke. A momentary fault (chip-reset) is already over. Raises FaultError if
        the fault is not active.
        """
        self._kind(name)
        chosen = self._chosen(name, targets) if targets else None
        named = [each for each in self._failing if each.name == name]
        found = [each for each in named if chosen in (None, self._targets_now(each))]
        found = found or [each for each in named if chosen == each.targets]
        if not found and name not in MOMENTARY:
            raise FaultError(
                "{fault}: there is nothing to repair.",
                remedy="Name a fault that is active now.",
                fault=_called(name, tuple(targets)),
            )
        for each in found:
            self._failing.remove(each)
            next(each.failing, None)

    def _targets_now(self, broken: _Broken) -> tuple[str, ...]:
        for index, place in enumerate(self._places if broken.piece is not None else ()):
            if self._world.piece_at(index) is broken.piece:
                return (place,)
        return broken.targets

    def _kind(self, name: str) -> Kind:
        kind = self._kinds.get(name)
        if kind is None:
            raise FaultError(
                "This table cannot have the fault {name!r}; {hint}",
                name=name,
                hint=nearest(name, self._kinds),
            )
        return kind

    def _chosen(self, name: str, given: Targets) -> tuple[str, ...]:
        """Return the targets of fault ``name``, checked. The caller can omit the only bus or chip
        of its kind.
        """
        named = self._kinds[name][1]
        chosen = tuple(self._other_names.get(target, target) for target in given)
        if not chosen and all(len(each) == 1 for each in named):
            chosen = tuple(next(iter(each)) for each in named)
        check_targets(name, named, chosen)
        return chosen


def _called(name: str, targets: tuple[str, ...]) -> Message:
    """Return the title of a fault with its targets, for a sentence that players read."""
    title = TITLES[name]
    if not targets:
        return title
    return text("{fault} ({targets})", fault=title, targets=", ".join(targets))


def check_targets(name: str, allowed: Sequence[Collection[str]], given: Targets) -> None:
    """Raise FaultError unless ``given`` are allowed targets, one of each kind and no two equal."""
    known = all(target in each for target, each in zip(given, allowed, strict=False))
    if known and len(given) == len(allowed) == len({*given}):
        return
    if known and len(given) == len(allowed):
        raise FaultError("Name different targets: {given!r} has one twice.", given=" ".join(given))
    if not allowed:
        raise FaultError(
            "{name} takes no target, but {given!r} was given.",
            remedy="Give the fault's name alone.",
            name=name,
            given=" ".join(given),
        )
    wanted = [f"one of {_listed([*each])}" for each in allowed]
    example: list[str] = []
    for each in allowed:
        example.append(next(target for target in each if target not in example))
    raise FaultError(
        "{name} takes {wanted}, not {given}.",
        remedy="For example: {name} {example}",
        name=name,
        wanted=" and ".join(wanted),
        given=repr(" ".join(given)) if given else text("nothing"),
        example=" ".join(example),
    )


def _listed(known: Targets) -> str:
    return ", ".join(known) if len(known) <= 6 else f"{known[0]} to {known[-1]}"
