"""From a profile to what a table is made of: its boards, its parts, and the figures that follow."""

from __future__ import annotations

import csv
import html
import io
import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from firmware_host.config.errors import ConfigError
from firmware_host.config.profile import Profile
from firmware_host.config.wiring import (
    DualSwitchHall,
    GpioPanel,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    NodeHall,
)
from firmware_host.perception.field import STRONG, WEAK, Disc, field_mt
from firmware_host.plans.board import Board, table
from firmware_host.plans.carrier import carrier
from firmware_host.plans.row_board import LEAST_PITCH_MM, places_on, row_board

REGULATOR_A, HEATSINK_K_W = 1.5, 16.0  # MIC29150; heatsink of 13 K/W and its washer
FUSES_A = (0.5, 1.0, 1.6, 2.0, 3.15, 4.0, 5.0, 6.3, 8.0, 10.0, 12.5, 16.0)  # IEC 60127
OHM_M = {"AWG 24": 0.0842, "AWG 18": 0.0210, "AWG 14": 0.00829}  # of copper at 20 C
SETTLING_OHM, RIBBON_PF_M, RIBBON_M, INPUT_PF = 700.0, 107.0, 1.5, 60.0
PI_PULL_UP_OHM, I2C_RISE_NS = 1800.0, 300.0  # of the Pi's own; UM10204 for 400 kHz
PARTS: dict[str, dict[str, Any]] = table("parts")["parts"]


@dataclass(frozen=True, slots=True)
class Line:
    """Of the parts list. ``where``: what the part is for."""

    part: str
    quantity: int

    @property
    def about(self) -> dict[str, Any]:
        """What the table of parts says."""
        return PARTS[self.part]

    @property
    def eur(self) -> float:
        """Of all of them."""
        return float(self.about["eur"]) * self.quantity


