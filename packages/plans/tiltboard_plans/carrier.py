"""The carrier: the parts that a table has once, and a header for every sensor.

From the top: rails for the row boards' 3.3 V and ground; the multiplexers, with the lines that they
share between their two rows of pins; resistors; a channel of lines; the Pi's header and the plugs;
the supply with a fuse for each branch. The grounds meet at the supply's rail alone.
"""

from __future__ import annotations

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import SPI1_SELECTS, GpioPanel, MuxAdcHall, Ws2812Lights
from tiltboard_plans.board import GRID_MM, Board, Channel, Via
from tiltboard_plans.row_board import MAX_PLACES

HEADER = """
3:2 5:3 7:4 8:14 10:15 11:17 12:18 13:27 15:22 16:23 18:24 19:10 21:9 22:25 23:11 24:8 26:7 27:0
28:1 29:5 31:6 32:12 33:13 35:19 36:16 37:26 38:20 40:21"""  # pin of the Pi's header, and its GPIO
HEADER_PIN = {int(gpio): int(pin) for pin, gpio in (pair.split(":") for pair in HEADER.split())}
PI_GROUNDS, PI_3V3 = (6, 9, 14, 20, 25, 30, 34, 39), 1
PI_SUPPLY = "3V3PI"  # the Pi's own, for the tilt sensor
CONVERTER_MM = 24.0  # of one, with the muxes after it
SPI1 = {"DOUT": 19, "DIN": 20, "CLK": 21}
MUX_MM = 14 * GRID_MM  # from one to the next
FIRST_LANE, LANE = -5.9, 0.74
CHANNEL_MM = 26.0
V33, GND = "3V3A", "GND"
HEATSINK_MM = (-14.96, -15.3, 20.04, -2.6, 40.0)  # behind the regulator's tab, and its height
# Left of all, where the supply comes up to the rails that feed the row boards
FEED_MM = {V33: (-4.5, -19.0), GND: (-8.0, -21.54)}
PI_GROUND, PI_GROUND_MM = "ground of the Pi", -11.5  # its lane, and where that goes down
SHUTDOWN_GPIO = 16  # docs/service.md
CARRIES = {"ground": GND, "full": V33, "half": "HALF", "ntc": "NTC"}


