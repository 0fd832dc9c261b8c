"""The row board: some places in a line, each with its sensor, its light and what steadies them."""

from __future__ import annotations

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import LIGHT_MM
from tiltboard_plans.board import GRID_MM, Board

MOST_PLACES = 5
GNDA_Y = 14.24
LEAST_PITCH_MM = 32.8
HALF_MM = 17.3  # of its height, where the pitch leaves that
SCREW_MM = (9.0, -6.0)  # east and north of its first and its last place: where a spacer holds it
V33, GNDA, V5, GNDL = "3V3A", "GNDA", "5V", "GNDL"


def places_on(profile: Profile) -> int:
    """How many places a board has: a row is two boards or more of at most five."""
    boards = -(-profile.columns // MOST_PLACES)
    return -(-profile.columns // boards)


def row_board(
    pitch_mm: float, places: int, *, westward: bool = False, lights: bool = True
) -> Board:
    """Where the first place's Hall element is at 0, 0. ``westward``: its lights' data come in at
    the east end, as every second row of a serpentine strip has them. Without ``lights`` there is
    room for a bought strip, 12 mm wide, along its upper edge.
    """
    board = Board("row-west" if westward else "row-east")
    high = min(pitch_mm / 2 - 0.2, HALF_MM)
    left, last = 0.2 - pitch_mm / 2, (places - 1) * pitch_mm
    board.edge = (left, -high, last + pitch_mm / 2 - 0.2, high)
    rails = [(V33, 11.7, 1.5), (GNDA, GNDA_Y, 1.5)]
    if lights:
        rails = [(GNDL, -8.2, 2.0), (V5, -3.8, 2.0), *rails]
    for name, y, width in rails:
        board.rail(name, name, y, width)
    for at in range(places):
        board.rail(f"S{at + 1}", f"S{at + 1}", 0.7 * at - 2.2, 0.25)
    for at in range(places + 1) if lights else ():
        high_lane = westward and (places - at) % 2
        board.rail(f"link{at}", f"L{at}", -15.3 if high_lane else -14.5)
    for at in range(places):
        _sensor(board, at, at * pitch_mm)
        if not lights:
            continue
        # Along the chain: the first light is the western one, or the eastern
        order = places - 1 - at if westward else at
        _light(board, at, at * pitch_mm, order, at_end=at == places - 1, westward=westward)
    for name, y, _ in rails:
        feeds = [("W", left + 4.0), ("E", last + 5.0)] if name in (GNDL, V5) else [("", left + 3)]
        for end, x in feeds:
            shape = "power" if end else "wire"
            board.add(f"J{name}{end}", "header2", (x, y), {"1": name}, footprint=shape)
            board.reach(name, x)
    for at in range(places):
        name, y = f"S{at + 1}", GNDA_Y - GRID_MM * (MOST_PLACES + 1 - at)
        board.add(f"J{name}", "header2", (left + 3, y), {"1": name}, footprint="wire")
        board.join(name, (left + 3, y), (left + 6 + 0.8 * at, y), width=0.25)
    if lights:
        _chain_ends(board, left, last, places, westward=westward)
    east, north = SCREW_MM
    board.holes += [((x, -north), 3.2) for x in sorted({east, last + east})]
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
    """Add a sensor: SOT-23, or TO-92 laid flat with its element on the same spot."""
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


def _light(board: Board, at: int, x: float, order: int, *, at_end: bool, westward: bool) -> None:
    """``order``: along the chain. ``at_end``: the last one to the east, where a wire comes on."""
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
