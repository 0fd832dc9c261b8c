"""The carrier board, which has the parts that each table needs once, and a header for each sensor.

From top to bottom, the board has several sections. The first section has the rails with 3.3 V and
ground for the row boards. The next section has the chips that read the sensors; the lines that
these chips share run between the two rows of each chip's pins. Resistors and a channel of parallel
tracks follow. The last sections are the Pi's header or the Pico, the plugs, and the supply with a
fuse for each branch.

All grounds meet only at the supply's rail. The pins follow the datasheets of the MCP23017
(Microchip DS20001952) and of the Pico.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiltboard.drivers.node_firmware import plate
from tiltboard.firmware_host.config import wiring
from tiltboard.firmware_host.config.profile import Profile
from tiltboard_plans.board import GRID_MM, Board, Channel, Via
from tiltboard_plans.row_board import places_on

HEADER = """
3:2 5:3 7:4 8:14 10:15 11:17 12:18 13:27 15:22 16:23 18:24 19:10 21:9 22:25 23:11 24:8 26:7 27:0
28:1 29:5 31:6 32:12 33:13 35:19 36:16 37:26 38:20 40:21"""  # Pairs of header pin and GPIO number.
HEADER_PIN = {int(gpio): int(pin) for pin, gpio in (pair.split(":") for pair in HEADER.split())}
PI_GROUNDS = (6, 9, 14, 20, 25, 30, 34, 39)
PICO_GROUNDS = (3, 8, 13, 18, 23, 28, 33, 38)
PICO_GP = (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29)
"""The pin numbers of GP0 to GP22 on the Pico."""
SPI1 = {"DOUT": 19, "DIN": 20, "CLK": 21}  # GPIO number of each line of the bus SPI1.
# Width of an analog-to-digital converter in mm. The multiplexers to the right of a converter are
# shifted by this width.
CONVERTER_MM = 24.0
# Horizontal distance between neighbouring multiplexers and between neighbouring port expanders, in
# mm.
MUX_MM, EXPANDER_MM = 14 * GRID_MM, 15 * GRID_MM
SUPPLY_MM = 236.22  # Width of the power supply section in mm.
FIRST_LANE, LANE = -5.9, 0.74
CHANNEL_MM = 26.0
V33, GND = "3V3A", "GND"
# Left, top, right and bottom edge of the heatsink behind the regulator's tab, and the heatsink's
# height, in mm.
HEATSINK_MM = (-14.96, -15.3, 20.04, -2.6, 40.0)
# Points at the left edge at which the supply connects to the rails for the row boards, in mm.
FEED_MM = {V33: (-4.5, -19.0), GND: (-8.0, -21.54)}
# The name of the separate lane for the controller's ground, and the x position in mm at which this
# lane leads to the supply.
BACK, BACK_MM = "ground of the controller", -11.5
SHUTDOWN_GPIO = 16  # The GPIO of the shutdown button (docs/service.md).
Side = dict[int, tuple[int, str]]
"""The inputs at one header of a chip, by position along the header. Each input is the number of the
chip's pin and the name of the net.
"""
CARRIES = {"ground": GND, "full": V33, "half": "HALF", "ntc": "NTC"}


@dataclass(frozen=True)
class Controller:
    """The pins of a controller: a Pi at the end of a ribbon cable, or a Pico on the carrier board.

    The wire to a pin has the same name as the pin.
    """

    pins: dict[str, int]
    """The number of the pin for each signal, by the signal's name."""
    grounds: tuple[int, ...]
    supply: str
    """The net of the controller's own 3.3 V, which supplies the tilt sensor."""
    address: tuple[str, ...] = ()
    """The nets of the multiplexers' address lines."""
    selects: tuple[str, ...] = ()
    """The select net of each converter."""
    spi: tuple[str, ...] = ()
    """The nets of the converters' data output, data input and clock."""
    bus: tuple[str, str] | None = None
    """The nets of the I2C clock and data, or None if the table has no I2C chip."""
    data: str | None = None
    """The net of the lights' data line, or None without lights."""
    sense: str | None = None
    """The net of the input that measures whether the lights have power, or None."""
    panel: tuple[str, ...] = ()
    """The nets of the confirm button, the back button and the buzzer."""
    shutdown: str | None = None
    line: tuple[str, ...] = ()
    """The nets of the serial line to a Pi that is not on the plate. Empty if there is no such line.
    """
    spares: tuple[tuple[int, str], ...] = ()
    """The multiplexer inputs without a sensor. Each entry is the number of the input and the name
    of the signal at the input.
    """

    @classmethod
    def of(cls, profile: Profile) -> Controller:
        """Return the controller of a profile with the pins of the Pi, or with the pins that the
        Pico's firmware assigns.
        """
        hall, lights, panel = profile.hall, profile.lights, profile.panel
        if isinstance(hall, wiring.NodeHall):
            return cls._pico(lit=lights is not None)
        pins = {f"GPIO{gpio}": pin for gpio, pin in HEADER_PIN.items()} | {"3V3PI": 1}
        taken = {pin for _, part in profile.parts for pin in part.pins()}
        mux = hall if isinstance(hall, wiring.MuxAdcHall) else None
        numbers = {"address": mux.address_pins, "spi": tuple(SPI1.values())} if mux else {}
        if mux:
            numbers["selects"] = tuple(wiring.SPI1_SELECTS[each] for each in mux.selects)
        if any(part.i2c() for _, part in profile.parts):
            numbers["bus"] = (3, 2)
        if isinstance(panel, wiring.GpioPanel):
            numbers["panel"] = (panel.confirm_pin, panel.back_pin, panel.buzzer_pin)
        single = {"shutdown": SHUTDOWN_GPIO if SHUTDOWN_GPIO not in taken else None}
        if isinstance(lights, wiring.Ws2812Lights):
            single |= {"data": lights.pin, "sense": lights.supply_pin}
        named = {key: tuple(f"GPIO{each}" for each in group) for key, group in numbers.items()}
        alone = {key: f"GPIO{gpio}" for key, gpio in single.items() if gpio is not None}
        spares = tuple((each.input, each.carries) for each in mux.spares) if mux else ()
        return cls(pins, PI_GROUNDS, "3V3PI", spares=spares, **named, **alone)  # type: ignore[arg-type]

    @classmethod
    def _pico(cls, *, lit: bool) -> Controller:
        """Return the Pico as a controller, with the pins that the Pico's firmware uses
        (docs/wiring-node.md).
        """
        spares = [
            (number, "ground" if low == 0 else "full" if high == 1023 else "half")
            for number, low, high in plate.SPARES
        ]
        return cls(
            {f"GP{gp}": pin for gp, pin in enumerate(PICO_GP)} | {"3V3PICO": 36, "VSYS": 39},
            PICO_GROUNDS,
            "3V3PICO",
            address=("GP10", "GP11", "GP12", "GP13"),
            selects=("GP17",),
            spi=("GP16", "GP19", "GP18"),
            bus=("GP5", "GP4"),
            data="GP22" if lit else None,
            sense="GP20" if lit else None,
            panel=("GP14", "GP15", "GP6"),
            line=("GP0", "GP1"),
            spares=(*spares, (plate.THERMISTOR, "ntc")),
        )


