"""The plans of a table, derived from its profile: boards, parts and calculated figures."""

from __future__ import annotations

import csv
import html
import io
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from tiltboard.drivers.node_firmware import plate
from tiltboard.firmware_host.config import wiring
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.platform import FELT_MM, PLYWOOD_MM, STOP_DEG
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception.field import STRONG, WEAK, Disc, field_mt
from tiltboard.games.base import PieceBody
from tiltboard.games.registry import HOSTED
from tiltboard_plans import frame as f
from tiltboard_plans import row_board as rb
from tiltboard_plans.board import Board, table
from tiltboard_plans.carrier import Controller, carrier
from tiltboard_plans.ground import ground_shift_mt
from tiltboard_plans.matrix_board import CELL_MM, matrix_board
from tiltboard_plans.printed import ELEMENT_MM, FLOOR, LIGHT_HIGH_MM

HEATSINK_K_W = 16.0  # Thermal resistance in K/W of a heatsink (13 K/W) with an insulating washer.
# Rated currents of fuses (IEC 60127), in A.
FUSES_A = (0.5, 1.0, 1.6, 2.0, 3.15, 4.0, 5.0, 6.3, 8.0, 10.0, 12.5, 16.0)
# Size, resistance in ohm per metre and length in metres of the wire from the supply to terminal
# J20. A thicker wire does not fit into the terminal.
MAIN_FEED = ("AWG 16", 0.0132, 0.6)
# Resistance in ohm per metre of each wire size, at 20 degrees Celsius.
OHM_M = {"AWG 24": 0.0842, "AWG 18": 0.0210, "AWG 14": 0.00829, "AWG 12": 0.00521}
MAX_DROP_V = 0.2
WIRES_G = 150.0  # Mass of the wires between the row boards and the shelf, in g.
BOARD_MM, MAX_SPACER_MM = 1.6, 9.0
# Distances from a sensor to the 5 V rail and to the ground rail of the place's light, in mm.
RAILS_MM = (3.8, 8.2)
# Resistance in ohm per mm of a copper rail that is 2 mm wide and 0.035 mm thick.
RAIL_OHM_MM = 0.000246
SETTLING_OHM, RIBBON_PF_M, RIBBON_M, INPUT_PF = 700.0, 107.0, 1.5, 60.0
PI_PULL_UP_OHM, GY521_OHM = 1800.0, 2200.0
# Maximum rise time in ns and sink current in mA for I2C at 400 kHz, as UM10204 specifies.
I2C_RISE_NS, I2C_SINK_MA = 300.0, 3.0
TILT_WIRE_M = 0.5  # Length of the wires from the carrier to the tilt sensor, in metres.
SLIP_A = 2.0  # Maximum current in A that one wire of a slip ring can carry.
PARTS: dict[str, dict[str, Any]] = table("parts")["parts"]


