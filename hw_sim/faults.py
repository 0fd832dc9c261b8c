"""Faults of the simulated table: each is applied where the real one would be, and proves it.

A target is a place ("d4"), a button ("confirm"), an I2C bus ("1" or "i2c-1"), a chip ("imu" or
"mpu6050", "0x20") or an axis ("x"); a fault of the only bus or chip of its kind needs none.
"""

from __future__ import annotations

import errno
import statistics
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Protocol

from hw_sim.buses.i2c import I2cBus, Message
from hw_sim.chips import lsm6dsox, mcp23017, mpu6050
from hw_sim.chips.drv5055 import NOISE_RMS_MT, SENSITIVITY_V_MT
from hw_sim.chips.lsm6dsox import Lsm6dsox
from hw_sim.chips.mcp23017 import Mcp23017
from hw_sim.chips.mpu6050 import Mpu6050
from hw_sim.clock import VirtualClock
from hw_sim.errors import FaultError
from hw_sim.fault_kinds import Change, FaultKind, Proof, computer_kinds, lights_kinds, node_kinds
from hw_sim.hall_board import HallBoard
from hw_sim.world.buttons import BOUNCE_S

if TYPE_CHECKING:
    from hw_sim.table import SimTable
    from hw_sim.world.pieces import Piece

WEAK_MAGNET = 0.3  # a strong magnet then reads 3.6 mT, between weak and strong; a weak one 0.8
AXES = ("x", "y", "z")
OTHER_ID = 0x12  # an ICM-20602: not an LSM6DSOX, an MPU-6050, nor a clone with its registers
READINGS = 32
READ_CHANNEL_0 = bytes([0x01, 0x80, 0x00])  # MCP3008, DS21295D section 6.1
READ_HZ = 1_000_000


class _Resettable(Protocol):
    """A chip that can lose its settings."""

    def reset(self, now_s: float, /) -> None:
        """It does."""