def carrier(profile: Profile, hall: MuxAdcHall, regulator: str) -> Board:
    """Return the carrier of a table with these sensors. ``regulator``: its part."""
    board = Board("carrier")
    carries = {spare.input: CARRIES[spare.carries] for spare in hall.spares}
    inputs = [*range(profile.size), *carries]
    muxes = max(inputs) // 16 + 1
    names = [V33, "GND^", "S2", "S3", "S0", "S1", "HALF", "NTC"]
    names += [*(f"CH{m}" for m in range(min(muxes, 8))), "GND_"]
    for at, name in enumerate(names):
        board.rail(name, name.rstrip("^_"), FIRST_LANE + LANE * at)
    for m in range(muxes):
        if m >= 8:  # to the right of the first converter, where CH0 to CH7 have ended
            board.rail(f"CH{m}", f"CH{m}", board.rails[f"CH{m - 8}"].y)
        _mux(board, profile, m, carries)
    channel = Channel(board, CHANNEL_MM)
    for number in range(hall.converters):
        last = number == hall.converters - 1
        width = max(_mux_x(muxes), 236.22) if last else MUX_MM * 8
        _converter(board, channel, width, muxes, number)
    for at, name in enumerate(("GND_", "GND^", V33, "S0", "S1", "S2", "S3", "HALF", "NTC")):
        channel.add(*board.tap(name, width + 22 + 1.5 * at))
    _resistors(channel, profile, hall)
    plugs = _plugs(profile, hall)
    from_pi = {net for *_, pins in plugs for net in pins if net.startswith(("GPIO", PI_SUPPLY))}
    depth = channel.depth(extra=len(from_pi) + 12)
    # What returns from the Pi must not pass where the sensors' ground is compared with.
    channel.apart[GND] = PI_GROUND
    _header(channel, profile, plugs, from_pi, CHANNEL_MM + depth + 3)
    bottom = _supply(board, channel, profile, CHANNEL_MM + depth + 22, regulator)
    channel.lay()
    net, lane = board.tap(f"channel {PI_GROUND}", PI_GROUND_MM, 1.2)
    board.track(net, 2.0, "F", lane, (PI_GROUND_MM, CHANNEL_MM + depth + 3))
    right = width + 38.0
    for net, (x, y) in FEED_MM.items():
        board.rail(f"rows {net}", net, y, 1.6)
        board.reach(f"rows {net}", x)
    boards = profile.rows * -(-profile.columns // MAX_PLACES)
    for at in range(boards):
        plug = f"J{300 + at}"
        where = (2.0 + at * (width - 4) / max(boards - 1, 1), FEED_MM[GND][1])
        board.add(plug, "header2", where, {"1": GND, "2": V33}, footprint="two254v")
        for net in FEED_MM:
            board.reach(f"rows {net}", where[0])
    for name in (V33, "GND^", "GND_"):
        board.tap(name, FEED_MM[board.rails[name].net][0])
    board.edge = (-14.0, -25.0, right, bottom)
    screws = (
        (right - 5, -20.0),
        (right - 5, bottom - 5),
        (28.0, bottom - 22),
        (right - 60, bottom - 18),
    )
    board.holes += [(at, 3.2) for at in screws]
    return board.finish()


def _mux_x(m: int) -> float:
    return MUX_MM * m + (CONVERTER_MM if m >= 8 else 0.0)


def _mux(board: Board, profile: Profile, m: int, carries: dict[int, str]) -> None:
    x, ref = _mux_x(m), f"U{m + 1}"
    rails = {"1": f"CH{m}", "10": "S0", "11": "S1", "12": "GND_", "13": "S3", "14": "S2"}
    rails |= {"15": "GND^", "24": V33}
    nets = {pin: board.rails[rail].net for pin, rail in rails.items()}
    # Pins 2 to 9 of a multiplexer are I7 to I0, 23 to 16 over them I8 to I15
    below: dict[str, str] = {}
    above: dict[str, str] = {}
    inward = []
    for at, k in enumerate(range(16 * m, 16 * m + 16)):
        # A sensor's net has the name of its place
        net = profile.places[k] if k < profile.size else carries.get(k)
        if net is None:
            continue
        head, pin, head_pin = (below, 9 - at, 8 - at) if at < 8 else (above, 31 - at, at - 7)
        nets[str(pin)] = head[str(head_pin)] = net
        if k >= profile.size:
            inward.append((pin, net))
    board.add(ref, "mux", (x, 0), nets)
    for number, rail in rails.items():
        board.join(rail, board.pad(ref, number))
    for spare, net in inward:
        px, py = board.pad(ref, str(spare))
        off, ground = (1, "GND_") if spare <= 12 else (-1, "GND^")
        rail = ground if net == GND else net
        board.join(rail, (px, py), (px + 0.9 * off, py - 1.3 * off))
    board.add(f"C{m + 1}", "c100n", (x + 30.48, -7.62), {"1": V33, "2": GND})
    board.join(V33, (x + 30.48, -7.62))
    board.join("GND^", (x + 33.02, -7.62))
    # An input that floats must fall to ground between two scans (tiltboard.drivers.hall)
    board.add(f"R{51 + m}", "r1m", (x + 30.48, 7.62), {"1": f"CH{m}", "2": GND})
    board.join(f"CH{m}", (x + 30.48, 7.62))
    board.join("GND_", (x + 33.02, 7.62))
    for row, y, joined in ((0, 13.6, below), (1, -13.6, above)):
        plug = f"J{100 + 10 * m + row}"
        board.add(plug, "header8", (x + GRID_MM, y), joined)
        for number, net in joined.items():
            hx, hy = board.pad(plug, number)
            # Names of three letters have no room side by side: every second one goes opposite
            outside = len(net) <= 2 or int(number) % 2 == 0
            board.texts.append(((hx, hy + (2.9 if outside == (y > 0) else -1.9)), net))
            board.track(net, 0.3, "F", (hx, hy), (hx, 7.62 if y > 0 else -7.62))


def _converter(board: Board, channel: Channel, x: float, muxes: int, number: int) -> None:
    inputs = [f"CH{m}" if m < muxes else GND for m in range(8 * number, 8 * number + 8)]
    others = [GND, f"CS{number or ''}", "DIN", "DOUT", "CLK", GND, V33, V33]
    nets = {str(pin): net for pin, net in enumerate(inputs + others, 1)}
    placed = board.add(f"U{21 + number}", "converter", (x, 14.81), nets, turned=True)
    for pad, net in zip(placed.pads, nets.values(), strict=True):
        if int(pad.number) <= len(inputs):
            board.join("GND_" if net == GND else net, pad.at)
        else:
            channel.add(net, pad.at)


def _resistors(channel: Channel, profile: Profile, hall: MuxAdcHall) -> None:
    parts = [("r330", f"GPIO{pin}", f"S{at}") for at, pin in enumerate(hall.address_pins)]
    for number, select in enumerate(hall.selects):
        parts.append(("r330", f"GPIO{SPI1_SELECTS[select]}", f"CS{number or ''}"))
    parts += [("r330", f"GPIO{pin}", net) for net, pin in SPI1.items()]
    carried = {spare.carries for spare in hall.spares}
    if "half" in carried:
        parts += [("r1k", V33, "HALF"), ("r1k", "HALF", GND), ("c100n", "HALF", GND)]
    if "ntc" in carried:
        parts += [("r10k", V33, "NTC"), ("c100n", "NTC", GND)]
    lights, panel = profile.lights, profile.panel
    if isinstance(lights, Ws2812Lights):
        parts += [("r330", "LD", "LOUT"), ("c100n", "5VL", GND)]
        if lights.supply_pin is not None:
            sense = f"GPIO{lights.supply_pin}"
            parts += [("r6k8", "5VL", sense), ("r10k", sense, GND)]
    if isinstance(panel, GpioPanel):
        parts.append(("r100", f"GPIO{panel.buzzer_pin}", "BUZ"))
    parts += [("c100n", V33, GND)] * hall.converters
    parts.append(("r330", V33, GND))  # the least load with which the regulator holds its voltage
    counts = {"r": 0, "c": 20}
    for at, (part, one, two) in enumerate(parts):
        counts[part[0]] += 1
        ref, x = f"{part[0].upper()}{counts[part[0]]}", GRID_MM * (34 + 3 * at)
        channel.add_part(ref, part, (x, 20.0), {"1": one, "2": two})


def _plugs(profile: Profile, hall: MuxAdcHall) -> list[tuple[str, str, list[str]]]:
    """Return name, part and nets of each plug."""
    plugs, panel = [], profile.panel
    if profile.imu is not None and profile.imu.i2c():
        plugs.append(("J2", "header4", [PI_SUPPLY, GND, "GPIO3", "GPIO2"]))
    if isinstance(panel, GpioPanel):
        pins = [f"GPIO{panel.confirm_pin}", f"GPIO{panel.back_pin}", "BUZ", GND]
        plugs.append(("J3", "header4", pins))
    if SHUTDOWN_GPIO not in {pin for _, part in profile.parts for pin in part.pins()}:
        plugs.append(("J6", "header2", [f"GPIO{SHUTDOWN_GPIO}", GND]))
    if any(spare.carries == "ntc" for spare in hall.spares):
        plugs.append(("J5", "header2", ["NTC", GND]))
    if isinstance(profile.lights, Ws2812Lights):
        plugs.append(("J4", "header2", ["LOUT", GND]))
    return plugs


def _header(
    channel: Channel,
    profile: Profile,
    plugs: list[tuple[str, str, list[str]]],
    from_pi: set[str],
    y: float,
) -> None:
    """Place side by side the Pi's header, the plugs and, for lights, the level shifter of their
    data.
    """
    used = {net for net, _ in channel.ends} | from_pi
    lights = profile.lights
    if isinstance(lights, Ws2812Lights):
        used.add(f"GPIO{lights.pin}")
    nets = {str(pin): GND for pin in PI_GROUNDS}
    nets |= {str(pin): f"GPIO{gpio}" for gpio, pin in HEADER_PIN.items() if f"GPIO{gpio}" in used}
    if PI_SUPPLY in used:
        nets[str(PI_3V3)] = PI_SUPPLY
    channel.add_part("J1", "header40", (0, y), nets)
    if isinstance(lights, Ws2812Lights):
        shifter = {"1": GND, "2": f"GPIO{lights.pin}", "3": "LD"}
        shifter |= dict.fromkeys(("4", "5", "7", "9", "10", "12", "13"), GND) | {"14": "5VL"}
        channel.add_part("U23", "shifter", (25 * GRID_MM, y + 3.81), shifter)
    at = 35.5  # between the columns of the resistors
    for ref, part, wires in plugs:
        numbered = {str(number): net for number, net in enumerate(wires, 1)}
        channel.add_part(ref, part, (at * GRID_MM, y), numbered)
        at += len(wires) + 2


def _supply(board: Board, channel: Channel, profile: Profile, y: float, regulator: str) -> float:
    """Lay the supply; return its lower edge. ``y``: that of the rail that feeds the fuses."""
    ground, line, low = y + 35.3, y + 18.6, y + 22.6
    board.rail("5VIN", "5VIN", y, 4.0)
    board.rail("ground", GND, ground, 4.0)
    board.add("J20", "terminal", (14.0, y + 8), {"1": "5VIN", "2": GND})
    board.join("5VIN", board.pad("J20", "1"), width=3.0, via=2.0)
    board.join("ground", board.pad("J20", "2"), width=3.0, via=2.0)
    branches = [("5VS", 90.0), ("5VPI", 166.0)]
    if isinstance(profile.lights, Ws2812Lights):
        branches.insert(0, ("5VL", 40.0))
    for at, (net, x) in enumerate(branches):
        board.add(f"F{at + 1}", "fuse", (x, y), {"1": "5VIN", "2": net})
        board.reach("5VIN", x)
        board.add(f"D{at + 1}", "diode", (x + 14, low), {"1": net, "2": GND})
        board.reach("ground", x + 14)
        board.add(f"C{31 + at}", "c1000u", (x + 22, low), {"1": net, "2": GND})
        board.join("ground", board.pad(f"C{31 + at}", "2"), width=2.0, via=1.6)
        ends = [x + 14, x + 22]
        if net == "5VS":
            ends.append(x + 46)
            _regulator(board, regulator, x + 46, low)
        else:
            board.add(f"J{21 + at}", "terminal", (x, y + 29), {"1": net, "2": GND})
            board.track(net, 3.0, "F", (x, low), (x, y + 29))
            board.join("ground", board.pad(f"J{21 + at}", "2"), width=3.0, via=2.0)
        board.track(net, 2.5, "F", (x, low), (x + 4, line), (ends[-1], line))
        for end in ends:
            board.track(net, 2.0, "F", (end, line), (end, low))
        if net == "5VL":
            channel.add(net, (x + 18, line))
    _feed(board, GND, ground, width=2.5, via=2.0)
    start = (PI_GROUND_MM, y - 19)
    board.track(GND, 2.0, "F", start, (PI_GROUND_MM, ground))
    board.vias.append(Via(GND, (PI_GROUND_MM, ground), 2.0))
    board.reach("ground", PI_GROUND_MM)
    board.reach("ground", FEED_MM[GND][0])
    return ground + 5


def _regulator(board: Board, part: str, x: float, low: float) -> None:
    board.add("U24", part, (x, low), {"1": "5VS", "2": GND, "3": V33})
    left, top, right, bottom, high = HEATSINK_MM
    board.stands.append((x + left, low + top, x + right, low + bottom, high))
    board.texts.append(((x + right - 9, low + bottom - 2), "heatsink"))
    board.add("C34", "c10u", (x + 10, low), {"1": V33, "2": GND})
    for ref in ("U24", "C34"):
        board.join("ground", board.pad(ref, "2"), width=1.2, via=1.2)
    out, across = board.pad("U24", "3"), low + 3.4
    board.track(V33, 1.2, "F", out, (x + 10, low))
    board.track(V33, 2.0, "B", out, (out[0], across), (FEED_MM[V33][0], across))
    _feed(board, V33, across, width=2.0, via=1.6)


def _feed(board: Board, net: str, y: float, *, width: float, via: float) -> None:
    """Lead a supply from ``y`` on the back up the left edge to the row boards' rail."""
    x, top = FEED_MM[net]
    board.track(net, width, "F", (x, y), (x, top))
    board.vias += [Via(net, (x, y), via), Via(net, (x, top), 1.2)]
