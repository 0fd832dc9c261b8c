"""The row board: a circuit board for part of a row of places. Each place has a sensor or two
switches, a light, and capacitors.
"""

from __future__ import annotations

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import LIGHT_MM, DualSwitchHall
from tiltboard_plans.board import GRID_MM, Board

# Maximum number of places on one board with a sensor at each place, and on one board with two
# switches at each place.
MAX_PLACES, MAX_SWITCHES = 5, 4
GNDA_Y = 14.24
MIN_PITCH_MM, MIN_SWITCH_PITCH_MM = 32.8, 45.0
SWITCH_MM = 1.6  # Distance from a place's centre to each of its switches, in mm.
# Half the maximum height of a board in mm. A board has this height only if the distance between
# places is large enough.
HALF_MM = 17.3
SCREWS_MM = ((9.0, 6.0, 3.2), (9.0, 6.0, 3.2), (-7.0, -12.0, 3.2))
"""The position in mm (to the right and downward) of each of the three spacers, and the diameter of
the spacer's hole in mm. The positions are relative to the first place, the last place and the
middle place. The three spacers are not in one line, so that the board cannot tilt.
"""
# Position of the third spacer on a board with a light strip, and diameter of its hole for an M2.5
# screw, in mm.
UNDER_STRIP_MM = (8.0, -4.2, 2.7)
STRIP_WIDE_MM = 10.0
V33, GNDA, V5, GNDL = "3V3A", "GNDA", "5V", "GNDL"