class Faults:
    """What is wrong with one table. ``active``: name and targets, in the order of injection."""

    def __init__(self, table: SimTable) -> None:
        self._table = table
        self._weakened: dict[str, Piece] = {}
        self.active: list[tuple[str, tuple[str, ...]]] = []
        self._kinds: Mapping[str, FaultKind] = self._all_kinds()

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
            "chip": tuple(self._chips),
            "identity": ("imu",),
            "axis": AXES,
            "nothing": (),
            "spi": tuple(f"{bus}.{device}" for bus, device in self._table.buses.spi_ports),
        }[what]

    def _all_kinds(self) -> dict[str, FaultKind]:
        table = self._table
        board, buttons = table.hall_board, table.world.buttons

        def swap(targets: Sequence[str]) -> None:
            board.swap_wires(self._index(targets[0]), self._index(targets[1]))

        def worn(on: bool) -> Change:
            def change(targets: Sequence[str]) -> None:
                buttons[targets[0]].worn = on

            return change

        kinds = {
            "sensor-dead": self._sensor(board.set_dead, self._is_dead),
            "sensor-stuck": self._sensor(board.set_stuck, self._is_stuck),
            "weak-magnet": FaultKind(1, "place", self._weaken, self._strengthen, self._is_weak),
            "sensor-swapped": FaultKind(2, "place", swap, swap, self._are_swapped),
        }
        if isinstance(board, HallBoard):
            kinds["sensor-drift"] = self._sensor(board.set_drifting, self._drifts)
            kinds["sensor-noisy"] = self._sensor(board.set_noisy, self._is_noisy)
        if table.profile.panel is not None:
            kinds["button-bounce"] = FaultKind(
                1,
                "button",
                worn(True),
                worn(False),
                lambda t: buttons[t[0]].chatter_s > BOUNCE_S,
            )
        return {
            **kinds,
            **self._i2c_kinds(),
            **self._spi_kinds(),
            **node_kinds(table),
            **lights_kinds(table),
            **computer_kinds(table),
        }

    def _sensor(self, change: Callable[[int, bool], None], shows: Proof) -> FaultKind:
        def place(on: bool) -> Change:
            return lambda targets: change(self._index(targets[0]), on)

        return FaultKind(1, "place", place(True), place(False), shows)

    def _i2c_kinds(self) -> dict[str, FaultKind]:
        """Of the buses and of the chips on them."""
        table, imu = self._table, self._table.imu
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
                probe.clock = self._spare_clock()
                return all(_answer(probe, address) == expected for address in probe.chips)

            return shows

        kinds = {
            "i2c-nack": FaultKind(1, "i2c", nack, acknowledge, answers(errno.EREMOTEIO)),
            "i2c-stuck": FaultKind(1, "i2c", stick(True), stick(False), answers(errno.ETIMEDOUT)),
            "chip-reset": FaultKind(
                1,
                "chip",
                lambda t: self._chips[t[0]].reset(table.clock.now()),
                lambda _: None,
                lambda t: self._is_reset(t[0]),
                momentary=True,
            ),
        }
        if imu is not None:
            genuine = imu.who_am_i

            def identify(who_am_i: int) -> Change:
                def change(_targets: Sequence[str]) -> None:
                    imu.who_am_i = who_am_i

                return change

            kinds["wrong-id"] = FaultKind(
                1,
                "identity",
                identify(OTHER_ID),
                identify(genuine),
                lambda _: self._identity() == OTHER_ID,
            )
            kinds["imu-axis-dead"] = FaultKind(
                1,
                "axis",
                lambda t: imu.dead_axes.add(AXES.index(t[0])),
                lambda t: imu.dead_axes.discard(AXES.index(t[0])),
                lambda t: self._stands_still(imu, AXES.index(t[0])),
            )
        return kinds

    def _spi_kinds(self) -> dict[str, FaultKind]:
        ports = self._table.buses.spi_ports
        if not ports:
            return {}
        [spi] = ports.values()

        def silence(level: int | None) -> Change:
            def change(_targets: Sequence[str]) -> None:
                spi.silent = level

            return change

        def is_silent(_targets: Sequence[str]) -> bool:
            probe = copy(spi)
            probe.clock = self._spare_clock()
            return not any(probe.transfer(READ_CHANNEL_0, READ_HZ, 0))

        return {"spi-silent": FaultKind(1, "spi", silence(0x00), silence(None), is_silent)}

    def _stands_still(self, imu: Mpu6050 | Lsm6dsox, axis: int) -> bool:
        """Whether that axis of the accelerometer feels nothing at all, not even its own noise."""
        now_s = self._table.clock.now()
        return not any(imu.accel_words(now_s)[axis] for _ in range(READINGS))

    @property
    def _chips(self) -> dict[str, _Resettable]:
        """By name: "imu", and each expander by its address, "0x20"."""
        table = self._table
        chips: dict[str, _Resettable] = {} if table.imu is None else {"imu": table.imu}
        return chips | {f"{address:#04x}": chip for address, chip in table.expanders.items()}

    def _is_reset(self, name: str) -> bool:
        chip = self._chips[name]
        if isinstance(chip, Mcp23017):
            return chip.register(0, mcp23017.IODIR) == chip.register(1, mcp23017.IODIR) == 0xFF
        return self._table.imu is not None and self._table.imu.powered_down

    def _identity(self) -> int:
        """What the tilt sensor calls itself on its bus."""
        imu, now_s = self._table.imu, self._table.clock.now()
        if imu is None:
            return 0
        register = lsm6dsox.WHO_AM_I if isinstance(imu, Lsm6dsox) else mpu6050.WHO_AM_I
        imu.write(bytes([register]), now_s)
        return (imu.read(1, now_s) or b"\0")[0]

    def _spare_clock(self) -> VirtualClock:
        """Proofs take no time of the table's."""
        clock = VirtualClock()
        clock.advance(self._table.clock.now())
        return clock

    def _index(self, place: str) -> int:
        return self._table.profile.places.index(place)

    def _readings(self, place: str) -> list[float]:
        """Of a linear sensor, in volts."""
        board = self._table.hall_board
        if not isinstance(board, HallBoard):
            return []
        index, now_s = self._index(place), self._table.clock.now()
        return [board.voltage_v(index, now_s) for _ in range(READINGS)]

    def _is_dead(self, targets: Sequence[str]) -> bool:
        board = self._table.hall_board
        if isinstance(board, HallBoard):
            return max(self._readings(targets[0])) == 0.0
        return set(board.answers(self._index(targets[0]))) == {None}

    def _is_stuck(self, targets: Sequence[str]) -> bool:
        board = self._table.hall_board
        if isinstance(board, HallBoard):
            return len(set(self._readings(targets[0]))) == 1
        said = board.answers(self._index(targets[0]))
        return said[0:2] == said[2:4] == said[4:6]

    def _is_noisy(self, targets: Sequence[str]) -> bool:
        usual_v = NOISE_RMS_MT * SENSITIVITY_V_MT * self._table.noise_factor
        return statistics.pstdev(self._readings(targets[0])) > 3 * usual_v

    def _drifts(self, targets: Sequence[str]) -> bool:
        board, then_s = self._table.hall_board, self._table.clock.now() + 60.0
        return isinstance(board, HallBoard) and (
            board.crept_mt(self._index(targets[0]), then_s) > 1.0
        )

    def _are_swapped(self, targets: Sequence[str]) -> bool:
        one, other = (self._index(target) for target in targets)
        board = self._table.hall_board
        return board.wire_of(one) == other and board.wire_of(other) == one != other

    def _weaken(self, targets: Sequence[str]) -> None:
        piece = self._table.world.piece_at(self._index(targets[0]))
        if piece is None:
            raise FaultError(
                "No piece stands on {place} whose magnet could be weak.",
                remedy="Put one there first.",
                place=targets[0],
            )
        piece.factor *= WEAK_MAGNET
        self._table.world.changed(piece)
        self._weakened[targets[0]] = piece

    def _strengthen(self, targets: Sequence[str]) -> None:
        piece = self._weakened.pop(targets[0])
        piece.factor /= WEAK_MAGNET
        self._table.world.changed(piece)

    def _is_weak(self, targets: Sequence[str]) -> bool:
        """Its share of the field under it is below what the spread of magnets allows."""
        piece = self._weakened.get(targets[0])
        if piece is None:
            return False
        share_mt = self._table.world.field_of_mt(
            piece, self._index(targets[0]), self._table.clock.now()
        )
        disc = piece.kind.disc
        centred_mt = disc.vertical_mt(0.0, self._table.profile.gap_mm + disc.height_mm / 2)
        return abs(share_mt) < 0.5 * centred_mt


def _answer(bus: I2cBus, address: int) -> int | None:
    """The error of addressing a chip; None: it answers."""
    try:
        bus.transfer([Message(address, b"")])
    except OSError as error:
        return error.errno
    return None


def _listed(known: Sequence[str]) -> str:
    if not known:
        return "nothing"
    return ", ".join(known) if len(known) <= 4 else f"{known[0]} to {known[-1]}"
