"""A circuit board as parts, pads and copper, and the text of the board's files in KiCad's formats.

Horizontal tracks are on the back, vertical tracks are on the front, and vias join them. Therefore
two tracks are connected only where a via joins them. Lengths are in mm, x to the right and y down,
seen from the side with the parts.
"""

from __future__ import annotations

import tomllib
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any, Literal, NamedTuple

Point = tuple[float, float]
Side = Literal["F", "B"]
GRID_MM = 2.54
# Width in mm of an extra lane. Some pins of a net use an extra lane, which is separate from the
# lane of the net's other pins.
APART_MM = 0.8
_NAMESPACE = uuid.UUID("5d0f6f4e-1f4e-4f3b-9d0e-7a3c1b2a9e10")
_LAYERS = (
    '(0 "F.Cu" signal) (2 "B.Cu" signal) (1 "F.Mask" user) (3 "B.Mask" user) (5 "F.SilkS" user)'
    ' (7 "B.SilkS" user) (13 "F.Paste" user) (15 "B.Paste" user) (25 "Edge.Cuts" user)'
    ' (31 "F.CrtYd" user) (35 "F.Fab" user)'
)


@cache
def table(name: str) -> Any:
    """Return the data file ``parts`` or ``shapes`` of this package as nested dictionaries."""
    file = resources.files("tiltboard_plans") / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8"))


class Pad(NamedTuple):
    """The copper area of one pin of a part."""

    number: str
    at: Point
    size: Point
    drill: float = 0.0
    """Diameter of the pad's hole in mm, or 0 for a pad on the front only."""