@dataclass(frozen=True)
class Plans:
    """All that is drawn and listed of one profile. ``boards``: by the names of their files; empty
    where sensors are wired by hand.
    """

    profile: Profile
    boards: dict[str, Board] = field(default_factory=dict)

    @classmethod
    def of(cls, profile: Profile) -> Plans:
        """Raises ConfigError for a table whose boards cannot be made."""
        hall = profile.hall
        if not isinstance(hall, MuxAdcHall):
            return cls(profile)
        if hall.spi_bus != 1:
            raise ConfigError(
                "profile {name}: the carrier's converter is on SPI1, and hall.spi_bus is {bus}.",
                remedy="Write spi_bus = 1, or wire that table by hand.",
                name=profile.name,
                bus=hall.spi_bus,
            )
        if profile.pitch_mm < LEAST_PITCH_MM:
            raise ConfigError(
                "profile {name}: {pitch:g} mm are too dense for row boards; they need {least:g}.",
                remedy="Choose a larger pitch_mm.",
                name=profile.name,
                pitch=profile.pitch_mm,
                least=LEAST_PITCH_MM,
            )
        places = places_on(profile)
        boards = {"row-east": row_board(profile.pitch_mm, places)}
        if profile.lights is not None and profile.lights.serpentine and profile.rows > 1:
            boards["row-west"] = row_board(profile.pitch_mm, places, westward=True)
        boards["carrier"] = carrier(profile, hall)
        plans = cls(profile, boards)
        for board in boards.values():
            _check(profile, board)
        if plans.sensors_a(peak=True) > REGULATOR_A:
            raise ConfigError(
                "profile {name}: its sensors take up to {most:.2f} A, and their regulator gives"
                " {gives:g}.",
                remedy="Choose fewer places.",
                name=profile.name,
                most=plans.sensors_a(peak=True),
                gives=REGULATOR_A,
            )
        return plans

    @property
    def row_boards(self) -> int:
        """How many."""
        return self.profile.rows * -(-self.profile.columns // places_on(self.profile))

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every part, boards and pieces' magnets included; not the printed things."""
        profile, hall = self.profile, self.profile.hall
        count: Counter[str] = Counter(plate=1, wire=1, supply=1)
        count["pi" if profile.size > 36 else "zero"] = 1
        strong = 2 * ((profile.size + 1) // 2)
        count["magnet_strong"] = strong
        if profile.capabilities.strengths > 1:
            count["magnet_weak"] = strong
        if self.boards:
            row = self.boards["row-east"]
            each = Counter(p.part for p in row.components.values() if p.part != "header2")
            for part, number in each.items():
                count[part] += number * profile.size // places_on(profile)
            count.update(part.part for part in self.boards["carrier"].components.values())
            count.update(row_board=self.row_boards, carrier_board=1, heatsink=1)
            count["ntc"] += any(s.carries == "ntc" for s in getattr(hall, "spares", ()))
            if profile.lights is None:
                del count["light"]
        elif isinstance(hall, DualSwitchHall):
            count.update(switch=profile.size, expander=len(hall.addresses), regulator=1, heatsink=1)
            count.update(c100n=profile.size + len(hall.addresses))
        elif isinstance(hall, MatrixHall):
            count.update(latch=2 * profile.size, signal_diode=2 * profile.size)
        elif isinstance(hall, NodeHall):
            count.update(
                node=1, sensor=profile.size, mux=-(-profile.size // 16), c100n=profile.size
            )
            count.update(regulator=1, heatsink=1, imu=1)
        if profile.lights is not None and not self.boards:
            count.update(light=profile.size, shifter=1, c1000u=2)
        if isinstance(profile.imu, Mpu6050Imu | Lsm6dsoxImu):
            count["imu" if isinstance(profile.imu, Mpu6050Imu) else "imu_lsm"] = 1
        if isinstance(profile.panel, GpioPanel):
            count.update(button=2, buzzer=1)
        return tuple(Line(part, count[part]) for part in PARTS if count[part])

    @property
    def eur(self) -> float:
        """All of it."""
        return sum(line.eur for line in self.lines)

    def sensors_a(self, *, peak: bool = False) -> float:
        """What hangs on the sensors' 3.3 V."""
        key = "peak_ma" if peak else "ma"
        on_it = ("sensor", "switch", "latch", "mux", "converter", "expander", "r1k")
        return sum(
            float(line.about.get(key, 0)) * line.quantity / 1000
            for line in self.lines
            if line.part in on_it
        )

    def lights_a(self) -> tuple[float, float, float]:
        """White at the profile's brightness, as limited; dark; and with every channel on at one
        instant, as WS2812 are while their pulses are in phase.
        """
        lights = self.profile.lights
        if lights is None:
            return 0.0, 0.0, 0.0
        all_a = self.profile.size * 3 * lights.channel_ma / 1000
        dark = self.profile.size * lights.idle_ma / 1000
        return min(all_a * lights.brightness + dark, lights.supply_a), dark, all_a + dark

    def branches(self) -> dict[str, tuple[float, float]]:
        """Branch of the supply -> its current at most, and its fuse, in A."""
        pi = next(line for line in self.lines if line.part in ("pi", "zero"))
        lights = self.profile.lights
        amps = {
            "lights": 0.0 if lights is None else lights.supply_a,
            "sensors": self.sensors_a(peak=True),
            "Pi": float(pi.about["peak_ma"]) / 1000,
        }
        return {
            name: (most, next(fuse for fuse in FUSES_A if fuse >= 1.2 * most))
            for name, most in amps.items()
            if most
        }


def _check(profile: Profile, board: Board) -> None:
    """No two outputs on one wire. Raises ConfigError."""
    kinds = {(p.ref, n): kind for p in board.components.values() for n, _, kind in p.pins}
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


_HEADS = (
    "quantity",
    "part",
    "maker",
    "number",
    "package",
    "sellers",
    "instead",
    "EUR",
    "g",
    "mA",
    "peak mA",
)


def _cells(line: Line) -> list[str]:
    about = line.about
    return [
        str(line.quantity),
        about["title"],
        about.get("maker", ""),
        about.get("number", ""),
        about["package"],
        ", ".join(about["sellers"]),
        about.get("instead", ""),
        f"{line.eur:.2f}",
        f"{about['grams'] * line.quantity:.0f}",
        f"{about.get('ma', 0) * line.quantity:.0f}",
        f"{about.get('peak_ma', 0) * line.quantity:.0f}",
    ]  # fmt: skip


def parts_csv(plans: Plans) -> str:
    """The parts list for a spreadsheet."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(_HEADS)
    rows.writerows(map(_cells, plans.lines))
    return out.getvalue()


def parts_html(plans: Plans) -> str:
    """The parts list as a page to print."""
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(line)) + "</tr>"
        for line in plans.lines
    )
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in _HEADS)
    title = html.escape(f"Parts of {plans.profile.title}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        "<style>body{font:14px sans-serif}table{border-collapse:collapse}"
        f"td,th{{border:1px solid #999;padding:2px 6px;text-align:left}}</style><h1>{title}</h1>\n"
        f"<p>About {plans.eur:.0f} EUR without the printed pieces; prices are estimates of"
        f" {table('parts')['pricing']}, not quotations. <em>number</em> is the manufacturer's:"
        " by it the sellers' search finds the part.</p>\n"
        f"<table><tr>{heads}</tr>\n{body}</table></html>\n"
    )


def report(plans: Plans) -> str:
    """What the drawings come to, in figures."""
    profile = plans.profile
    gap, pitch = profile.gap_mm, profile.pitch_mm
    strong, weak = (_centred(disc, gap) for disc in (STRONG, WEAK))
    beside = field_mt(STRONG, gap, pitch) * strong / STRONG.centred_mt
    worst = _all_neighbours(profile) * strong / STRONG.centred_mt
    white, dark, peak = plans.lights_a()
    sensors, most = plans.sensors_a(), plans.sensors_a(peak=True)
    settling = SETTLING_OHM * (INPUT_PF + RIBBON_PF_M * RIBBON_M) * 1e-6 * math.log(2048)
    rise = 0.8473 * PI_PULL_UP_OHM * (20 + RIBBON_PF_M * RIBBON_M) * 1e-3
    heat = 1.7 * most
    grams = sum(line.about["grams"] * line.quantity for line in plans.lines)
    rows = [
        ("places", f"{profile.columns} x {profile.rows}, {pitch:g} mm apart"),
        ("field, strong and weak magnet centred", f"{strong:.2f} and {weak:.2f} mT"),
        ("1 mm more under the magnet", f"{100 * (_centred(STRONG, gap + 1) / strong - 1):.0f} %"),
        ("one neighbour adds", f"{beside:.2f} mT"),
        ("an empty place among strong pieces of one pole", f"{worst:.2f} mT, which is subtracted"),
        ("sensors and multiplexers", f"{sensors:.2f} A, {most:.2f} A at most"),
        ("regulator", f"{heat:.1f} W at most: {heat * HEATSINK_K_W:.0f} K warmer"),
        ("lights, white", f"{white:.1f} A mean; dark {dark:.2f} A"),
        ("lights, all pulses in phase", f"{peak:.1f} A for an instant"),
        ("settling of an input", f"{settling:.1f} us of 8"),
        ("rise of I2C over 1.5 m, modules' pull-ups off", f"{rise:.0f} ns of {I2C_RISE_NS:.0f}"),
        ("everything weighs", f"{grams / 1000:.1f} kg"),
        ("everything costs", f"about {plans.eur:.0f} EUR, estimated {table('parts')['pricing']}"),
    ]  # fmt: skip
    if not profile.capabilities.measures:
        rows = [row for row in rows if row[0] not in ("settling of an input",)]
    text = [f"# {profile.title}", "", "| what | figure |", "| --- | --- |"]
    text += [f"| {what} | {figure} |" for what, figure in rows]
    text += [
        "",
        "| branch of the supply | at most | fuse | 1 m there and back |",
        "| --- | --- | --- | --- |",
    ]
    for name, (amps, fuse) in plans.branches().items():
        drops = ", ".join(f"{wire} {2 * amps * ohm:.2f} V" for wire, ohm in OHM_M.items())
        text.append(f"| {name} | {amps:.2f} A | {fuse:g} A | {drops} |")
    text += ["", "| board | pieces | size |", "| --- | --- | --- |"]
    for name, board in plans.boards.items():
        east = -(-profile.rows // 2) if "row-west" in plans.boards else profile.rows
        rows_of = {"row-east": east, "row-west": profile.rows - east}
        number = rows_of.get(name, 1) * (plans.row_boards // profile.rows if name in rows_of else 1)
        text.append(f"| {name} | {number} | {board.size_mm[0]:.0f} x {board.size_mm[1]:.0f} mm |")
    if not plans.boards:
        text.append(f"| none: {profile.hall.__struct_config__.tag} is wired by hand | | |")
    return "\n".join([*text, ""])


def _centred(disc: Disc, gap_mm: float) -> float:
    """On its axis, in mT; ``Disc.centred_mt`` holds at 12 mm."""

    def axis(z: float) -> float:
        radius, high = disc.diameter_mm / 2, disc.height_mm
        return (z + high) / math.hypot(z + high, radius) - z / math.hypot(z, radius)

    return disc.centred_mt * axis(gap_mm) / axis(12.0)


def _all_neighbours(profile: Profile) -> float:
    """At the middle place, from a strong piece on every other one."""
    middle = profile.columns // 2, profile.rows // 2
    return sum(
        field_mt(
            STRONG, profile.gap_mm, profile.pitch_mm * math.hypot(c - middle[0], r - middle[1])
        )
        for c in range(profile.columns)
        for r in range(profile.rows)
        if (c, r) != middle
    )
