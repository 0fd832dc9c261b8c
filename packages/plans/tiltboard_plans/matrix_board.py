"""A small table of push buttons on one circuit board: two buttons at each place (one for each pole
of a magnet), their diodes, and the Pi's header. The table can play any game that fits its size, and
makes a good first table.
"""

from __future__ import annotations

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import GpioPanel, MatrixHall
from tiltboard_plans.board import Board, Channel, Via
from tiltboard_plans.carrier import GND, HEADER_PIN, PI_GROUNDS

CELL_MM = (16.0, 14.2)  # Distance between neighbouring places, in mm.
LANE_MM = 0.7
# Positions in mm of the tracks at a place, relative to the first pad of the place's first button.
NORTH_X, SOUTH_X, ROW_Y = -1.8, -2.6, 8.9


def matrix_board(profile: Profile, hall: MatrixHall) -> Board:
    """Return the circuit board for a table that has push buttons instead of sensors. Row 1 of the
    table is at the bottom of the board.

    Inside a button, the two upper pads are connected, and so are the two lower pads.
    """
    board = Board("buttons")
    wide, high = CELL_MM
    columns, rows = profile.columns, profile.rows
    left, right, low = SOUTH_X - 1.2 - LANE_MM * rows, wide * columns, high * rows
    channel = Channel(board, low, LANE_MM)
    for line, pin in enumerate(hall.row_pins):
        board.rail(f"row{line}", f"GPIO{pin}", high * (rows - 1 - line) + ROW_Y)
        x = SOUTH_X - 1.0 - LANE_MM * (rows - 1 - line)
        channel.add(*board.tap(f"row{line}", x))
    for index, name in enumerate(profile.places):
        row, column = divmod(index, columns)
        at = wide * column, high * (rows - 1 - row)
        _place(board, hall, index, at)
        board.texts.append(((at[0] + 9.4, at[1] - 2.6), name))
    for pins, x, y in ((hall.north_pins, NORTH_X, 4.5), (hall.south_pins, SOUTH_X, 7.0)):
        for column, pin in enumerate(pins):
            channel.add(f"GPIO{pin}", (x + wide * column, y))
    if isinstance(profile.panel, GpioPanel):
        _panel(board, channel, profile.panel, right)
    used = {net for net, _ in channel.ends}
    nets = {str(pin): f"GPIO{gpio}" for gpio, pin in HEADER_PIN.items() if f"GPIO{gpio}" in used}
    nets |= {str(pin): GND for pin in PI_GROUNDS if GND in used}
    below = low + channel.depth() + 3
    channel.add_part("J1", "header40", (5.27, below), nets)
    channel.lay()
    board.texts += [((-1.2, below + 2.5), "1"), ((70.0, below + 1.3), profile.name)]
    board.edge = (left, -4.5, max(right + 12.5, 62.0), below + 5)
    board.holes += [((board.edge[2] - 4, -0.5), 3.2), ((board.edge[2] - 4, below), 3.2)]
    return board.finish()


def _place(board: Board, hall: MatrixHall, index: int, at: tuple[float, float]) -> None:
    """Add a place with two chains, one for each button. A chain connects the column line, the
    button, the diode and the row line, as docs/wiring.md shows.
    """
    x, y = at
    row, column = divmod(index, len(hall.north_pins))
    line = f"GPIO{hall.row_pins[row]}"
    for south, pins in enumerate((hall.north_pins, hall.south_pins)):
        number = 2 * index + south + 1
        button, diode = f"SW{number}", f"D{number}"
        wire, between = f"GPIO{pins[column]}", f"K{number}"
        # The pads for the column line face the centre of the place. The pads for the diodes face
        # outward.
        nets = {"1": wire, "2": between} if south else {"1": between, "2": wire}
        board.add(button, "tact", (x, y + 7.0 * south), nets)
        foot = (x + 11.9, y + 4.38) if south else (x + 9.4, y + 7.62)
        shape = "do35_down" if south else "do35_up"
        board.add(diode, "signal_diode", foot, {"1": line, "2": between}, footprint=shape)
        board.join(f"row{row}", foot)
        outer = (x + 6.5, y + (11.5 if south else 0.0))
        board.track(between, 0.3, "F", outer, board.pad(diode, "2"))
        board.track(between, 0.3, "F", (x, outer[1]), outer)
        inner = y + (7.0 if south else 4.5)
        board.track(wire, 0.3, "F", (x, inner), (x + 6.5, inner))
        lane = x + (SOUTH_X if south else NORTH_X)
        board.track(wire, 0.3, "B" if south else "F", (x, inner), (lane, inner))
        if south:
            board.vias.append(Via(wire, (lane, inner)))


def _panel(board: Board, channel: Channel, panel: GpioPanel, x: float) -> None:
    for at, (ref, pin, words) in enumerate(
        (("SW90", panel.confirm_pin, "confirm"), ("SW91", panel.back_pin, "back"))
    ):
        y = 6.0 + 14 * at
        board.add(ref, "tact", (x, y), {"1": f"GPIO{pin}", "2": GND})
        for net, down in ((f"GPIO{pin}", 0.0), (GND, 4.5)):
            board.track(net, 0.3, "F", (x, y + down), (x + 6.5, y + down))
        board.texts.append(((x + 3.25, y - 2.6), words))
        channel.add(f"GPIO{pin}", (x, y), (x - 2.3 + 0.7 * at, y))
        channel.add(GND, (x + 6.5, y + 4.5), (x + 8.2 + 0.7 * at, y + 4.5))
    board.add("LS1", "buzzer", (x + 0.8, 36.0), {"1": "BUZ", "2": GND})
    board.add("R1", "r100", (x + 1.8, 46.0), {"1": "BUZ", "2": f"GPIO{panel.buzzer_pin}"})
    board.track("BUZ", 0.3, "F", (x + 0.8, 36.0), (x + 1.8, 46.0))
    channel.add(f"GPIO{panel.buzzer_pin}", (x + 4.34, 46.0))
    channel.add(GND, (x + 5.8, 36.0), (x + 6.8, 37.0))
