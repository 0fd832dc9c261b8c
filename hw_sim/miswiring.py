"""What a maker can wire wrongly, done to a simulated table: for practice, and for tests.

Faults (hw_sim.faults) are what breaks later. These are there from the start, and bring-up must find
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from drivers.attitude import Axis, Mounting, all_mountings
from firmware_host.config.wiring import GpioPanel, MuxAdcHall
from firmware_host.messages.hints import nearest
from hw_sim.boards import HallBoard
from hw_sim.chips.hall import HallSpread
from hw_sim.errors import FaultError
from hw_sim.table import SimTable

LINES = ("S0", "S1", "S2", "S3")
WAYS = ("east", "west", "north", "south", "up", "down")
BUTTONS = ("confirm", "back")
_TURNED: Mapping[Axis, Axis] = {
    "+x": "-x",
    "-x": "+x",
    "+y": "-y",
    "-y": "+y",
    "+z": "-z",
    "-z": "+z",
}
_OPPOSITE = dict(zip(WAYS, ("west", "east", "south", "north", "down", "up"), strict=True))


# What is sold for, or taken for, a DRV5055A1 (60 mV/mT at 3.3 V). A2: half its slope (SBAS640).
# 49E: 1.4 to 2 mV/G at 5 V, less in proportion at 3.3 V; quiescent output +-10 % (SS49E, AH49E).
OTHER_PARTS: Mapping[str, HallSpread] = {
    "sensor-a2": HallSpread(sensitivity_v_mt=0.030),
    "sensor-49e": HallSpread(sensitivity_v_mt=0.0106, quiescent_v=1.58),
}
SCREW_MT, SCREW_LEAVES = 0.8, 0.9  # a magnetised M3 of steel beside a sensor, and what it draws off
SAG_MM = 1.0  # a fifth of the field


@dataclass(frozen=True, slots=True)
class Miswiring:
    """``targets``: what each of them may be."""

    targets: tuple[Sequence[str], ...]
    do: Callable[[Sequence[str]], None]


def miswirings(table: SimTable) -> Mapping[str, Miswiring]:
    """By name, those that this table can have."""
    profile = table.profile
    found: dict[str, Miswiring] = {}
    if table.imu is not None:
        found["imu-turned"] = Miswiring((WAYS, WAYS), partial(_turn_imu, table))
    if isinstance(table.hall_board, HallBoard) and table.converter is not None:
        numbers = [str(number) for number in range(-(-profile.size // 16))]
        found["mux-swapped"] = Miswiring((numbers, numbers), partial(_swap_muxes, table))
        found["sensor-turned"] = Miswiring((profile.places,), partial(_turn_sensor, table))
        found["steel-screw"] = Miswiring((profile.places,), partial(_screw, table))
        found["plate-sags"] = Miswiring((), partial(_sag, table))
        for part, spread in OTHER_PARTS.items():
            found[part] = Miswiring((profile.places,), partial(_fit, table, spread))
    if isinstance(profile.hall, MuxAdcHall):
        found["address-swapped"] = Miswiring((LINES, LINES), partial(_swap_lines, table))
        found["address-open"] = Miswiring((LINES,), partial(_open_line, table))
    if table.expanders or table.matrix is not None:
        rows = [str(row + 1) for row in range(profile.rows)]
        found["rows-swapped"] = Miswiring((rows, rows), partial(_swap_rows, table))
    if profile.lights is not None:
        found["lights-dark"] = Miswiring((profile.places,), partial(_break_chain, table))
        if table.node is None:
            found["lights-other-way"] = Miswiring((), partial(_turn_rows, table))
    if isinstance(profile.panel, GpioPanel):
        found["buttons-swapped"] = Miswiring((), partial(_swap_buttons, table))
        found["button-open"] = Miswiring((BUTTONS,), partial(_open_button, table))
    return found


def miswire(table: SimTable, name: str, targets: Sequence[str]) -> None:
    """Wire ``table`` wrongly. Raises FaultError for what cannot be."""
    known = miswirings(table)
    kind = known.get(name)
    if kind is None:
        raise FaultError(
            "This table cannot have the fault {name!r}; {hint}",
            remedy="It can be wired wrongly as {known}; and it can have {faults}.",
            name=name,
            hint=nearest(name, (*known, *table.faults.names)),
            known=", ".join(known),
            faults=", ".join(table.faults.names),
        )
    fits = len(targets) == len(kind.targets) and all(
        target in allowed for target, allowed in zip(targets, kind.targets, strict=True)
    )
    if not fits or len(set(targets)) != len(targets):
        raise FaultError(
            "{name} takes {wanted}, not {given!r}.",
            remedy="Name what is wired wrongly.",
            name=name,
            wanted=" and ".join(f"one of {', '.join(t)}" for t in kind.targets) or "nothing",
            given=" ".join(targets),
        )
    kind.do(targets)


def lying(arrow: str, face: str) -> Mounting:
    """A chip whose x arrow and face point there. Raises ValueError if both are of one line."""
    for orientation in all_mountings():
        points: dict[str, Axis] = {
            "east": orientation.east,
            "north": orientation.north,
            "up": orientation.up,
        }
        for way, axis in tuple(points.items()):
            points[_OPPOSITE[way]] = _TURNED[axis]
        if (points[arrow], points[face]) == ("+x", "+z"):
            return orientation
    raise ValueError(f"no chip has its x arrow {arrow} and its face {face}")


def _turn_imu(table: SimTable, targets: Sequence[str]) -> None:
    arrow, face = targets
    if face == _OPPOSITE[arrow]:
        raise FaultError(
            "A chip's x arrow and its face are at right angles.",
            remedy="Name two such ways, for example: imu-turned north up.",
        )
    table.imu_orientation = lying(arrow, face)


def _swap_muxes(table: SimTable, targets: Sequence[str]) -> None:
    converter = table.converter
    if converter is not None:
        one, other = map(int, targets)
        inputs = converter.inputs
        inputs[one], inputs[other] = inputs[other], inputs[one]


def _turn_sensor(table: SimTable, targets: Sequence[str]) -> None:
    board = table.hall_board
    if isinstance(board, HallBoard):
        sensor = board.sensors[table.profile.places.index(targets[0])]
        upright = sensor.field_mt
        sensor.field_mt = lambda now_s: -upright(now_s)


def _fit(table: SimTable, spread: HallSpread, targets: Sequence[str]) -> None:
    board = table.hall_board
    if isinstance(board, HallBoard):
        sensor = board.sensors[table.profile.places.index(targets[0])]
        sensor.spread = spread
        sensor.warm(table.clock.now())


def _screw(table: SimTable, targets: Sequence[str]) -> None:
    board = table.hall_board
    if isinstance(board, HallBoard):
        sensor = board.sensors[table.profile.places.index(targets[0])]
        without = sensor.field_mt
        sensor.field_mt = lambda now_s: SCREW_MT + SCREW_LEAVES * without(now_s)


def _sag(table: SimTable, targets: Sequence[str]) -> None:
    """A board that is held at its edges only: like a parabola, deepest in the middle."""
    del targets
    profile = table.profile
    half_mm = max(profile.columns, profile.rows) * profile.pitch_mm / 2
    table.world.set_gaps(
        gap_mm + SAG_MM * max(0.0, 1 - (math.hypot(*profile.centre_mm(index)) / half_mm) ** 2)
        for index, gap_mm in enumerate(table.world.gaps_mm)
    )


def _pins(table: SimTable, lines: Sequence[str]) -> list[int]:
    hall = table.profile.hall
    pins = hall.address_pins if isinstance(hall, MuxAdcHall) else ()
    return [pins[LINES.index(line)] for line in lines]


def _swap_lines(table: SimTable, targets: Sequence[str]) -> None:
    outputs = table.buses.wiring.outputs
    one, other = _pins(table, targets)
    outputs[one], outputs[other] = outputs[other], outputs[one]


def _open_line(table: SimTable, targets: Sequence[str]) -> None:
    [pin] = _pins(table, targets)
    del table.buses.wiring.outputs[pin]  # the multiplexers' pin lies at ground


def _swap_rows(table: SimTable, targets: Sequence[str]) -> None:
    columns = table.profile.columns
    one, other = ((int(target) - 1) * columns for target in targets)
    board = table.hall_board
    if board is not None:
        for column in range(columns):
            board.swap_wires(one + column, other + column)


def _break_chain(table: SimTable, targets: Sequence[str]) -> None:
    table.dark_from = table.light_at(table.profile.places.index(targets[0]))


def _turn_rows(table: SimTable, targets: Sequence[str]) -> None:
    del targets
    columns = table.profile.columns
    order = []
    for index in range(table.profile.size):
        row, column = divmod(index, columns)
        other = column if row % 2 == 0 else columns - 1 - column
        order.append(table.light_at(row * columns + other))
    table.rewire_lights(order)


def _button_pins(table: SimTable) -> dict[str, int]:
    panel = table.profile.panel
    if not isinstance(panel, GpioPanel):
        return {}
    return dict(zip(BUTTONS, (panel.confirm_pin, panel.back_pin), strict=True))


def _swap_buttons(table: SimTable, targets: Sequence[str]) -> None:
    del targets
    inputs, pins = table.buses.wiring.inputs, _button_pins(table)
    one, other = pins["confirm"], pins["back"]
    inputs[one], inputs[other] = inputs[other], inputs[one]


def _open_button(table: SimTable, targets: Sequence[str]) -> None:
    del table.buses.wiring.inputs[_button_pins(table)[targets[0]]]