class Component(NamedTuple):
    """A part on a board."""

    ref: str
    part: str
    at: Point
    pads: tuple[Pad, ...]
    nets: dict[str, str]
    """The net of each connected pin, by pin number. Pins that are not in this dictionary are not
    connected.
    """
    footprint: str = ""
    """The name of a footprint that replaces the part's standard footprint, or ""."""
    turned: bool = False
    """True if the part is rotated by 180 degrees."""

    @property
    def value(self) -> str:
        """The text for the part in drawings and parts lists: the maker's part number, or the part's
        title.
        """
        about = table("parts")["parts"][self.part]
        return str(about.get("number", about["title"]))

    @property
    def pins(self) -> list[tuple[str, str, str]]:
        """The number, the name and the electrical type of each pin, taken from the part's
        datasheet.
        """
        symbol: str = table("parts")["parts"][self.part]["symbol"]
        if symbol.startswith("conn"):
            return [(str(n + 1), f"P{n + 1}", "passive") for n in range(int(symbol[4:]))]
        return [(number, name, kind) for number, name, kind in table("shapes")["symbols"][symbol]]

    @property
    def copper_mm(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge of the area that the part's pads cover, in mm."""
        xs = [pad.at[0] + side * pad.size[0] / 2 for pad in self.pads for side in (-1, 1)]
        ys = [pad.at[1] + side * pad.size[1] / 2 for pad in self.pads for side in (-1, 1)]
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def outline_mm(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge of the printed outline around the part, in mm."""
        (x0, y0, x1, y1), (left, top, right, bottom, _) = self.copper_mm, self.body_mm
        return min(x0 - 0.4, left), min(y0 - 0.4, top), max(x1 + 0.4, right), max(y1 + 0.4, bottom)

    @property
    def body_mm(self) -> tuple[float, float, float, float, float]:
        """Left, top, right and bottom edge of the part's body, and the body's height above the
        board, in mm.
        """
        about = table("parts")["parts"][self.part]
        high, (x, y) = float(about["high_mm"]), self.at
        if "body_mm" not in about or self.footprint:
            return *self.copper_mm, high
        left, top, right, bottom = about["body_mm"]
        return x + left, y + top, x + right, y + bottom, high


class Track(NamedTuple):
    """A copper track along a sequence of points."""

    net: str
    width: float
    side: Side
    points: tuple[Point, ...]


class Via(NamedTuple):
    """A plated hole that joins the copper of both sides."""

    net: str
    at: Point
    size: float = 0.6

    @property
    def drill(self) -> float:
        """The diameter of the hole in mm, which is half the diameter of the copper ring around the
        hole.
        """
        return self.size / 2


class Rail(NamedTuple):
    """A straight horizontal track on the back of the board. The rail extends from its leftmost
    connection to its rightmost connection.
    """

    net: str
    y: float
    width: float
    joined: list[float]
    """The x coordinates of the rail's connections, in mm."""


@dataclass(slots=True)
class Board:
    """A circuit board with its parts and copper."""

    name: str
    components: dict[str, Component] = field(default_factory=dict)
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)
    holes: list[tuple[Point, float]] = field(default_factory=list)
    rails: dict[str, Rail] = field(default_factory=dict)
    texts: list[tuple[Point, str]] = field(default_factory=list)
    """The centre and the text of each printed label."""
    stands: list[tuple[float, float, float, float, float]] = field(default_factory=list)
    """The left, top, right and bottom edge and the height, in mm, of each object on the board
    without a pad, such as a heatsink.
    """
    edge: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Left, top, right and bottom edge of the board, in mm."""

    def add(
        self,
        ref: str,
        part: str,
        at: Point,
        nets: dict[str, str],
        *,
        footprint: str | None = None,
        turned: bool = False,
    ) -> Component:
        """Place a part on the board and return the part.

        ``ref``: the part's designator, such as "R1". ``nets``: the net of each connected pin.
        ``footprint``: a footprint that replaces the part's standard footprint. ``turned``: True to
        rotate the part by 180 degrees.
        """
        kind = footprint or table("parts")["parts"][part]["footprint"]
        pads = _pads(kind, turned=turned)
        placed = tuple(pad._replace(at=(at[0] + pad.at[0], at[1] + pad.at[1])) for pad in pads)
        self.components[ref] = made = Component(
            ref, part, at, placed, nets, footprint or "", turned
        )
        return made

    def pad(self, ref: str, number: str) -> Point:
        """Return the position of the pad of pin ``number``. If the pin has several pads, return the
        position of the first pad.
        """
        return next(pad.at for pad in self.components[ref].pads if pad.number == number)

    def track(self, net: str, width: float, side: Side, *points: Point) -> None:
        """Add a track of a net along ``points``, on side "F" (front) or "B" (back)."""
        self.tracks.append(Track(net, width, side, points))

    def rail(self, name: str, net: str, y: float, width: float = 0.3) -> None:
        """Declare a rail (a horizontal track) at the vertical position ``y``; ``finish`` draws the
        rail.
        """
        self.rails[name] = Rail(net, y, width, [])

    def reach(self, name: str, x: float) -> None:
        """Extend a rail so that it reaches at least to ``x``."""
        self.rails[name].joined.append(x)

    def tap(self, name: str, x: float, via: float = 0.6) -> tuple[str, Point]:
        """Add a via that connects to a rail at ``x``, and extend the rail to the via. Return the
        rail's net and the via's position.
        """
        rail = self.rails[name]
        self.vias.append(Via(rail.net, (x, rail.y), via))
        self.reach(name, x)
        return rail.net, (x, rail.y)

    def join(self, name: str, *points: Point, width: float = 0.3, via: float = 0.6) -> None:
        """Add a track on the front that runs along ``points`` and then vertically to a rail."""
        net, end = self.tap(name, points[-1][0], via)
        self.track(net, width, "F", *points, end)

    def finish(self) -> Board:
        """Draw each rail from its leftmost to its rightmost connection, and return the board."""
        for net, y, width, joined in self.rails.values():
            if len(joined) > 1:
                self.track(net, width, "B", (min(joined), y), (max(joined), y))
        return self

    @property
    def nets(self) -> dict[str, list[tuple[str, str]]]:
        """The part and pin of each connection, by net name."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for part in self.components.values():
            for number, net in part.nets.items():
                found[net].append((part.ref, number))
        return dict(found)

    @property
    def pin_kinds(self) -> dict[tuple[str, str], str]:
        """The electrical type of each pin, by part and pin."""
        return {(p.ref, n): kind for p in self.components.values() for n, _, kind in p.pins}

    @property
    def size_mm(self) -> Point:
        """Width and height of the board, in mm."""
        left, top, right, bottom = self.edge
        return right - left, bottom - top


@dataclass(slots=True)
class Channel:
    """A group of parallel horizontal tracks on the back, and the vertical tracks that lead to the
    horizontal tracks. Each net has one horizontal track, which is called the net's lane.

    The first lane is at the vertical position ``y``, and the distance between neighbouring lanes is
    ``lane``.
    """

    board: Board
    y: float
    lane: float = 0.9
    ends: list[tuple[str, tuple[Point, ...]]] = field(default_factory=list)
    apart: dict[str, str] = field(default_factory=dict)
    """Net -> name of its extra lane (a second track along the channel), which some of its pins use
    instead of the main lane.
    """

    def add(self, net: str, *points: Point) -> None:
        """Add a track that runs along ``points`` and then vertically to the net's lane."""
        self.ends.append((net, points))

    def add_part(self, ref: str, part: str, at: Point, nets: dict[str, str]) -> None:
        """Place a part below the channel and connect the part's pins to the lanes. The tracks from
        the far row of pins pass between the pins of the near row.
        """
        placed = self.board.add(ref, part, at, nets)
        near = min(pad.at[1] for pad in placed.pads)
        for number, net in nets.items():
            x, y = self.board.pad(ref, number)
            lane = self.apart.get(net, net)
            self.add(lane, (x, y), *([] if y == near else [(x + 1.27, y - 1.27)]))

    def depth(self, extra: int = 0) -> float:
        """Return the total height in mm of all lanes, with space for ``extra`` more nets."""
        return self.lane * (len({net for net, _ in self.ends}) + extra)

    def lay(self) -> None:
        """Draw the channel: a lane for each net, and the tracks that lead to the lanes."""
        nets = {lane: net for net, lane in self.apart.items()}
        for at, lane in enumerate(dict.fromkeys(lane for lane, _ in self.ends)):
            width = APART_MM if lane in nets else 0.3
            self.board.rail(f"channel {lane}", nets.get(lane, lane), self.y + self.lane * at, width)
        for lane, points in self.ends:
            self.board.join(f"channel {lane}", *points)


@cache
def _pads(kind: str, *, turned: bool) -> tuple[Pad, ...]:
    grids = table("shapes")["grids"]
    if kind not in grids:
        shape = table("shapes")["footprints"][kind]
        return tuple(Pad(n, (x, y), (w, h), *drill) for n, x, y, w, h, *drill in shape["pads"])
    count, lines, apart = grids[kind]
    along = count // lines
    found = []
    for pin in range(1, count + 1):
        if lines == 1:
            x, y = GRID_MM * (pin - 1), 0.0
        elif kind.startswith("dip"):
            x = GRID_MM * (pin - 1 if pin <= along else count - pin)
            y = apart / 2 if pin <= along else -apart / 2
        else:
            # Odd pins are in the row nearer to the viewer, as on the Pi. In the other order, a
            # ribbon cable would swap each pair of pins.
            x, y = GRID_MM * ((pin - 1) // 2), apart * (pin % 2)
        if turned:
            x, y = GRID_MM * (along - 1) - x, -y
        found.append(Pad(str(pin), (x, y), (1.6, 1.6), 0.9))
    return tuple(found)


def _uid(*key: object) -> str:
    return str(uuid.uuid5(_NAMESPACE, " ".join(map(str, key))))


def pcb_text(board: Board) -> str:
    """Return the text of KiCad's board file."""
    numbers = {net: at for at, net in enumerate(["", *sorted(board.nets)])}
    left, top, right, bottom = board.edge

    def place(at: Point) -> str:
        return f"{at[0] - left + 20:.3f} {at[1] - top + 20:.3f}"

    lines = [
        '(kicad_pcb (version 20241229) (generator "tiltboard") (generator_version "9.0")',
        f'(general (thickness 1.6)) (paper "A2") (layers {_LAYERS})',
        "(setup (pad_to_mask_clearance 0))",
        *(f'(net {number} "{net}")' for net, number in numbers.items()),
        f"(gr_rect (start {place((left, top))}) (end {place((right, bottom))})"
        ' (stroke (width 0.1) (type solid)) (fill no) (layer "Edge.Cuts")'
        f' (uuid "{_uid("edge")}"))',
        *(_footprint(part, place(part.at), numbers) for part in board.components.values()),
    ]
    for at, drill in board.holes:
        lines.append(
            f'(footprint "tiltboard:hole" (layer "F.Cu") (uuid "{_uid("hole", at)}")'
            f" (at {place(at)})"
            " (attr exclude_from_pos_files exclude_from_bom board_only)"
            f' (pad "" np_thru_hole circle (at 0 0) (size {drill} {drill}) (drill {drill})'
            f' (layers "*.Cu" "*.Mask") (uuid "{_uid("npth", at)}")))'
        )
    for track in board.tracks:
        for one, two in pairwise(track.points):
            if one != two:
                lines.append(
                    f"(segment (start {place(one)}) (end {place(two)}) (width {track.width})"
                    f' (layer "{track.side}.Cu") (net {numbers[track.net]})'
                    f' (uuid "{_uid("track", len(lines))}"))'
                )
    for via in board.vias:
        lines.append(
            f"(via (at {place(via.at)}) (size {via.size:g}) (drill {via.drill:g})"
            f' (layers "F.Cu" "B.Cu") (net {numbers[via.net]}) (uuid "{_uid("via", len(lines))}"))'
        )
    for left_mm, top_mm, right_mm, bottom_mm, _ in board.stands:
        lines.append(
            f"(gr_rect (start {place((left_mm, top_mm))}) (end {place((right_mm, bottom_mm))})"
            ' (stroke (width 0.15) (type solid)) (fill no) (layer "F.SilkS")'
            f' (uuid "{_uid("stands", left_mm, top_mm)}"))'
        )
    for at, words in board.texts:
        lines.append(
            f'(gr_text "{words}" (at {place(at)}) (layer "F.SilkS") (uuid "{_uid("text", at)}")'
            " (effects (font (size 1 1) (thickness 0.15))))"
        )
    return "\n".join([*lines, ")", ""])


def _footprint(part: Component, place: str, numbers: dict[str, int]) -> str:
    """Return the text of a part's footprint in KiCad's board file.

    ``place``: the part's position as text. ``numbers``: the number of each net.
    """
    x, y = part.at
    about = table("parts")["parts"][part.part]
    attr = "through_hole" if any(pad.drill for pad in part.pads) else "smd"
    left, top, right, bottom = part.outline_mm
    corners = f"(start {left - x:.2f} {top - y:.2f}) (end {right - x:.2f} {bottom - y:.2f})"

    def words(kind: str, said: str, below: float, layer: str, mm: float) -> str:
        quoted = said.replace("\\", "").replace('"', "'")
        at = f"{(left + right) / 2 - x:.2f} {bottom - y - 0.4 + below:.2f}"
        return (
            f'(property "{kind}" "{quoted}" (at {at} 0) (layer "{layer}")'
            f" (effects (font (size {mm} {mm}) (thickness {mm / 8:.2f}))))"
        )

    lines = [
        f'(footprint "tiltboard:{about.get("footprint", part.part)}" (layer "F.Cu")'
        f' (uuid "{_uid(part.ref)}") (at {place}) (attr {attr})',
        words("Reference", part.ref, 1.1, "F.SilkS", 0.8),
        words("Value", part.value, 2, "F.Fab", 0.6),
        f'(fp_rect {corners} (stroke (width 0.12) (type solid)) (fill no) (layer "F.SilkS")'
        f' (uuid "{_uid(part.ref, "body")}"))',
    ]
    for at, pad in enumerate(part.pads):
        net = part.nets.get(pad.number)
        joined = f' (net {numbers[net]} "{net}")' if net else ""
        kind, layers = "smd rect", '(layers "F.Cu" "F.Paste" "F.Mask")'
        if pad.drill:
            kind = f"thru_hole {'rect' if pad.number == '1' else 'circle'}"
            layers = f'(drill {pad.drill}) (layers "*.Cu" "*.Mask")'
        lines.append(
            f'(pad "{pad.number}" {kind} (at {pad.at[0] - x:.3f} {pad.at[1] - y:.3f})'
            f" (size {pad.size[0]} {pad.size[1]}) {layers}{joined}"
            f' (uuid "{_uid(part.ref, "pad", at)}"))'
        )
    return "\n  ".join(lines) + ")"


_FONT = "(effects (font (size 1.27 1.27)))"
_FLAG = [("1", "F", "power_out")]  # The only pin of KiCad's power flag.


def schematic_text(board: Board) -> str:
    """Return the text of KiCad's schematic. Each pin has a label with the name of the pin's net.
    KiCad connects pins with equal labels.
    """
    root = _uid(board.name, "sheet")
    # These nets supply parts but come from a wire outside the board, so each net gets a power flag.
    kinds = board.pin_kinds
    drives = {net: {kinds[pin] for pin in pins} for net, pins in sorted(board.nets.items())}
    undriven = [net for net, of in drives.items() if "power_in" in of and "power_out" not in of]
    symbols = {"FLAG": _symbol("FLAG", _FLAG)}
    placed: list[str] = []
    x, y = 30.48, 30.48
    for ref, part, value, pins, nets in [
        *((p.ref, p.part, p.value, p.pins, p.nets) for p in board.components.values()),
        *((f"#FLG{n}", "FLAG", "FLAG", _FLAG, {"1": net}) for n, net in enumerate(undriven, 1)),
    ]:
        symbols.setdefault(part, _symbol(part, pins))
        high = GRID_MM * (len(pins) + 3)
        if y + high > 760:
            x, y = x + 50.8, 30.48
        placed.append(
            f'(symbol (lib_id "tb:{part}") (at {x:.2f} {y:.2f} 0) (unit 1) (exclude_from_sim no)'
            f' (in_bom yes) (on_board yes) (dnp no) (uuid "{_uid(ref, "symbol")}")'
            f' (property "Reference" "{ref}" (at {x:.2f} {y - 2.54:.2f} 0) {_FONT})'
            f' (property "Value" "{value}" (at {x + 10:.2f} {y - 2.54:.2f} 0) {_FONT})'
            + "".join(f'(pin "{n}" (uuid "{_uid(ref, n, "pin")}"))' for n, _, _ in pins)
            + f'(instances (project "plans" (path "/{root}" (reference "{ref}") (unit 1)))))'
        )
        for at, (number, _, _) in enumerate(pins):
            where = f"(at {x - 2.54:.2f} {y + 2.54 * at:.2f}"
            if number in nets:
                placed.append(
                    f'(global_label "{nets[number]}" (shape bidirectional) {where} 180)'
                    f' (uuid "{_uid(ref, number, "label")}") {_FONT})'
                )
            else:
                placed.append(f'(no_connect {where}) (uuid "{_uid(ref, number, "open")}"))')
        y += high
    return "\n".join(
        [
            f'(kicad_sch (version 20250114) (generator "tiltboard") (generator_version "9.0")'
            f' (uuid "{root}") (paper "A0")',
            "(lib_symbols " + "\n".join(symbols.values()) + ")",
            *placed,
            '(sheet_instances (path "/" (page "1"))))',
            "",
        ]
    )


def _symbol(kind: str, pins: list[tuple[str, str, str]]) -> str:
    low = -GRID_MM * len(pins)
    drawn = [
        f'(symbol "tb:{kind}" (exclude_from_sim no) (in_bom yes) (on_board yes)',
        f'(property "Reference" "U" (at 0 2.54 0) {_FONT})',
        f'(property "Value" "{kind}" (at 0 {low:.2f} 0) {_FONT})',
        f'(symbol "{kind}_1_1" (rectangle (start 0 1.27) (end 12.7 {low + 1.27:.2f})'
        " (stroke (width 0) (type default)) (fill (type none)))",
        *(
            f"(pin {how} line (at -2.54 {-GRID_MM * at:.2f} 0) (length 2.54)"
            f' (name "{name}" {_FONT}) (number "{number}" {_FONT}))'
            for at, (number, name, how) in enumerate(pins)
        ),
    ]
    return "\n".join(drawn) + "))"


def netlist_text(board: Board) -> str:
    """Return the text of KiCad's netlist."""
    lines = ['(export (version "E")', "(components"]
    for part in board.components.values():
        footprint = f'(footprint "tiltboard:{part.part}")'
        lines.append(f'(comp (ref "{part.ref}") (value "{part.value}") {footprint})')
    lines += [")", "(nets"]
    for code, (net, pins) in enumerate(sorted(board.nets.items()), 1):
        nodes = "".join(f' (node (ref "{ref}") (pin "{pin}"))' for ref, pin in pins)
        lines.append(f'(net (code "{code}") (name "{net}"){nodes})')
    return "\n".join([*lines, "))", ""])
