"""What can fail at a place and at a button: sensors, their wires, magnets, worn contacts."""

from __future__ import annotations

import statistics
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import replace

from hw_sim.chips.drv5055 import NOISE_RMS_MT, QUIESCENT_V, SENSITIVITY_V_MT
from hw_sim.chips.ws2812 import BYTES_PER_LIGHT
from hw_sim.errors import FaultError
from hw_sim.faults.kind import Change, FaultKind, Proof
from hw_sim.hall_board import HallBoard
from hw_sim.lit_board import LitBoard
from hw_sim.parts import TableParts
from hw_sim.switch_board import SwitchBoard
from hw_sim.world.buttons import BOUNCE_S
from hw_sim.world.pieces import Piece

WEAK_MAGNET = 0.3  # a strong magnet then reads 3.6 mT, between weak and strong; a weak one 0.8
READINGS = 32  # to tell a still output from a noisy one
# Realistic sizes: a ground of 5 milliohm that is shared to the last row (20 mV at 4 A), a
# regulator's load regulation of 1 % at 4 A, and a light at full white 10 mm above a sensor.
BY_LIGHTS = {"ground_v_a": 0.005, "sag_a": 0.0025, "heat_k": 15.0}
LIT_FAULTS = {"ground-shift": "ground_v_a", "supply-sag": "sag_a", "lights-heat": "heat_k"}


def sensor_kinds(table: TableParts) -> dict[str, FaultKind]:
    """Of the sensors under the places, and of their wires."""
    board = table.hall_board
    if isinstance(board, HallBoard):
        return _LinearSensors(table, board).kinds()
    return _Switches(table, board).kinds()


class _Sensors(ABC):
    """What any sensor and its wires can have."""

    def __init__(self, table: TableParts) -> None:
        self.table = table
        self.board = table.hall_board

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

    def __init__(self, table: TableParts, board: SwitchBoard) -> None:
        super().__init__(table)
        self.switches = board

    def is_dead(self, targets: Sequence[str]) -> bool:
        return set(self.switches.answers(self.index(targets))) == {None}

    def is_stuck(self, targets: Sequence[str]) -> bool:
        said = self.switches.answers(self.index(targets))
        return said[0:2] == said[2:4] == said[4:6]


class _LinearSensors(_Sensors):
    """One at each place, which measures."""

    def __init__(self, table: TableParts, board: HallBoard) -> None:
        super().__init__(table)
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


def magnet_kinds(table: TableParts) -> dict[str, FaultKind]:
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


def button_kinds(table: TableParts) -> dict[str, FaultKind]:
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
