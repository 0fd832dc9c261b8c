"""What can fail at a table: each fault is applied where the real one would be, and proves it."""

from __future__ import annotations

import errno
import resource
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from firmware_host.config.files import JOURNAL_NAME
from hw_sim.boards import CHANNEL_A, READINGS, HallBoard, LitBoard
from hw_sim.buses.i2c import I2cBus, Message
from hw_sim.buses.spi import MAX_BYTES, SpiPort
from hw_sim.buses.timing import SPI_DMA_BYTES
from hw_sim.chips.hall import NOISE_RMS_MT, QUIESCENT_V, SENSITIVITY_V_MT
from hw_sim.chips.inertial import InertialChip
from hw_sim.chips.mcp23017 import Mcp23017
from hw_sim.chips.ws2812 import BYTES_PER_LIGHT
from hw_sim.clock import in_time
from hw_sim.errors import FaultError
from hw_sim.world.pieces import Piece
from hw_sim.world.world import BOUNCE_S, Button

if TYPE_CHECKING:
    from hw_sim.table import SimTable

Targets = Sequence[str]


class FaultKind(NamedTuple):
    """``turn(on, *things)``: break it (True) or mend it. ``shows(*things)``: whether its effect can
    be seen now. ``named``: what each of its targets may be. ``momentary``: it happens, and is over.
    """

    turn: Callable[..., object]
    shows: Callable[..., bool]
    named: tuple[Mapping[str, Any], ...] = ()
    momentary: bool = False


Kinds = Iterator[tuple[str, FaultKind]]

# Of the sensors under the places, their wires, and the magnets above them

WEAK_MAGNET = 0.3  # a strong magnet then reads 3.6 mT, between weak and strong; a weak one 0.8
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
    board = table.hall_board
    places = {place: index for index, place in enumerate(table.profile.places)}
    if board is None:
        return

    def swap(_on: bool, one: int, other: int) -> None:
        board.swap_wires(one, other)

    yield "sensor-dead", FaultKind(board.set_dead, board.is_dead, (places,))
    yield "sensor-stuck", FaultKind(board.set_stuck, board.is_stuck, (places,))
    yield (
        "sensor-swapped",
        FaultKind(swap, lambda one, other: board.wire_of(one) == other, (places, places)),
    )
    if not isinstance(board, HallBoard):
        return

    def drifts(index: int) -> bool:
        """Within the next minute, by more than a weak magnet's share."""
        return board.crept_mt(index, table.clock.now() + 60.0) > 1.0

    def is_noisy(index: int) -> bool:
        usual_v = NOISE_RMS_MT * SENSITIVITY_V_MT * board.noise_factor
        return statistics.pstdev(board.probe(index)) > 3 * usual_v

    yield "sensor-drift", FaultKind(board.set_drifting, drifts, (places,))
    yield "sensor-noisy", FaultKind(board.set_noisy, is_noisy, (places,))
    yield from _lit_kinds(table, board)


def _lit_kinds(table: SimTable, board: HallBoard) -> Kinds:
    """What the lights do to sensors that measure."""
    lit = LitBoard(table)

    def light(sizes: Mapping[str, float], on: bool) -> None:
        for figure, size in sizes.items():
            setattr(lit, figure, size if on else 0.0)
        board.under(lit)

    def acts() -> bool:
        """With every light white, on a sensor of the last row."""
        last, white_a = table.profile.size - 1, table.chain.count * 3 * CHANNEL_A
        shifted_v = lit.shifted_v(last, QUIESCENT_V, white_a) - QUIESCENT_V
        return abs(shifted_v) > 0.005 or lit.heat_k > 1.0

    for name, sizes in BY_LIGHTS.items():
        yield name, FaultKind(partial(light, sizes), acts)


def magnet_kinds(table: SimTable) -> Kinds:
    """Faults of the magnet in the piece that stands on a place."""
    world, profile = table.world, table.profile
    places = {place: index for index, place in enumerate(profile.places)}
    changed: dict[tuple[float, int], Piece] = {}

    def change(factor: float, on: bool, index: int) -> None:
        piece = world.piece_at(index) if on else changed.pop((factor, index))
        if piece is None:
            raise FaultError(
                "No piece stands on {place} whose magnet could be weak.",
                remedy="Put one there first.",
                place=profile.places[index],
            )
        piece.factor *= factor if on else 1 / factor
        if on:
            changed[factor, index] = piece
        world.changed(piece)

    def shows(factor: float, index: int) -> bool:
        """By the share of its rated field that is felt under the piece: below what the spread of
        magnets allows, or the other pole, as of one glued in the wrong way round.
        """
        piece = changed.get((factor, index))
        if piece is None:
            return False
        disc = piece.kind.disc
        rated_mt = disc.vertical_mt(0.0, profile.gap_mm + disc.height_mm / 2) * piece.kind.sign
        share = world.field_of_mt(piece, index, table.clock.now()) / rated_mt
        return share < 0.0 if factor == TURNED else abs(share) < 0.5

    for name, factor in (("weak-magnet", WEAK_MAGNET), ("magnet-turned", TURNED)):
        yield name, FaultKind(partial(change, factor), partial(shows, factor), (places,))


