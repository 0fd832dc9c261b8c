"""The wiring mistakes that a builder can make, applied to a simulated table for practice and tests.

Wiring mistakes exist from the start, and the bring-up must find them. Faults
(tiltboard.hw_sim.faults) occur later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tiltboard.drivers.attitude import Vector, all_mountings
from tiltboard.firmware_host.config.wiring import GpioPanel, MuxAdcHall
from tiltboard.hw_sim.boards import HallBoard, SwitchBoard
from tiltboard.hw_sim.chips.hall import Drv5055, HallSpread
from tiltboard.hw_sim.chips.mcp3008 import CHANNELS
from tiltboard.hw_sim.errors import FaultError
from tiltboard.hw_sim.faults import Targets, check_targets
from tiltboard.hw_sim.table import SimTable

LINES = ("S0", "S1", "S2", "S3")
WAYS: dict[str, Vector] = {
    "east": (1.0, 0.0, 0.0),
    "west": (-1.0, 0.0, 0.0),
    "north": (0.0, 1.0, 0.0),
    "south": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}

# Sensors that are sold as a DRV5055A1 (60 mV/mT at 3.3 V) or mistaken for a DRV5055A1. The A2 has
# half the sensitivity (SBAS640). The 49E has 1.4 to 2 mV/G at 5 V and proportionally less at 3.3 V.
# The quiescent output of a 49E varies by +-10 % (SS49E, AH49E).
OTHER_PARTS = {
    "sensor-a2": HallSpread(sensitivity_v_mt=0.030),
    "sensor-49e": HallSpread(sensitivity_v_mt=0.0106, quiescent_v=1.58),
}
# Effects of a magnetised M3 steel screw near a sensor: the field of the screw in mT, and the
# fraction of other fields that still reaches the sensor.
SCREW_MT, SCREW_LEAVES = 0.8, 0.9
# Depth in mm by which the board sags in the middle. The sag reduces the field by a fifth.
SAG_MM = 1.0

Miswiring = tuple[tuple[Targets, ...], Callable[..., object]]
"""The allowed values of each target of a wiring mistake, and the function that applies the mistake
to the chosen targets.
"""


def miswirings(table: SimTable) -> dict[str, Miswiring]:
    """Return the wiring mistakes that are possible on ``table``, by name."""
    profile, board, wiring = table.profile, table.hall_board, table.buses.wiring
    found: dict[str, Miswiring] = {}
    if table.imu is not None:
        found["imu-turned"] = (tuple(WAYS), tuple(WAYS)), partial(_turn_imu, table)
    if isinstance(board, HallBoard):
        places = profile.places
        sensors = dict(zip(places, board.sensors, strict=True))
        names = [f"U{number + 1}" for number in range(-(-profile.size // 16))]
        found["mux-swapped"] = (names, names), partial(_swap_muxes, table)
        found["sensor-turned"] = (places,), partial(_felt, sensors, lambda mt: -mt)
        by_screw = partial(_felt, sensors, lambda mt: SCREW_MT + SCREW_LEAVES * mt)
        found["steel-screw"] = (places,), by_screw
        for part, spread in OTHER_PARTS.items():
            found[part] = (places,), partial(_fit, table.clock.now(), sensors, spread)
        found["plate-sags"] = (), partial(_sag, table)
    if isinstance(profile.hall, MuxAdcHall):
        pins = dict(zip(LINES, profile.hall.address_pins, strict=True))
        found["address-swapped"] = (LINES, LINES), partial(_swap, wiring.outputs, pins)
        # If an address pin of the multiplexers is not connected, it is pulled to ground.
        found["address-open"] = (LINES,), lambda line: wiring.outputs.pop(pins[line])
    if isinstance(board, SwitchBoard):
        rows = tuple(str(row + 1) for row in range(profile.rows))
        found["rows-swapped"] = (rows, rows), partial(_swap_rows, board, profile.columns)
    if profile.lights is not None:
        found["lights-dark"] = (profile.places,), partial(_break_chain, table)
        if table.node is None:
            found["lights-other-way"] = (), partial(_turn_rows, table)
    if isinstance(profile.panel, GpioPanel):
        of = {"confirm": profile.panel.confirm_pin, "back": profile.panel.back_pin}
        found["buttons-swapped"] = (), partial(_swap, wiring.inputs, of, *of)
        found["button-open"] = (tuple(of),), lambda button: wiring.inputs.pop(of[button])
    return found


def miswire(table: SimTable, name: str, targets: Sequence[str]) -> None:
    """Apply the wiring mistake ``name`` to ``table``, or inject the fault with that name. Raises
    FaultError for an unknown name or for a target that does not exist.
    """
    wrong = miswirings(table).get(name)
    if wrong is None:
        table.faults.inject(name, targets)
        return
    allowed, do = wrong
    # A plain number is counted from 0, like the addresses of the multiplexers.
    if name == "mux-swapped":
        targets = [f"U{int(each) + 1}" if each.isdigit() else each for each in targets]
    check_targets(name, allowed, targets)
    do(*targets)


def _turn_imu(table: SimTable, arrow: str, face: str) -> None:
    """Mount the motion sensor so that its x arrow points to ``arrow`` and its face points to
    ``face``. Raises FaultError unless the two directions are at right angles.
    """
    for orientation in all_mountings():
        axes = orientation.on_chip(WAYS[arrow]), orientation.on_chip(WAYS[face])
        if axes == (WAYS["east"], WAYS["up"]):
            table.imu_orientation = orientation
            return
    raise FaultError(
        "A chip's x arrow and its face are at right angles.",
        remedy="Name two such ways, for example: imu-turned north up.",
    )


def _swap(wires: dict[int, Any], pins: Mapping[str, int], one: str, other: str) -> None:
    first, second = pins[one], pins[other]
    wires[first], wires[second] = wires[second], wires[first]


def _swap_muxes(table: SimTable, one: str, other: str) -> None:
    numbers = (int(name.removeprefix("U")) - 1 for name in (one, other))
    (a, at), (b, there) = (divmod(number, CHANNELS) for number in numbers)
    first, second = table.converters[a].inputs, table.converters[b].inputs
    first[at], second[there] = second[there], first[at]


def _felt(sensors: Mapping[str, Drv5055], change: Callable[[float], float], place: str) -> None:
    field_mt = sensors[place].field_mt
    sensors[place].field_mt = lambda now_s: change(field_mt(now_s))


def _fit(now_s: float, sensors: Mapping[str, Drv5055], spread: HallSpread, place: str) -> None:
    sensors[place].spread = spread
    sensors[place].warm(now_s)


def _sag(table: SimTable) -> None:
    """Let the sensor board sag in the shape of a parabola. The board is held at its edges and
    deepest in the middle.
    """
    profile = table.profile
    half_mm = max(profile.columns, profile.rows) * profile.pitch_mm / 2
    table.world.set_gaps(
        gap_mm + SAG_MM * max(0.0, 1 - (math.hypot(*profile.centre_mm(index)) / half_mm) ** 2)
        for index, gap_mm in enumerate(table.world.gaps_mm)
    )


def _swap_rows(board: SwitchBoard, columns: int, one: str, other: str) -> None:
    for column in range(columns):
        board.swap_wires((int(one) - 1) * columns + column, (int(other) - 1) * columns + column)


def _break_chain(table: SimTable, place: str) -> None:
    table.dark_from = table.light_at[table.profile.places.index(place)]


def _turn_rows(table: SimTable) -> None:
    """Reverse every second row of lights, contrary to the order in the profile."""
    columns = table.profile.columns
    rows = [range(first, first + columns) for first in range(0, table.profile.size, columns)]
    run = [index for at, row in enumerate(rows) for index in (row[::-1] if at % 2 else row)]
    table.light_at = [table.light_at[index] for index in run]
