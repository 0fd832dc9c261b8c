"""The effect of ground currents on a board: the voltages along the ground copper, and the resulting
error of the sensors' readings.

The copper of the ground net is modelled as a network of resistors. The model divides tracks at each
pad, via and bend, and plated holes connect both sides. Needs numpy (the extra ``make``).
"""

from __future__ import annotations

import itertools
import math
from importlib import import_module

from tiltboard_plans.board import Board, Point
from tiltboard_plans.carrier import GND

SQUARE_OHM = 0.00049  # Resistance in ohm of a square area of copper that is 35 um thick.
# Resistance in ohm of the ground wire from a Pi on the shelf, with the wire's contacts: 0.2 m of
# AWG 18.
LEAD_OHM = 0.01
# Resistance in ohm of one wire in a ribbon cable of 25 cm (AWG 28), with the wire's contacts.
RIBBON_OHM = 0.25 * 0.213 + 0.02
# Resistance in ohm between touching copper areas, and a tiny conductance to ground in siemens.
# Without the conductance, the equations for isolated copper would have no solution.
JOINED_OHM, LEAK_S = 1e-6, 1e-9
MV_MT = 60.0  # Sensitivity of a DRV5055A1 in mV per mT.
Node = tuple[Point, str]


def ground_shift_mt(board: Board, lead_ohm: float = LEAD_OHM) -> float:
    """Return the error of the carrier's converter in mT for each ampere of current that flows from
    the Pi or Pico back to the supply.

    ``lead_ohm``: resistance of the ground wire to plug J23, or infinity if the wire is loose.
    """
    volts = return_volts(board, lead_ohm)
    rows = [volts["J300", "1"]]
    return abs(volts["U21", "14"] - max(rows)) * 1000 / MV_MT


def return_volts(board: Board, lead_ohm: float = LEAD_OHM) -> dict[tuple[str, str], float]:
    """Return the voltage of each ground pin relative to the supply, by part and pin, when one
    ampere flows from the controller back to the supply. ``lead_ohm``: resistance of the ground wire
    to plug J23.
    """
    wires = _copper(board)
    pins = {
        (part.ref, pad.number): (_rounded(pad.at), "FB" if pad.drill else "F")
        for part in board.components.values()
        for pad in part.pads
        if part.nets.get(pad.number) == GND
    }
    pi: Node = ((math.inf, math.inf), "Pi")
    for (ref, _), pin in pins.items():
        if ref in ("J1", "U31"):
            wires.append((pi, pin, RIBBON_OHM if ref == "J1" else JOINED_OHM))
    if math.isfinite(lead_ohm) and "J23" in board.components:
        wires.append((pi, pins["J23", "2"], lead_ohm))
    volts = _node_voltages(wires, pi, pins["J20", "2"])
    return {pin: volts.get(node, 0.0) for pin, node in pins.items()}


def _rounded(at: Point) -> Point:
    return round(at[0], 3), round(at[1], 3)


def _copper(board: Board) -> list[tuple[Node, Node, float]]:
    """Return the two end points and the resistance of each section of the ground copper."""
    plated = {_rounded(via.at) for via in board.vias if via.net == GND}
    points = set(plated)
    for part in board.components.values():
        for pad in part.pads:
            if part.nets.get(pad.number) == GND:
                points.add(_rounded(pad.at))
                if pad.drill:
                    plated.add(_rounded(pad.at))
    tracks = [
        (_rounded(one), _rounded(two), track.width, track.side)
        for track in board.tracks
        if track.net == GND
        for one, two in itertools.pairwise(track.points)
        if _rounded(one) != _rounded(two)
    ]
    points |= {end for one, two, _, _ in tracks for end in (one, two)}

    def node(at: Point, side: str) -> Node:
        return at, "FB" if at in plated else side

    found = []
    for (x0, y0), (x1, y1), width, side in tracks:
        long = math.hypot(x1 - x0, y1 - y0)
        on = []
        for x, y in points:
            along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long
            off = abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / long
            if -0.001 <= along <= long + 0.001 and off < width / 2 + 0.001:
                on.append((along, (x, y)))
        for (near, one), (far, two) in itertools.pairwise(sorted(on)):
            ohm = max(JOINED_OHM, SQUARE_OHM * (far - near) / width)
            found.append((node(one, side), node(two, side), ohm))
    return found


def _node_voltages(
    wires: list[tuple[Node, Node, float]], source: Node, sink: Node
) -> dict[Node, float]:
    """Return the voltage of each node when one ampere flows into ``source`` and out of ``sink``.
    The voltage at ``sink`` is 0 V.
    """
    np = import_module("numpy")
    at = {node: n for n, node in enumerate(dict.fromkeys(end for w in wires for end in w[:2]))}
    siemens, amperes = np.eye(len(at)) * LEAK_S, np.zeros(len(at))
    for one, two, ohm in wires:
        a, b = at[one], at[two]
        siemens[[a, b, a, b], [a, b, b, a]] += np.array([1, 1, -1, -1]) / ohm * (a != b)
    siemens[at[sink]] = 0.0
    siemens[at[sink], at[sink]] = amperes[at[source]] = 1.0
    return dict(zip(at, np.linalg.solve(siemens, amperes).tolist(), strict=True))