@dataclass(frozen=True)
class Plans:
    """The drawings and parts lists for one table."""

    profile: Profile
    boards: dict[str, Board] = field(default_factory=dict)
    """The table's circuit boards, by the name of each board's files."""

    @classmethod
    def of(cls, profile: Profile) -> Plans:
        """Return the plans of a profile. Raises ConfigError if this package cannot draw the boards
        of the profile.
        """
        hall, lights = profile.hall, profile.lights
        _check_profile(profile)
        if isinstance(hall, wiring.MatrixHall):
            return cls(profile, {"buttons": matrix_board(profile, hall)})
        switches = isinstance(hall, wiring.DualSwitchHall)
        soldered = lights is not None and not lights.strip
        boards: dict[str, Board] = {}
        for row in range(min(profile.rows, 2)):
            for name, _, places in _row(profile, row):
                boards[name] = rb.row_board(
                    profile.pitch_mm,
                    places,
                    name=name,
                    westward=name.startswith("row-west"),
                    lights=soldered,
                    switches=switches,
                )
        # The current includes an estimated 0.05 A for the multiplexers and the converter.
        sensor = 2 * PARTS["switch"]["peak_ma"] if switches else PARTS["sensor"]["peak_ma"]
        sensors_a = profile.size * sensor / 1000 + 0.05
        regulator = "regulator" if sensors_a <= PARTS["regulator"]["amps"] else "regulator_3a"
        boards["carrier"] = carrier(profile, regulator)
        plans = cls(profile, boards)
        for board in boards.values():
            _check(profile, board)
        if plans.sensors_a(peak=True) > PARTS[regulator]["amps"]:
            raise ConfigError(
                "profile {name}: its sensors take up to {most:.2f} A, and their regulator gives"
                " {gives:g}.",
                remedy="Choose fewer places.",
                name=profile.name,
                most=plans.sensors_a(peak=True),
                gives=PARTS[regulator]["amps"],
            )
        return plans

    @cached_property
    def row_boards(self) -> list[tuple[Board, float, float]]:
        """Each row board under the plate, with the position of the row board's first place relative
        to the plate's centre, in mm.
        """
        found = []
        for row in range(self.profile.rows) if "carrier" in self.boards else ():
            for name, first, _ in _row(self.profile, row):
                place = row * self.profile.columns + first
                found.append((self.boards[name], *self.profile.centre_mm(place)))
        return found

    @property
    def on_plate(self) -> bool:
        """True if a controller on the plate reads the sensors and the Pi is not on the plate."""
        return isinstance(self.profile.hall, wiring.NodeHall)

    def spacers(self) -> list[tuple[tuple[float, float], float]]:
        """Return the position and the diameter in mm of each hole in the plywood for the row
        boards' screws.
        """
        found = []
        for board, x, y in self.row_boards:
            found += [((x + right, y - below), across) for (right, below), across in board.holes]
        return found

    def standoffs(self) -> list[tuple[float, float]]:
        """Return the positions of the holes in the shelf for the carrier's screws."""
        carrier = self.boards["carrier"]
        left, top, right, bottom = carrier.edge
        return [(x - (left + right) / 2, (top + bottom) / 2 - y) for (x, y), _ in carrier.holes]

    @cached_property
    def tilt_sensor_mm(self) -> tuple[float, float] | None:
        """Position of the tilt sensor under the plate in mm, or None without a tilt sensor. The
        position is the one nearest to the centre at which no wire or screw is in the way.
        """
        if self.profile.imu is None:
            return None
        taken = [
            (x + right, y - below, 3.5)
            for b, x, y in self.row_boards
            for (right, below), _ in b.holes
        ]
        for board, x, y in self.row_boards:
            for part in board.components.values():
                if part.footprint in ("wire", "power"):
                    taken.append((x + part.at[0], y - part.at[1], 1.5))
        wide, deep, _ = f.TILT_SENSOR_MM
        spots = [(2.0 * a, 2.0 * b) for a in range(-20, 21) for b in range(-20, 21)]
        return min(
            (
                (x, y)
                for x, y in spots
                if not any(
                    abs(x - a) < wide / 2 + r and abs(y - b) < deep / 2 + r for a, b, r in taken
                )
            ),
            key=lambda at: math.hypot(*at),
        )

    @cached_property
    def frame(self) -> f.Frame | None:
        """The support of the plate, or None if the circuit board itself is the plate."""
        profile = self.profile
        if isinstance(profile.hall, wiring.MatrixHall):
            return None
        carrier = self.boards["carrier"]
        heaviest = max(
            look.body.mass_g
            for kind in HOSTED.values()
            for look in (kind.look, *kind.looks.values())
            if look.form != "platform"
        )
        return f.Frame(
            plate_mm=profile.plate_mm,
            stands="turntable" if profile.spins else "gimbal" if profile.imu else "legs",
            board_mm=carrier.size_mm,
            hung_g=sum(_board_g(board) for board, _, _ in self.row_boards) + WIRES_G,
            board_g=_board_g(carrier),
            pieces_g=profile.size * heaviest,
            pi_on_base=self.on_plate,
            bars=profile.lights is not None,
        )

    @cached_property
    def quantities(self) -> dict[str, int]:
        """Number of each part that the table needs, in the order of the parts list."""
        profile, hall, lights = self.profile, self.profile.hall, self.profile.lights
        count: Counter[str] = Counter()
        count["pi" if profile.size > 36 else "zero"] = 1
        for name, board in self.boards.items():
            if not name.startswith("row-"):
                count.update(part.part for part in board.components.values())
        if isinstance(hall, wiring.MatrixHall):
            count.update(supply_small=1, button_board=1)
            return {part: count[part] for part in PARTS if count[part]}
        count.update(plate=1, wire=1, supply=1, filament=1)
        strong = 2 * ((profile.size + 1) // 2)
        count.update(magnet_strong=strong, ballast=strong)
        if profile.measures:
            count["magnet_weak"] = strong
        for row, _, _ in self.row_boards:
            count.update(p.part for p in row.components.values() if p.part != "header2")
        count.update(row_board=len(self.row_boards), spacer=len(self.spacers()))
        count.update(carrier_board=1, heatsink=1, main_fuse=1)
        count["pi_supply" if self.on_plate else "pi_lead"] = count["pi"] + count["zero"]
        count["ntc"] += any(what == "ntc" for _, what in Controller.of(profile).spares)
        count["adapter"] = count["mux"]
        if lights is not None:
            count["guide"] = profile.size * (lights.guide == "ring")
            count["strip"] = profile.size * lights.strip
        frame = self.frame
        if frame is not None:
            count.update(frame_wood=1, screws=1, rod=math.ceil(4 * frame.rod_mm / 1000))
            count["bus_bar"] = 2 * frame.bars
        if frame is not None and frame.stands == "gimbal":
            count.update(axle_long=2, axle=2, disc=frame.discs, weight_bolt=1, lock_pin=4, film=1)
        elif frame is not None and frame.stands == "turntable":
            count.update(turntable=1, slip_ring=1)
        if profile.imu is not None:
            count["imu_lsm" if isinstance(profile.imu, wiring.Lsm6dsoxImu) else "imu"] = 1
        if profile.panel is not None:
            count.update(button=2, buzzer=1)
        return {part: count[part] for part in PARTS if count[part]}

    def total(self, key: str, parts: Collection[str] = PARTS) -> float:
        """Return the sum of a column of the parts table over ``parts``. The column ``key`` is
        ``eur``, ``grams``, ``ma``, ``peak_ma`` or ``minutes``.
        """
        counted = [(part, n) for part, n in self.quantities.items() if part in parts]
        return sum(float(PARTS[part].get(key, 0)) * quantity for part, quantity in counted)

    def sensors_a(self, *, peak: bool = False) -> float:
        """Return the current in A that the sensors draw from their 3.3 V supply. ``peak``: True for
        the maximum current, False for the normal current.
        """
        on_it = ("sensor", "switch", "switch_north", "mux", "converter", "expander", "r1k")
        return self.total("peak_ma" if peak else "ma", on_it) / 1000

    def lights_a(self) -> tuple[float, float, float]:
        """Return three currents of the lights in A. The first current is for all lights in white,
        at the profile's brightness and within its current limit. The second current is for dark
        lights. The third current is the peak when all channels are on at the same instant, because
        the pulses of all WS2812 are in phase.
        """
        lights = self.profile.lights
        if lights is None:
            return 0.0, 0.0, 0.0
        all_a = self.profile.size * 3 * lights.channel_ma / 1000
        dark = self.profile.size * lights.idle_ma / 1000
        return min(all_a * lights.brightness + dark, lights.supply_a), dark, all_a + dark

    def branches(self) -> dict[str, tuple[float, float]]:
        """Return the maximum current in A and the fuse rating in A of each branch of the supply, by
        the branch's name. The result is empty if the Pi's own supply feeds the whole table.
        """
        if isinstance(self.profile.hall, wiring.MatrixHall):
            return {}
        lights = self.profile.lights
        amps = {
            "lights": 0.0 if lights is None else lights.supply_a,
            "sensors": self.sensors_a(peak=True),
            # If a controller is on the plate, the Pi has a separate supply.
            "Pico": self.total("peak_ma", ("node",)) / 1000,
            "Pi": self.total("peak_ma", () if self.on_plate else ("pi", "zero")) / 1000,
        }
        return {
            name: (most, next(fuse for fuse in FUSES_A if fuse >= 1.2 * most))
            for name, most in amps.items()
            if most
        }


def _check_profile(profile: Profile) -> None:
    """Raise ConfigError if the boards of a profile cannot be drawn."""
    hall, lights = profile.hall, profile.lights
    pitch, gap = profile.pitch_mm, profile.gap_mm

    def refuse(text: str, remedy: str, **values: object) -> None:
        raise ConfigError("profile {name}: " + text, remedy=remedy, name=profile.name, **values)

    for section, part in profile.parts:
        if type(part).__module__ != wiring.__name__:
            refuse(
                "[{section}] is of a kind from another package, {kind}, and no board is drawn for"
                " it.",
                "Draw the plans of a profile with a kind of tiltboard's own and the same places,"
                " and wire that part by hand.",
                section=section,
                kind=part.__struct_config__.tag,
            )
    if isinstance(hall, wiring.MatrixHall):
        if lights is not None or profile.imu is not None:
            refuse(
                "a matrix is drawn as a board of push buttons, which has neither lights nor a tilt"
                " sensor.",
                "Remove [lights] and [imu], or build that table without plans.",
            )
        return
    if isinstance(hall, wiring.MuxAdcHall) and hall.spi_bus != 1:
        refuse(
            "the carrier's converter is on SPI1, and hall.spi_bus is {bus}.",
            "Write spi_bus = 1, or wire that table by hand.",
            bus=hall.spi_bus,
        )
    most = min(plate.SPARES)[0]
    if isinstance(hall, wiring.NodeHall) and profile.size > most:
        refuse(
            "{places} places, and the Pico's firmware reads {most} at most.",
            'Choose fewer places, or sensors at the Pi: kind = "mux-adc".',
            places=profile.size,
            most=most,
        )
    switches = isinstance(hall, wiring.DualSwitchHall)
    least = rb.MIN_SWITCH_PITCH_MM if switches else rb.MIN_PITCH_MM
    if pitch < least:
        refuse(
            "{pitch:g} mm are too dense for row boards; they need {least:g}.",
            "Choose a larger pitch_mm.",
            pitch=pitch,
            least=least,
        )
    if lights is not None and not lights.strip and lights.offset_mm != wiring.LIGHT_MM:
        refuse(
            "row boards have their lights {x:g} mm east and {y:g} mm north.",
            "Remove lights.offset_mm, or wire that table by hand.",
            x=wiring.LIGHT_MM[0],
            y=wiring.LIGHT_MM[1],
        )
    spare = gap - spacer_mm(profile)
    if not LIGHT_HIGH_MM + spare <= gap <= MAX_SPACER_MM + spare:
        refuse(
            "a gap of {gap:g} mm leaves no room for the lights on row boards, or for the shelf"
            " under them.",
            "Write a gap_mm from {least:.1f} to {most:.1f}.",
            gap=gap,
            least=LIGHT_HIGH_MM + spare,
            most=MAX_SPACER_MM + spare,
        )
    needed = max(profile.columns * pitch, (profile.rows - 1) * pitch + 2 * rb.HALF_MM)
    if needed > profile.plate_mm:
        refuse(
            "its row boards need {boards:g} mm, and plate_mm is {plate:g}.",
            "Write plate_mm = {boards:g} or more.",
            boards=needed,
            plate=profile.plate_mm,
        )


def _row(profile: Profile, row: int) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the first column and the number of places of each board in a row, from west
    to east.
    """
    lights, first = profile.lights, 0
    # The node's firmware expects the lights in a serpentine chain.
    to_and_fro = lights is not None and (lights.serpentine or lights.on_node)
    turned = lights is not None and to_and_fro and not lights.strip and row % 2
    sizes = rb.places_on(profile)
    for places in sizes:
        short = "" if places == sizes[0] else f"-{places}"
        yield f"row-{'west' if turned else 'east'}{short}", first, places
        first += places


def _board_g(board: Board) -> float:
    """Return the mass of a board with its parts, in g."""
    width, height = board.size_mm
    placed = (p for p in board.components.values() if p.footprint not in ("wire", "power"))
    parts = sum(PARTS[part.part]["grams"] for part in placed)
    return float(width * height * BOARD_MM * f.FR4_G_MM3 + parts)


def _check(profile: Profile, board: Board) -> None:
    """Raise ConfigError if two outputs are connected to each other."""
    kinds = board.pin_kinds
    for net, pins in board.nets.items():
        drive = [f"{ref} {pin}" for ref, pin in pins if kinds[ref, pin] in ("output", "power_out")]
        if len(drive) > 1:
            raise ConfigError(
                "profile {name}: {outputs} are outputs, and joined at {net}.",
                remedy="Give each signal its own wire.",
                name=profile.name,
                outputs=", ".join(drive),
                net=net,
            )


def _line(plans: Plans, part: str) -> dict[str, str]:
    """Return one line of the parts list as texts, by column name."""
    about = PARTS[part]
    orders = about.get("orders", {})
    return {
        "quantity": str(plans.quantities[part]),
        "part": about["title"],
        "maker": about.get("maker", ""),
        "number": about.get("number", ""),
        "package": about["package"],
        "order numbers": ", ".join(f"{seller} {number}" for seller, number in orders.items()),
        "also at, by the maker's number": ", ".join(about["sellers"]),
        "instead": about.get("instead", ""),
        "EUR": f"{plans.total('eur', [part]):.2f}",
        "g": f"{plans.total('grams', [part]):.0f}",
        "mA": f"{plans.total('ma', [part]):.0f}",
        "peak mA": f"{plans.total('peak_ma', [part]):.0f}",
    }


def parts_csv(plans: Plans) -> str:
    """Return the parts list as CSV."""
    out, lines = io.StringIO(), [_line(plans, part) for part in plans.quantities]
    rows = csv.DictWriter(out, list(lines[0]), lineterminator="\n")
    rows.writeheader()
    rows.writerows(lines)
    return out.getvalue()


def parts_html(plans: Plans) -> str:
    """Return the parts list as an HTML page for printing."""

    def row(cells: Iterable[str], tag: str = "td") -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    title = html.escape(f"Parts of {plans.profile.title}")
    lines = [_line(plans, part) for part in plans.quantities]
    body = "\n".join(row(line.values()) for line in lines)
    grams, eur = plans.total("grams"), plans.total("eur")
    tools = "\n".join(row([t["title"], f"{t['eur']:.0f}"]) for t in table("parts")["tools"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        "<style>body{font:14px sans-serif}table{border-collapse:collapse;margin:1em 0}"
        f"td,th{{border:1px solid #999;padding:2px 6px;text-align:left}}</style><h1>{title}</h1>\n"
        f"<p>Prices are estimates of {table('parts')['pricing']}, not quotations. An order number"
        " is a seller's own, as published lists of parts have it; where there is none, the maker's"
        " number finds the part at the sellers named. Compare the maker's number before you pay.\n"
        f"<table>{row(lines[0], 'th')}\n{body}\n"
        f"{row(['', 'together', *[''] * 6, f'{eur:.2f}', f'{grams:.0f}', '', ''], 'th')}</table>\n"
        f"<p>Some {plans.total('minutes') / 60:.0f} hours of hands, printing not counted.\n"
        f"<table>{row(['tools', 'EUR'], 'th')}\n{tools}</table></html>\n"
    )


def report(plans: Plans) -> str:
    """Return the report, a Markdown text with the figures that are calculated from the drawings."""
    profile = plans.profile
    matrix = isinstance(profile.hall, wiring.MatrixHall)
    apart = "{:g} x {:g}".format(*CELL_MM) if matrix else f"{profile.pitch_mm:g}"
    rows = {"places": f"{profile.columns} x {profile.rows}, {apart} mm apart"}
    if matrix:
        rows["drawn as"] = "push buttons on one board; reeds under a plate are wired by hand"
    if not isinstance(profile.hall, wiring.MatrixHall):
        rows |= _field_rows(profile) | _power_rows(plans)
    rows |= _signal_rows(plans)
    rows |= _frame_rows(plans)
    eur, hours = plans.total("eur"), plans.total("minutes") / 60
    rows["everything weighs"] = f"{plans.total('grams') / 1000:.1f} kg"
    rows["everything costs"] = f"about {eur:.0f} EUR, estimated {table('parts')['pricing']}"
    rows["work"] = f"some {hours:.0f} hours, printing not counted"
    text = [f"# {profile.title}", ""]
    text += ["| what | figure |", "| --- | --- |"]
    text += [f"| {what} | {figure} |" for what, figure in rows.items()]
    if plans.branches():
        text += ["", "| branch of the supply | at most | fuse | wire | 1 m there and back |"]
        text.append("| --- | --- | --- | --- | --- |")
    total = sum(amps for amps, _ in plans.branches().values())
    if "carrier" in plans.boards:
        wire, ohm, long = MAIN_FEED
        fuse = next(each for each in FUSES_A if each >= 1.2 * total)
        drop = f"{long:g} m: {2 * total * ohm * long:.2f} V"
        text.append(
            f"| all, to `J20`, a screw terminal for 13.5 A | {total:.2f} A | {fuse:g} A, in the"
            f" supply's lead | {wire} | {drop} |"
        )
    for name, (amps, fuse) in plans.branches().items():
        drops = {wire: 2 * amps * ohm for wire, ohm in OHM_M.items()}
        wire = next((w for w, volt in drops.items() if volt <= MAX_DROP_V), "two of AWG 12")
        listed = ", ".join(f"{each} {volt:.2f} V" for each, volt in drops.items())
        text.append(f"| {name} | {amps:.2f} A | {fuse:g} A | {wire} | {listed} |")
    text += ["", "| board | pieces | size |", "| --- | --- | --- |"]
    numbers = Counter(board.name for board, _, _ in plans.row_boards)
    for name, board in plans.boards.items():
        number = numbers.get(name, 1)
        text.append(f"| {name} | {number} | {board.size_mm[0]:.0f} x {board.size_mm[1]:.0f} mm |")
    return "\n".join([*text, ""])


def _signal_rows(plans: Plans) -> dict[str, str]:
    """Return the report's rows about inputs, buses and grounds."""
    profile, carrier = plans.profile, plans.boards.get("carrier")
    rows: dict[str, str] = {}
    if profile.measures:
        ns = SETTLING_OHM * (INPUT_PF + RIBBON_PF_M * RIBBON_M) * 1e-6 * math.log(2048)
        rows["settling of an input"] = f"{ns:.1f} us of 8"
    if plans.on_plate:
        rise = 0.8473 * GY521_OHM * (20 + RIBBON_PF_M * TILT_WIRE_M) * 1e-3
        what = f"rise of I2C over {TILT_WIRE_M:g} m, by the module's pull-ups, which stay on"
        rows[what] = f"{rise:.0f} ns of {I2C_RISE_NS:.0f}"
    elif profile.imu is not None:
        rise = 0.8473 * PI_PULL_UP_OHM * (20 + RIBBON_PF_M * RIBBON_M) * 1e-3
        both = 3300 * (1 / PI_PULL_UP_OHM + 1 / GY521_OHM)
        within, sink = f"{rise:.0f} ns of {I2C_RISE_NS:.0f}", f"{I2C_SINK_MA:g}"
        rows["rise of I2C over 1.5 m, modules' pull-ups off"] = within
        rows["I2C with a module's 2.2 kilohm left on"] = f"{both:.1f} mA to sink of {sink}"
    if carrier is not None:
        rows["where all grounds meet"] = "the carrier's lower rail, at J20, and nowhere else"
    if carrier is not None and "U21" in carrier.components and find_spec("numpy"):
        shift = f"{ground_shift_mt(carrier):.2f} mT an ampere at the sensors"
        if not plans.on_plate:
            shift += f", {ground_shift_mt(carrier, math.inf):.2f} with J23's ground loose"
        rows[f"the {'Pico' if plans.on_plate else 'Pi'}'s current on its way back"] = shift
    return rows


def _field_rows(profile: Profile) -> dict[str, str]:
    """Return the report's rows about the magnets' fields at the sensors."""
    gap, spacer = profile.gap_mm, spacer_mm(profile)
    strong, weak = (_axis_field_mt(disc, gap) for disc in (STRONG, WEAK))
    share = strong / STRONG.centred_mt
    beside = field_mt(STRONG, gap, profile.pitch_mm) * share
    more = _axis_field_mt(STRONG, gap + 1) / strong - 1
    second, third = (_axis_field_mt(STRONG, gap + PieceBody().height_mm * n) for n in (1, 2))
    middle = profile.columns // 2, profile.rows // 2
    others = [
        field_mt(STRONG, gap, profile.pitch_mm * math.hypot(c - middle[0], r - middle[1]))
        for c in range(profile.columns)
        for r in range(profile.rows)
        if (c, r) != middle
    ]
    worst = sum(others) * share
    return {
        "field, strong and weak magnet centred": f"{strong:.2f} and {weak:.2f} mT",
        "from magnet to element": f"a piece's floor {FLOOR:g}, felt {FELT_MM:g}, plywood"
        f" {PLYWOOD_MM:g}, spacers {spacer:.1f} less the element's {ELEMENT_MM:g}: {gap:g} mm",
        "1 mm more under the magnet": f"{100 * more:.0f} %",
        "one neighbour adds": f"{beside:.2f} mT",
        "an empty place among strong pieces of one pole": f"{worst:.2f} mT, which is"
        f" {'subtracted' if profile.measures else 'not subtracted'}",
        "a second strong piece on a first, and a third": f"{second:.2f} and {third:.2f} mT more",
    }


def _frame_rows(plans: Plans) -> dict[str, str]:
    """Return the report's rows about the plate's support and about the plate's return to level."""
    frame = plans.frame
    if frame is None:
        return {}
    shelf, base = -f.SHELF_TOP_MM, -frame.base_top_mm
    under = [*frame.below_shelf, *(["weight"] if frame.discs else [])]
    rows = {
        "the shelf": f"{shelf:g} mm under the axles' height; on it the carrier; under it"
        f" {', '.join(under) or 'nothing'}",
        "the base": f"{base:.0f} mm under the axles' height; on it {', '.join(frame.on_base)}",
        "rods": f"four of M5, {frame.rod_mm:.0f} mm long",
    }
    if plans.tilt_sensor_mm is not None:
        x, y = plans.tilt_sensor_mm
        up = f.UNDER_MM - spacer_mm(plans.profile) - BOARD_MM - f.TILT_SENSOR_MM[2] / 2
        rows["the tilt sensor"] = (
            f"under the row boards, {x:g} mm east and {y:g} mm north of the middle;"
            f" arm_mm = [{x:g}, {y:g}, {up:.1f}]"
        )
    if frame.stands == "turntable":
        each = math.ceil(sum(amps for amps, _ in plans.branches().values()) / SLIP_A)
        rows["wires of the slip ring"] = f"{each} for 5 V and {each} for ground" + (
            ", and two for the line" if plans.on_plate else ""
        )
    if frame.stands != "gimbal":
        return rows
    grams, centre, margin = frame.balance()
    free = f"{frame.clearance_mm:.0f} mm over the base with both axles at their stops"
    bend = min(frame.bend_mm(p, r) for p in (-STOP_DEG, STOP_DEG) for r in (-STOP_DEG, STOP_DEG))
    bolt = f.SHELF_TOP_MM - frame.tray_bottom_mm
    return rows | {
        "weight": f"{frame.discs} discs of {f.DISC_MM:g} mm; its bolt M8, {bolt:.0f} mm long",
        "what tilts, without pieces": f"{grams / 1000:.1f} kg, its middle {-centre:.0f} mm under"
        " the axles",
        "full of the heaviest pieces": f"what rights the plate is {margin:.1f} times what upsets"
        f" it: it comes back from every tilt up to the stops at {STOP_DEG:g} degrees, and rests"
        f" within {frame.rests_within_deg():.1f} degrees of level",
        "room below what tilts": free,
        "wires from shelf to base": f"half a turn, {frame.bend_mm():.0f} mm in radius, and"
        f" {bend:.0f} at least (needed: {f.BEND_MM:g}); 200 mm long",
    }


def spacer_mm(profile: Profile) -> float:
    """Return the length in mm of the spacers between the row boards and the plywood. With spacers
    of this length, the gap between magnet and sensor is as the profile says.
    """
    return profile.gap_mm - FLOOR - FELT_MM - PLYWOOD_MM + ELEMENT_MM


def _power_rows(plans: Plans) -> dict[str, str]:
    """Return the report's rows about currents, and about the heat and the magnetic fields of the
    currents.
    """
    profile, lights = plans.profile, plans.profile.lights
    most = plans.sensors_a(peak=True)
    heat = 1.7 * most
    rows = {
        "sensors and multiplexers": f"{plans.sensors_a():.2f} A, {most:.2f} A at most",
        "regulator": f"{heat:.1f} W at most: {heat * HEATSINK_K_W:.0f} K warmer",
    }
    if lights is None:
        return rows
    white, dark, peak = plans.lights_a()
    fed = profile.rows if lights.strip else len(plans.row_boards)
    row_a = profile.columns * 3 * lights.channel_ma / 1000 * lights.brightness
    near, far = RAILS_MM
    # Magnetic field in mT per ampere of two wires that carry opposite currents.
    per_a = 0.2 * (1 / near - 1 / far)
    drop_mv = 2000 * row_a * profile.columns * profile.pitch_mm * RAIL_OHM_MM / 8
    dim = profile.size * lights.channel_ma / 1000
    tenth, field_row, field_all = 0.1 * dim + dark, per_a * row_a / 2, per_a * white
    return rows | {
        "lights, white": f"{white:.1f} A mean; dark {dark:.2f} A",
        "lights, all pulses in phase": f"{peak:.1f} A for an instant",
        "lights, one colour at a tenth": f"{tenth:.2f} A mean, {dim + dark:.1f} A in phase",
        "feeds of the lights": f"{2 * fed} pairs of AWG 24, one at each end, from two bus bars"
        " under the shelf, two wires to a screw; J21 feeds the bars",
        "a row of lights, white, fed at both ends": f"{row_a:.2f} A, {drop_mv:.0f} mV lost in"
        " copper",
        "the field of its rails at a sensor": f"{field_row:.3f} mT; fed through one row,"
        f" {field_all:.2f}",
    }


def _axis_field_mt(disc: Disc, gap_mm: float) -> float:
    """Return the field in mT of a magnet on its axis, ``gap_mm`` away from the magnet.
    ``Disc.centred_mt`` is the field at a distance of 12 mm.
    """

    def axis(z: float) -> float:
        radius, high = disc.diameter_mm / 2, disc.height_mm
        return (z + high) / math.hypot(z + high, radius) - z / math.hypot(z, radius)

    return disc.centred_mt * axis(gap_mm) / axis(12.0)