def carrier(profile: Profile, regulator: str) -> Board:
    """Return a table's carrier board. ``regulator``: the part name of the voltage regulator."""
    made = _Carrier(Board("carrier"), profile, Controller.of(profile))
    return made.drawn(regulator)


@dataclass
class _Carrier:
    board: Board
    profile: Profile
    controller: Controller

    def drawn(self, regulator: str) -> Board:
        """Return the board with all parts and tracks."""
        board, hall = self.board, self.profile.hall
        self.channel = channel = Channel(board, CHANNEL_MM)
        wide = self._expanders(hall) if isinstance(hall, wiring.DualSwitchHall) else self._muxes()
        self._resistors()
        plugs = self._plugs()
        pins = self.controller.pins
        wanted = {net for *_, nets in plugs for net in nets if net in pins}
        on_board = self.controller.line != ()
        wanted |= {"VSYS"} if on_board else set()
        depth = channel.depth(extra=len(wanted) + 12)
        # The ground of the converter is the reference for the sensors, so the controller's ground
        # current must not flow through this ground.
        channel.apart[GND] = BACK
        y = CHANNEL_MM + depth + 3
        self._header(plugs, wanted, y, on_board=on_board)
        bottom = self._supply(y + (34 if on_board else 19), regulator, on_board=on_board)
        channel.lay()
        net, lane = board.tap(f"channel {BACK}", BACK_MM, 1.2)
        _, ground = board.tap("ground", BACK_MM, 2.0)
        board.track(net, 2.0, "F", lane, ground)
        self._feeds(wide)
        board.edge = (-14.0, -25.0, wide, bottom)
        screws = [(wide - 5, -20.0), (wide - 5, bottom - 5)]
        screws += [(28.0, bottom - 22), (wide - 60, bottom - 18)]
        board.holes += [(at, 3.2) for at in screws]
        return board.finish()

    def _feeds(self, wide: float) -> None:
        """Add the rails for the row boards, and a plug for each row board."""
        board = self.board
        for net, (x, y) in FEED_MM.items():
            board.rail(f"rows {net}", net, y, 1.6)
            board.reach(f"rows {net}", x)
        boards = self.profile.rows * len(places_on(self.profile))
        for at in range(boards):
            where = (2.0 + at * (wide - 42) / max(boards - 1, 1), FEED_MM[GND][1])
            plug = {"1": GND, "2": V33}
            board.add(f"J{300 + at}", "header2", where, plug, footprint="two254v")
            for net in FEED_MM:
                board.reach(f"rows {net}", where[0])
        for name in (V33, "GND^", "GND_"):
            if name in board.rails:
                board.tap(name, FEED_MM[board.rails[name].net][0])

    # The methods below place the chips that read the sensors.

    def _muxes(self) -> float:
        """Add the multiplexers and converters. Return the x position of the board's right edge in
        mm.
        """
        board, profile = self.board, self.profile
        carries = {number: CARRIES[what] for number, what in self.controller.spares}
        muxes = max([profile.size - 1, *carries]) // 16 + 1
        names = [V33, "GND^", "S2", "S3", "S0", "S1", "HALF", "NTC"]
        names += [*(f"CH{m}" for m in range(min(muxes, 8))), "GND_"]
        for at, name in enumerate(names):
            board.rail(name, name.rstrip("^_"), FIRST_LANE + LANE * at)
        for m in range(muxes):
            # These multiplexers are to the right of the first converter. The rails CH0 to CH7 end
            # before these multiplexers.
            if m >= 8:
                board.rail(f"CH{m}", f"CH{m}", board.rails[f"CH{m - 8}"].y)
            self._mux(m, carries)
        converters = len(self.controller.selects)
        for number in range(converters):
            last = number == converters - 1
            wide = max(_mux_x(muxes), SUPPLY_MM) if last else MUX_MM * 8
            self._converter(wide, muxes, number)
        wanted = [name for name in ("HALF", "NTC") if name in carries.values()]
        for at, name in enumerate(("GND_", "GND^", V33, "S0", "S1", "S2", "S3", *wanted)):
            self.channel.add(*board.tap(name, wide + 22 + 1.5 * at))
        return wide + 38.0

    def _mux(self, m: int, carries: dict[int, str]) -> None:
        board, places, x = self.board, self.profile.places, _mux_x(m)
        rails = {"1": f"CH{m}", "10": "S0", "11": "S1", "12": "GND_", "13": "S3", "14": "S2"}
        rails |= {"15": "GND^", "24": V33}
        # Pins 2 to 9 of a multiplexer are its inputs I7 to I0. The opposite pins 23 to 16 are its
        # inputs I8 to I15.
        below: Side = {}
        above: Side = {}
        inward = []
        for at, k in enumerate(range(16 * m, 16 * m + 16)):
            # The name of a place is also the name of its sensor's net.
            net = places[k] if k < len(places) else carries.get(k)
            if net is None:
                continue
            if at < 8:
                below[8 - at] = 9 - at, net
            else:
                above[at - 7] = 31 - at, net
            if k >= len(places):
                inward.append((9 - at if at < 8 else 31 - at, net))
        self._chip(f"U{m + 1}", "mux", x, rails, (below, above))
        for spare, net in inward:
            px, py = board.pad(f"U{m + 1}", str(spare))
            off, ground = (1, "GND_") if spare <= 12 else (-1, "GND^")
            board.join(ground if net == GND else net, (px, py), (px + 0.9 * off, py - 1.3 * off))
        board.add(f"C{m + 1}", "c100n", (x + 30.48, -7.62), {"1": V33, "2": GND})
        board.join(V33, (x + 30.48, -7.62))
        board.join("GND^", (x + 33.02, -7.62))
        # An input without a sensor must discharge to ground between two scans
        # (tiltboard.drivers.hall).
        board.add(f"R{51 + m}", "r1m", (x + 30.48, 7.62), {"1": f"CH{m}", "2": GND})
        board.join(f"CH{m}", (x + 30.48, 7.62))
        board.join("GND_", (x + 33.02, 7.62))

    def _expanders(self, hall: wiring.DualSwitchHall) -> float:
        """Add a port expander for each row of switches. Return the x position of the board's right
        edge in mm.
        """
        board, columns, bus = self.board, self.profile.columns, self.controller.bus or ("", "")
        for at, name in enumerate((V33, "GND^", *bus)):
            board.rail(name, name.rstrip("^"), 0.9 * (at - 1.5))
        for row, address in enumerate(hall.addresses):
            x, ref = EXPANDER_MM * row, f"U{row + 1}"
            straps = {str(15 + bit): (V33 if address >> bit & 1 else "GND^") for bit in range(3)}
            rails = {"9": V33, "10": "GND^", "12": bus[0], "13": bus[1], "18": V33, **straps}
            names = self.profile.places[columns * row : columns * (row + 1)]
            north = {7 - at: (21 + at, f"{name}N") for at, name in enumerate(names)}
            south = {at: (1 + at, f"{name}S") for at, name in enumerate(names)}
            self._chip(ref, "expander", x, rails, (south, north))
            beside = x + 35.56
            nets, shape = {"1": V33, "2": GND}, "two254u"
            board.add(f"C{row + 1}", "c100n", (beside, -3.81), nets, footprint=shape)
            board.join(V33, (beside, -3.81))
            board.join("GND^", (beside, -6.35), (beside + 1.35, -5.0))
        # The vertical tracks to the channel run to the right of the resistors.
        wide = max(EXPANDER_MM * len(hall.addresses), 140.0)
        for at, name in enumerate(("GND^", V33, *bus)):
            self.channel.add(*board.tap(name, wide + 1.5 * at))
        return max(wide + 10.0, SUPPLY_MM + 38.0)

    def _chip(
        self, ref: str, part: str, x: float, rails: dict[str, str], sides: tuple[Side, Side]
    ) -> None:
        """Place a chip, and connect it to its rails. Connect the chip's inputs to one header below
        and one header above the chip.

        ``rails``: the rail of each shared pin. ``sides``: the inputs at the header below and at the
        header above.
        """
        board = self.board
        inputs = {str(pin): net for side in sides for pin, net in side.values()}
        shared = {pin: board.rails[rail].net for pin, rail in rails.items()}
        placed = board.add(ref, part, (x, 0), shared | inputs)
        for number, rail in rails.items():
            board.join(rail, board.pad(ref, number))
        row = max(pad.at[1] for pad in placed.pads)
        for plug, y, side in zip((0, 1), (13.6, -13.6), sides, strict=True):
            name = f"J{100 + 10 * (int(ref[1:]) - 1) + plug}"
            first = min(side, default=1) if part == "expander" else 1
            joined = {str(at + 1 - first): net for at, (_, net) in side.items()}
            board.add(name, "header8", (x + GRID_MM * first, y), joined)
            for number, net in joined.items():
                hx, hy = board.pad(name, number)
                # Labels with three letters are too wide to be printed next to each other. Therefore
                # every second label is on the opposite side of the header.
                outside = len(net) <= 2 or int(number) % 2 == 0
                board.texts.append(((hx, hy + (2.9 if outside == (y > 0) else -1.9)), net))
                board.track(net, 0.3, "F", (hx, hy), (hx, row if y > 0 else -row))

    def _converter(self, x: float, muxes: int, number: int) -> None:
        inputs = [f"CH{m}" if m < muxes else GND for m in range(8 * number, 8 * number + 8)]
        others = [GND, f"CS{number or ''}", "DIN", "DOUT", "CLK", GND, V33, V33]
        nets = {str(pin): net for pin, net in enumerate(inputs + others, 1)}
        placed = self.board.add(f"U{21 + number}", "converter", (x, 14.81), nets, turned=True)
        for pad, net in zip(placed.pads, nets.values(), strict=True):
            if int(pad.number) <= len(inputs):
                self.board.join("GND_" if net == GND else net, pad.at)
            else:
                self.channel.add(net, pad.at)

    # The methods below place the parts between the chips and the controller.

    def _resistors(self) -> None:
        wires, carried = self.controller, {what for _, what in self.controller.spares}
        parts = [("r330", pin, f"S{at}") for at, pin in enumerate(wires.address)]
        parts += [("r330", pin, f"CS{at or ''}") for at, pin in enumerate(wires.selects)]
        data = zip(wires.spi, SPI1, strict=False)
        parts += [("r330", pin, net) for pin, net in data]
        if "half" in carried:
            parts += [("r1k", V33, "HALF"), ("r1k", "HALF", GND), ("c100n", "HALF", GND)]
        if "ntc" in carried:
            parts += [("r10k", V33, "NTC"), ("c100n", "NTC", GND)]
        if wires.data is not None:
            parts += [("r330", "LD", "LOUT"), ("c100n", "5VL", GND)]
        if wires.sense is not None:
            parts += [("r6k8", "5VL", wires.sense), ("r10k", wires.sense, GND)]
        if wires.panel:
            parts.append(("r100", wires.panel[2], "BUZ"))
        parts += [("c100n", V33, GND)] * len(wires.selects)
        # The voltage regulator needs this minimum load to keep its voltage.
        parts.append(("r330", V33, GND))
        counts = {"r": 0, "c": 20}
        for at, (part, one, two) in enumerate(parts):
            counts[part[0]] += 1
            ref, x = f"{part[0].upper()}{counts[part[0]]}", GRID_MM * (34 + 3 * at)
            self.channel.add_part(ref, part, (x, 20.0), {"1": one, "2": two})

    def _plugs(self) -> list[tuple[str, str, list[str]]]:
        """Return the name, part and nets of each plug."""
        wires, plugs = self.controller, []
        if wires.bus and self.profile.imu is not None:
            plugs.append(("J2", "header4", [wires.supply, GND, *wires.bus]))
        if wires.panel:
            plugs.append(("J3", "header4", [*wires.panel[:2], "BUZ", GND]))
        if wires.shutdown is not None:
            plugs.append(("J6", "header2", [wires.shutdown, GND]))
        if any(what == "ntc" for _, what in wires.spares):
            plugs.append(("J5", "header2", ["NTC", GND]))
        if wires.data is not None:
            plugs.append(("J4", "header2", ["LOUT", GND]))
        if wires.line:
            plugs.append(("J7", "header3", [*wires.line, GND]))
        return plugs

    def _header(
        self, plugs: list[tuple[str, str, list[str]]], wanted: set[str], y: float, *, on_board: bool
    ) -> None:
        """Place the Pi's header or the Pico, the plugs and, if the table has lights, the level
        shifter for the lights' data.

        ``plugs``: name, part and nets of each plug. ``wanted``: the nets that the plugs connect.
        ``y``: the vertical position of the row. ``on_board``: True if the controller is a Pico on
        the carrier.
        """
        wires, channel = self.controller, self.channel
        used = {net for net, _ in channel.ends} | wanted | {wires.data}
        nets = {str(pin): GND for pin in wires.grounds}
        nets |= {str(pin): net for net, pin in wires.pins.items() if net in used}
        if on_board:
            channel.add_part("U31", "node", (0, y + 8.89), nets)
        else:
            channel.add_part("J1", "header40", (0, y), nets)
        if wires.data is not None:
            shifter = {"1": GND, "2": wires.data, "3": "LD"}
            shifter |= dict.fromkeys(("4", "5", "7", "9", "10", "12", "13"), GND) | {"14": "5VL"}
            channel.add_part("U23", "shifter", (25 * GRID_MM, y + 3.81), shifter)
        at = 35.5  # This column is between the columns of the resistors.
        for ref, part, ends in plugs:
            numbered = {str(number): net for number, net in enumerate(ends, 1)}
            channel.add_part(ref, part, (at * GRID_MM, y), numbered)
            at += len(ends) + 2

    # The methods below place the power supply.

    def _supply(self, y: float, regulator: str, *, on_board: bool) -> float:
        """Add the power supply. Return the y position of its lower edge in mm.

        ``y``: the vertical position of the rail that feeds the fuses. ``regulator``: the part name
        of the voltage regulator. ``on_board``: True if the controller is a Pico on the carrier.
        """
        board, channel = self.board, self.channel
        ground, line, low = y + 35.3, y + 18.6, y + 22.6
        board.rail("5VIN", "5VIN", y, 4.0)
        board.rail("ground", GND, ground, 4.0)
        board.add("J20", "terminal", (14.0, y + 8), {"1": "5VIN", "2": GND})
        board.join("5VIN", board.pad("J20", "1"), width=3.0, via=2.0)
        board.join("ground", board.pad("J20", "2"), width=3.0, via=2.0)
        last = "5VPICO" if on_board else "5VPI"
        branches = [(1, "5VL", 40.0), (2, "5VS", 90.0), (3, last, 166.0)]
        for at, net, x in branches[self.controller.data is None :]:
            board.add(f"F{at}", "fuse", (x, y), {"1": "5VIN", "2": net})
            board.reach("5VIN", x)
            board.add(f"D{at}", "diode", (x + 14, low), {"1": net, "2": GND})
            board.reach("ground", x + 14)
            board.add(f"C{30 + at}", "c1000u", (x + 22, low), {"1": net, "2": GND})
            board.join("ground", board.pad(f"C{30 + at}", "2"), width=2.0, via=1.6)
            ends = [x + 14, x + 22]
            if net == "5VS":
                ends.append(x + 46)
                self._regulator(regulator, x + 46, low)
            elif net == "5VPICO":
                # The diode prevents current between the Pico's USB plug and the plate's supply.
                board.add("D4", "diode", (x + 30, line - 12.7), {"1": "VSYS", "2": net})
                board.track(net, 2.0, "F", (x + 22, line), (x + 30, line))
                channel.add("VSYS", (x + 30, line - 12.7))
            else:
                board.add(f"J{20 + at}", "terminal", (x, y + 29), {"1": net, "2": GND})
                board.track(net, 3.0, "F", (x, low), (x, y + 29))
                board.join("ground", board.pad(f"J{20 + at}", "2"), width=3.0, via=2.0)
            board.track(net, 2.5, "F", (x, low), (x + 4, line), (ends[-1], line))
            for end in ends:
                board.track(net, 2.0, "F", (end, line), (end, low))
            if net == "5VL":
                channel.add(net, (x + 18, line))
        self._feed(GND, ground, width=2.5, via=2.0)
        board.reach("ground", FEED_MM[GND][0])
        return ground + 5

    def _regulator(self, part: str, x: float, low: float) -> None:
        board = self.board
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
        self._feed(V33, across, width=2.0, via=1.6)

    def _feed(self, net: str, y: float, *, width: float, via: float) -> None:
        """Connect a supply net to the row boards' rail. The connection is a track on the back,
        which runs from ``y`` along the left edge.
        """
        x, top = FEED_MM[net]
        self.board.track(net, width, "F", (x, y), (x, top))
        self.board.vias += [Via(net, (x, y), via), Via(net, (x, top), 1.2)]


def _mux_x(m: int) -> float:
    return MUX_MM * m + (CONVERTER_MM if m >= 8 else 0.0)