def places_on(profile: Profile) -> tuple[int, ...]:
    """Return the number of places on each board of a row, from west to east. The numbers are as
    equal as possible.
    """
    most = MAX_SWITCHES if isinstance(profile.hall, DualSwitchHall) else MAX_PLACES
    boards = -(-profile.columns // most)
    each, more = divmod(profile.columns, boards)
    return tuple(each + (at < more) for at in range(boards))


def row_board(
    pitch_mm: float,
    places: int,
    *,
    name: str = "row",
    westward: bool = False,
    lights: bool = True,
    switches: bool = False,
) -> Board:
    """Return a row board. The origin is the Hall element of the first place.

    ``westward``: True if the lights' data enters at the east end, as in every second row of a
    serpentine chain. ``lights``: True if the board has lights; otherwise, the board has space for a
    10 mm wide light strip along its upper edge. ``switches``: True if each place has two switches,
    one for each pole, instead of a linear sensor.
    """
    board = Board(name)
    high = min(pitch_mm / 2 - 0.2, HALF_MM)
    left, last = 0.2 - pitch_mm / 2, (places - 1) * pitch_mm
    board.edge = (left, -high, last + pitch_mm / 2 - 0.2, high)
    rails = [(V33, 11.7, 1.5), (GNDA, GNDA_Y, 1.5)]
    if lights:
        rails = [(GNDL, -8.2, 2.0), (V5, -3.8, 2.0), *rails]
    for net, y, width in rails:
        board.rail(net, net, y, width)
    outputs = ("N", "S") if switches else ("S",)
    signals = [f"{pole}{at + 1}" for at in range(places) for pole in outputs]
    for at, net in enumerate(signals):
        board.rail(net, net, 0.7 * at - 2.2, 0.25)
    for at in range(places + 1) if lights else ():
        high_lane = westward and (places - at) % 2
        board.rail(f"link{at}", f"L{at}", -15.3 if high_lane else -14.5)
    for at in range(places):
        (_switches if switches else _sensor)(board, at, at * pitch_mm)
        if not lights:
            continue
        # A light's index is its position in the chain. The chain starts at the westernmost light or
        # at the easternmost light.
        order = places - 1 - at if westward else at
        _light(board, at, at * pitch_mm, order, at_end=at == places - 1, westward=westward)
    for net, y, _ in rails:
        feeds = [("W", left + 4.0), ("E", last + 5.0)] if net in (GNDL, V5) else [("", left + 3)]
        for end, x in feeds:
            shape = "power" if end else "wire"
            board.add(f"J{net}{end}", "header2", (x, y), {"1": net}, footprint=shape)
            board.reach(net, x)
    columns = len(outputs)
    for at, net in enumerate(signals):
        x = left + 3 + GRID_MM * (at % columns)
        y = GNDA_Y - GRID_MM * (MAX_PLACES + 1 - at / columns)
        board.add(f"J{net}", "header2", (x, y), {"1": net}, footprint="wire")
        board.join(net, (x, y), (left + 3.5 + 2.5 * columns + 0.8 * at, y), width=0.25)
    if lights:
        _chain_ends(board, left, last, places, westward=westward)
    middle = places // 2 * pitch_mm
    holes = [*SCREWS_MM[:2], SCREWS_MM[2] if lights else UNDER_STRIP_MM]
    for x, (right, below, across) in zip((0.0, last, middle), holes, strict=True):
        if not any(abs(x + right - other[0]) < 1 for other, _ in board.holes):
            board.holes.append(((x + right, below), across))
    return board.finish()


def _chain_ends(board: Board, left: float, last: float, places: int, *, westward: bool) -> None:
    lx, ly = last + LIGHT_MM[0], -LIGHT_MM[1]
    west, first, final = f"link{places if westward else 0}", "L0", f"L{places}"
    at_west = (left + 3, board.rails[west].y)
    if westward:
        at_east = (lx - 6.5, ly)
        board.track(first, 0.3, "F", (lx - 2.45, ly + 1.65), (lx - 4.2, ly + 1.65), at_east)
    else:
        at_east = (lx, -14.95)
        board.track(final, 0.3, "F", (lx + 2.45, ly - 1.65), (lx + 2.45, -14.95), at_east)
    board.reach(west, left + 3)
    into, out = (at_east, at_west) if westward else (at_west, at_east)
    board.add("Jin", "header2", into, {"1": first}, footprint="wire")
    board.add("Jout", "header2", out, {"1": final}, footprint="wire")


def _sensor(board: Board, at: int, x: float) -> None:
    """Add a sensor, in a SOT-23 package or in a TO-92 package that is laid flat. Both packages have
    the Hall element at the same position.
    """
    name = f"S{at + 1}"
    board.add(f"U{at + 1}", "sensor", (x, 0), {"1": V33, "2": name, "3": GNDA})
    board.add(f"C{at + 1}", "c100n_smd", (x, -3), {"1": V33, "2": GNDA}, footprint="c0805_flat")
    board.track(V33, 0.4, "F", (x - 0.94, -0.95), (x - 0.95, -3))
    board.join(V33, (x - 0.95, -3), (x - 4.2, -3), width=0.4)
    board.join(V33, (x - 2.54, 6), width=0.4)
    board.track(GNDA, 0.4, "F", (x + 0.95, -3), (x + 0.95, 0), (x + 0.95, 5), (x, 6))
    board.join(GNDA, (x, 6), width=0.4)
    board.join(name, (x - 0.94, 0.95), (x - 2.6, 0.95), width=0.25)
    board.join(name, (x + 2.54, 6), width=0.25)


def _switches(board: Board, at: int, x: float) -> None:
    """Add a place's two switches, both of the kind DRV5023.

    The switch pulls its output low while a south pole is at its marked face (TI SLIS151, Field
    Direction Definition, Pin Functions). The SOT-23 switch has the marked face up and detects
    south. The TO-92 switch lies on its marked face, detects north, and has its outer pins swapped.
    """
    north, south, y = f"N{at + 1}", f"S{at + 1}", SWITCH_MM
    board.add(f"U{at + 1}", "switch", (x, -y), {"1": V33, "2": south, "3": GNDA})
    board.add(f"U{at + 11}", "switch_north", (x, y), {"1": V33, "2": north, "3": GNDA})
    cap = -y - 3.3
    board.add(f"C{at + 1}", "c100n_smd", (x, cap), {"1": V33, "2": GNDA}, footprint="c0805_flat")
    board.track(V33, 0.4, "F", (x - 0.94, -y - 0.95), (x - 0.95, cap))
    board.join(V33, (x - 0.95, cap), (x - 4.2, cap), width=0.4)
    board.track(GNDA, 0.4, "F", (x + 0.95, cap), (x + 0.95, -y), (x + 0.95, y + 5), (x, y + 6))
    board.join(GNDA, (x, y + 6), width=0.4)
    board.join(V33, (x + 2.54, y + 6), width=0.4)
    board.join(south, (x - 0.94, 0.95 - y), (x - 2.6, 0.95 - y), width=0.25)
    board.join(north, (x - 2.54, y + 6), (x - 3.4, y + 5), width=0.25)


def _light(board: Board, at: int, x: float, order: int, *, at_end: bool, westward: bool) -> None:
    """Add a place's light.

    ``order``: the light's index in the chain. ``at_end``: True if the light is the easternmost
    light, which connects to a wire. ``westward``: True if the lights' data enters at the east end.
    """
    lx, ly = x + LIGHT_MM[0], -LIGHT_MM[1]
    into, out = f"link{order}", f"link{order + 1}"
    nets = {"1": V5, "2": f"L{order + 1}", "3": GNDL, "4": f"L{order}"}
    board.add(f"D{at + 1}", "light", (lx, ly), nets)
    board.add(f"C{at + 11}", "c100n_smd", (lx - 3, -6.0), {"1": GNDL, "2": V5})
    board.join(GNDL, (lx - 2.45, ly - 1.65), (lx - 0.8, ly - 1.65), width=0.6)
    board.join(V5, (lx + 2.45, ly + 1.65), width=0.6)
    board.join(GNDL, (lx - 3, -6.95), width=0.6)
    board.join(V5, (lx - 3, -5.05), width=0.6)
    if not at_end or westward:
        board.join(out, (lx + 2.45, ly - 1.65))
    if not at_end or not westward:
        board.join(into, (lx - 2.45, ly + 1.65), (lx - 4.2, ly + 1.65))