# Of buttons and lights

LIGHTS_HZ = 2_400_000
MISREAD = 1 / 30  # of the bytes, where 3.3 V drive a line that wants 3.5 V (WS2812B, VIH 0.7 VDD)


def button_kinds(table: SimTable) -> Kinds:
    """Faults of the buttons, where there are some."""

    def wear(on: bool, button: Button) -> None:
        button.worn = on

    def chatters(button: Button) -> bool:
        return button.chatter_s > BOUNCE_S

    if table.profile.panel is not None:
        yield "button-bounce", FaultKind(wear, chatters, (table.world.buttons,))


def lights_kinds(table: SimTable) -> Kinds:
    """Faults of the strip, where there is one."""
    chain, stream = table.chain, table.streams.stream("lights-level")

    def cut(on: bool) -> None:
        chain.supply_failed = on
        chain.power_on(table.clock.now())  # dark, when it goes and when it comes back

    def is_dark() -> bool:
        probe = deepcopy(chain)
        probe.receive(bytes([255]) * probe.count * BYTES_PER_LIGHT, table.clock.now() + 1.0)
        return not any(map(any, probe.colours))

    def misread(data: bytes) -> bytes:
        """Without a 74AHCT125: a high that is too low is a 0 now and then."""
        return bytes(
            byte & ~(1 << stream.randrange(8)) if stream.random() < MISREAD else byte
            for byte in data
        )

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

    if chain.count:
        yield "lights-brownout", FaultKind(cut, is_dark)
        yield "lights-level", FaultKind(spoil, partial(_damages, lambda: chain.line, 4096))
        if chain is table.buses.light_port.chip:
            yield "lights-gaps", FaultKind(gap, has_gaps)


def _damages(line: Callable[[], Callable[[bytes], bytes]], count: int) -> bool:
    """Whether so many bytes do not come through a line as they were sent."""
    sent = bytes([255]) * count
    return line()(sent) != sent


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

    def nack(on: bool, bus: I2cBus) -> None:
        bus.nacking = {*bus.chips} if on else set()

    def stick(on: bool, bus: I2cBus) -> None:
        bus.stuck = on

    def fails_with(error: int, bus: I2cBus) -> bool:
        """Whether addressing each chip does, tried on a clock of its own."""
        probe = copy(bus)
        probe.clock = copy(table.clock)
        return all(_error_of(probe, address) == error for address in probe.chips)

    def silence(on: bool, port: SpiPort) -> None:
        port.silent = 0x00 if on else None

    def is_silent(port: SpiPort) -> bool:
        probe = copy(port)
        probe.clock = copy(table.clock)
        return not any(probe.transfer(READ_CHANNEL_0, READ_HZ, 0))

    if buses:
        yield "i2c-nack", FaultKind(nack, partial(fails_with, errno.EREMOTEIO), (buses,))
        yield "i2c-stuck", FaultKind(stick, partial(fails_with, errno.ETIMEDOUT), (buses,))
    if ports:
        yield "spi-silent", FaultKind(silence, is_silent, (ports,))


def _error_of(bus: I2cBus, address: int) -> int | None:
    """The error of addressing a chip; None: it answers."""
    try:
        bus.transfer([Message(address, b"")])
    except OSError as error:
        return error.errno
    return None


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

    yield "line-noise", FaultKind(hiss, partial(_damages, lambda: line.noise, 100_000))
    yield "node-reenumerated", FaultKind(replug, is_gone)
    yield "node-unplugged", FaultKind(pull_out, is_gone)


# In a chip on the I2C bus: a reset, a wrong identity, a dead axis

AXES = {"x": 0, "y": 1, "z": 2}
OTHER_ID = 0x12  # an ICM-20602: not an LSM6DSOX, an MPU-6050, nor a clone with its registers


