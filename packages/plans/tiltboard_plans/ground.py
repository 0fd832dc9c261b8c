"""The ground current of a board, and its effect on the sensors' readings.

The copper of one net is a network of resistors: tracks cut at every pad, via and bend, both sides
joined at plated holes. Its voltages come from conjugate gradients.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

from tiltboard_plans.board import Board, Point
from tiltboard_plans.carrier import GND

SQUARE_OHM = 0.00049  # Copper 35 um thick.
LEAD_OHM = 0.01  # from a Pi on the shelf: 0.2 m of AWG 18, and its contacts
RIBBON_OHM = 0.25 * 0.213 + 0.02  # one wire of a ribbon of 25 cm (AWG 28), and its contacts
JOINED_OHM = 1e-6
MV_MT = 60.0  # Sensitivity of a DRV5055A1.
Node = tuple[Point, str]


def ground_shift_mt(board: Board, lead_ohm: float = LEAD_OHM) -> float:
    """Return how far one ampere of the Pi, on its way back to the supply, moves what a carrier's
    converter reads, in mT. ``lead_ohm``: of the wire to J23; infinity where it is loose.
    """
    volts = return_volts(board, lead_ohm)
    rows = [volts["J300", "1"]]
    return abs(volts["U21", "14"] - max(rows)) * 1000 / MV_MT


def return_volts(board: Board, lead_ohm: float = LEAD_OHM) -> dict[tuple[str, str], float]:
    """Return the voltage of each ground pin over the supply's, at an ampere from the Pi."""
    wires = _copper(board)
    pins = {
        (part.ref, pad.number): (_rounded(pad.at), "FB" if pad.drill else "F")
        for part in board.components.values()
        for pad in part.pads
        if part.nets.get(pad.number) == GND
    }
    pi: Node = ((math.inf, math.inf), "Pi")
    for (ref, _), pin in pins.items():
        if ref == "J1":
            wires.append((pi, pin, RIBBON_OHM))
    if math.isfinite(lead_ohm):
        wires.append((pi, pins["J23", "2"], lead_ohm))
    volts = _solved(wires, pi, pins["J20", "2"])
    return {pin: volts.get(node, 0.0) for pin, node in pins.items()}


def _rounded(at: Point) -> Point:
    return round(at[0], 3), round(at[1], 3)


def _copper(board: Board) -> list[tuple[Node, Node, float]]:
    """Return ends and resistance of each piece of the ground's copper."""
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


def _solved(wires: list[tuple[Node, Node, float]], source: Node, sink: Node) -> dict[Node, float]:
    """Return the voltages with one ampere into ``source`` and out of ``sink``, which is at 0."""
    beside: dict[Node, list[tuple[Node, float]]] = defaultdict(list)
    for one, two, ohm in wires:
        if one != two:
            beside[one].append((two, 1 / ohm))
            beside[two].append((one, 1 / ohm))
    # Only what is joined to the source has a voltage.
    reached, edge = {source}, [source]
    while edge:
        for other, _ in beside[edge.pop()]:
            if other not in reached:
                reached.add(other)
                edge.append(other)
    nodes = sorted(reached - {sink}, key=str)
    total = {n: sum(siemens for _, siemens in beside[n]) for n in nodes}

    def through(volts: dict[Node, float]) -> dict[Node, float]:
        return {
            n: total[n] * volts[n] - sum(s * volts.get(other, 0.0) for other, s in beside[n])
            for n in nodes
        }

    volts = dict.fromkeys(nodes, 0.0)
    rest = {n: 1.0 if n == source else 0.0 for n in nodes}
    scaled = {n: rest[n] / total[n] for n in nodes}
    step, good = dict(scaled), sum(rest[n] * scaled[n] for n in nodes)
    for _ in range(20 * len(nodes)):
        flow = through(step)
        share = good / sum(step[n] * flow[n] for n in nodes)
        for n in nodes:
            volts[n] += share * step[n]
            rest[n] -= share * flow[n]
            scaled[n] = rest[n] / total[n]
        before, good = good, sum(rest[n] * scaled[n] for n in nodes)
        if good < 1e-18:
            break
        step = {n: scaled[n] + good / before * step[n] for n in nodes}
    return volts