def chip_kinds(table: SimTable) -> Kinds:
    """Faults of the tilt sensor, "imu", and of each expander, by its address, "0x20"."""
    imu = table.imu
    chips: dict[str, InertialChip | Mcp23017] = {} if imu is None else {"imu": imu}
    chips |= {f"{address:#04x}": chip for address, chip in table.expanders.items()}

    def reset(on: bool, chip: InertialChip | Mcp23017) -> None:
        if on:
            chip.reset(table.clock.now())

    if not table.buses.i2c_buses:
        return
    yield "chip-reset", FaultKind(reset, lambda chip: chip.is_reset, (chips,), momentary=True)
    if imu is None:
        return
    genuine = imu.who_am_i

    def identify(on: bool, chip: InertialChip) -> None:
        chip.who_am_i = OTHER_ID if on else genuine

    def says_other(chip: InertialChip) -> bool:
        """Whether the chip gives a strange identity on its bus."""
        now_s = table.clock.now()
        chip.write(bytes([chip.WHO_AM_I]), now_s)
        return (chip.read(1, now_s) or b"\0")[0] == OTHER_ID

    def deaden(on: bool, axis: int) -> None:
        (imu.dead_axes.add if on else imu.dead_axes.discard)(axis)

    def stands_still(axis: int) -> bool:
        """Whether that axis of the accelerometer feels nothing at all, not even its own noise."""
        now_s = table.clock.now()
        return not any(imu.accel_words(now_s)[axis] for _ in range(READINGS))

    yield "wrong-id", FaultKind(identify, says_other, ({"imu": imu},))
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

    def is_full(self) -> bool:
        """Whether it takes nothing more, tried with a file of its own."""
        probe = self._state / "probe"
        try:
            probe.write_bytes(bytes(self._log_bytes() + 1))
        except OSError:
            return True
        finally:
            probe.unlink(missing_ok=True)
        return False

    def set_full(self, on: bool) -> None:
        """Fill the disk: it takes nothing more; or make room on it again."""
        if on and self._limits is None:
            self._limits = resource.getrlimit(resource.RLIMIT_FSIZE)  # Python ignores SIGXFSZ
        if self._limits is not None:
            soft, hard = self._limits
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._log_bytes() if on else soft, hard))
        if not on:
            self._limits = None

    def reopened(self) -> None:
        """The journal was closed and opened: its log has begun anew."""
        if self._limits is not None:
            self.set_full(True)

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
        yield "disk-full", FaultKind(disk.set_full, disk.is_full)


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

    def targets_of(self, name: str) -> tuple[tuple[str, ...], ...]:
        """What each target of that fault may be. Raises FaultError for an unknown fault."""
        return tuple(tuple(each) for each in self._kind(name).named)

    def inject(self, name: str, targets: Targets = ()) -> None:
        """Break something, and see that it is broken.

        Raises FaultError for an unknown fault or target, one already there, or no visible effect.
        """
        kind = self._kind(name)
        chosen, things = self._chosen(name, kind, targets)
        if (name, chosen) in self.active:
            raise FaultError(
                "{name} {targets} is already there.",
                remedy="Heal it first.",
                name=name,
                targets=" ".join(chosen),
            )
        kind.turn(True, *things)
        if not kind.shows(*things):
            kind.turn(False, *things)
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
        wanted = self._chosen(name, kind, targets)[0] if targets else None
        found = [each for each in self.active if each[0] == name and wanted in (None, each[1])]
        if not found and not kind.momentary:
            raise FaultError(
                "There is no {name} {targets} to heal.",
                remedy="Name a fault that was injected.",
                name=name,
                targets=" ".join(targets),
            )
        for fault in found:
            self.active.remove(fault)
            kind.turn(False, *self._chosen(name, kind, fault[1])[1])

    def shows(self, name: str, targets: Targets = ()) -> bool:
        """Whether that fault's effect can be seen now, injected or not."""
        kind = self._kind(name)
        return kind.shows(*self._chosen(name, kind, targets)[1])

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

    def _chosen(
        self, name: str, kind: FaultKind, given: Targets
    ) -> tuple[tuple[str, ...], list[Any]]:
        """Checked targets, and what they name; the only bus or chip may be left out."""
        chosen = tuple(self._other_names.get(target, target) for target in given)
        if not chosen and all(len(named) == 1 for named in kind.named):
            chosen = tuple(next(iter(named)) for named in kind.named)
        check_targets(name, kind.named, chosen)
        return chosen, [named[target] for named, target in zip(kind.named, chosen, strict=True)]


def check_targets(name: str, allowed: Sequence[Collection[str]], given: Targets) -> None:
    """Raises FaultError unless ``given`` are what each target may be, and none of them twice."""
    known = all(target in each for target, each in zip(given, allowed, strict=False))
    if known and len(given) == len(allowed) == len({*given}):
        return
    raise FaultError(
        "{name} takes {wanted}, not {given!r}.",
        remedy="Name what is to fail.",
        name=name,
        wanted=" and ".join(f"one of {_listed([*each])}" for each in allowed) or "nothing",
        given=" ".join(given),
    )


def _listed(known: Targets) -> str:
    return ", ".join(known) if len(known) <= 6 else f"{known[0]} to {known[-1]}"
