"""A board as parts, pads and copper, and the text that KiCad reads of it.

Tracks are laid by construction: what runs across is on the back, what runs up and down on the
front, and a via joins them, so that no two can meet but where they are meant to. Lengths in mm, x
to the right and y down, seen from the parts' side.
"""

from __future__ import annotations

import tomllib
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

Point = tuple[float, float]
Side = Literal["F", "B"]
GRID_MM = 2.54
_NAMESPACE = uuid.UUID("5d0f6f4e-1f4e-4f3b-9d0e-7a3c1b2a9e10")
_LAYERS = (
    '(0 "F.Cu" signal) (2 "B.Cu" signal) (1 "F.Mask" user) (3 "B.Mask" user) (5 "F.SilkS" user)'
    ' (7 "B.SilkS" user) (13 "F.Paste" user) (15 "B.Paste" user) (25 "Edge.Cuts" user)'
    ' (31 "F.CrtYd" user) (35 "F.Fab" user)'
)


@cache
def table(name: str) -> Any:
    """One of this room's tables: ``parts`` or ``shapes``."""
    file = resources.files("firmware_host.plans") / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8"))


class Pad(NamedTuple):
    """``drill``: 0 for one that is on the front alone."""

    number: str
    at: Point
    size: Point
    drill: float = 0.0


class Component(NamedTuple):
    """A part on a board. ``nets``: of its pins by their numbers; others stay open."""

    ref: str
    part: str
    at: Point
    pads: tuple[Pad, ...]
    nets: dict[str, str]

    @property
    def value(self) -> str:
        """What is printed beside it and listed."""
        about = table("parts")["parts"][self.part]
        return str(about.get("number", about["title"]))

    @property
    def pins(self) -> list[tuple[str, str, str]]:
        """Number, name and kind of each, as in its datasheet."""
        symbol: str = table("parts")["parts"][self.part]["symbol"]
        if symbol.startswith("conn"):
            return [(str(n + 1), f"P{n + 1}", "passive") for n in range(int(symbol[4:]))]
        return [(number, name, kind) for number, name, kind in table("shapes")["symbols"][symbol]]


class Track(NamedTuple):
    """Copper from point to point."""

    net: str
    width: float
    side: Side
    points: tuple[Point, ...]


class Via(NamedTuple):
    """A plated hole, half as wide as its ring of copper."""

    net: str
    at: Point
    size: float = 0.6

    @property
    def drill(self) -> float:
        """The diameter of its hole."""
        return self.size / 2


@dataclass(slots=True)
class Board:
    """``edge``: left, top, right, bottom. ``rails``: what runs across the back, by name: its net,
    its y, its width. ``texts``: printed around a middle.
    """

    name: str
    components: dict[str, Component] = field(default_factory=dict)
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)
    holes: list[tuple[Point, float]] = field(default_factory=list)
    rails: dict[str, tuple[str, float, float]] = field(default_factory=dict)
    texts: list[tuple[Point, str]] = field(default_factory=list)
    edge: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    _reach: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

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
        """Place a part. ``turned``: by half a turn."""
        kind = footprint or table("parts")["parts"][part]["footprint"]
        pads = _pads(kind, turned=turned)
        placed = tuple(pad._replace(at=(at[0] + pad.at[0], at[1] + pad.at[1])) for pad in pads)
        self.components[ref] = made = Component(ref, part, at, placed, nets)
        return made

    def pad(self, ref: str, number: str, which: int = 0) -> Point:
        """The point of a pin's pad; ``which`` of those with its number."""
        return [pad.at for pad in self.components[ref].pads if pad.number == number][which]

    def track(self, net: str, width: float, side: Side, *points: Point) -> None:
        """Lay copper."""
        self.tracks.append(Track(net, width, side, points))

    def rail(self, name: str, net: str, y: float, width: float = 0.3) -> None:
        """Plan one across the back; it becomes as long as what is joined to it wants."""
        self.rails[name] = net, y, width

    def join(self, name: str, *points: Point, width: float = 0.3, via: float = 0.6) -> None:
        """Lead the front's copper along ``points`` and then straight to a rail."""
        x = points[-1][0]
        net, end = self.tap(name, x, via)
        self.track(net, width, "F", *points, end)

    def tap(self, name: str, x: float, via: float = 0.6) -> tuple[str, Point]:
        """Make a rail reach to a via at ``x``; its net, and where that is."""
        net, y, _ = self.rails[name]
        self.vias.append(Via(net, (x, y), via))
        self.reach(name, x)
        return net, (x, y)

    def reach(self, name: str, x: float) -> None:
        """Make that rail reach to ``x`` at least."""
        self._reach[name].append(x)

    def finish(self) -> Board:
        """Lay the rails."""
        for name, (net, y, width) in self.rails.items():
            ends = self._reach[name]
            if len(ends) > 1:
                self.track(net, width, "B", (min(ends), y), (max(ends), y))
        return self

    @property
    def nets(self) -> dict[str, list[tuple[str, str]]]:
        """Net -> part and pin of all that is on it."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for part in self.components.values():
            for number, net in part.nets.items():
                found[net].append((part.ref, number))
        return dict(found)

    @property
    def size_mm(self) -> Point:
        """Width and height."""
        left, top, right, bottom = self.edge
        return right - left, bottom - top


@dataclass(slots=True)
class Channel:
    """Lines across the back from ``y`` on: what is to end there, and a lane of its own for each
    net, ``lane`` apart.
    """

    board: Board
    y: float
    lane: float = 0.9
    ends: list[tuple[str, tuple[Point, ...]]] = field(default_factory=list)

    def add(self, net: str, *points: Point) -> None:
        """Lead copper along ``points`` and then straight to the net's lane."""
        self.ends.append((net, points))

    def add_header(self, ref: str, nets: dict[str, str]) -> None:
        """Both rows of a header below: the far one's pins go up between the near one's."""
        for number, net in nets.items():
            x, y = self.board.pad(ref, number)
            self.add(net, (x, y), *([] if int(number) % 2 else [(x + 1.27, y - 1.27)]))

    def depth(self, extra: int = 0) -> float:
        """How much room its lanes take, with some to spare for nets that are yet to come."""
        return self.lane * (len({net for net, _ in self.ends}) + extra)

    def lay(self) -> None:
        """Lay the channel: a rail for each net, and its ends."""
        nets = list(dict.fromkeys(net for net, _ in self.ends))
        for at, net in enumerate(nets):
            self.board.rail(f"channel {net}", net, self.y + self.lane * at)
        for net, points in self.ends:
            self.board.join(f"channel {net}", *points)


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
            x, y = GRID_MM * ((pin - 1) // 2), apart * ((pin - 1) % 2)
        if turned:
            x, y = GRID_MM * (along - 1) - x, -y
        found.append(Pad(str(pin), (x, y), (1.6, 1.6), 0.9))
    return tuple(found)


def _uid(*key: object) -> str:
    return str(uuid.uuid5(_NAMESPACE, " ".join(map(str, key))))


def _text(kind: str, said: str, at: Point, layer: str, mm: float) -> str:
    quoted = said.replace("\\", "").replace('"', "'")
    return (
        f'(property "{kind}" "{quoted}" (at {at[0]:.2f} {at[1]:.2f} 0) (layer "{layer}")'
        f" (effects (font (size {mm} {mm}) (thickness {mm / 8:.2f}))))"
    )


def pcb_text(board: Board) -> str:
    """KiCad's board file."""
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
    ]
    for part in board.components.values():
        lines.append(_footprint(part, numbers, place))
    for at, drill in board.holes:
        lines.append(
            f'(footprint "tiltboard:hole" (layer "F.Cu") (uuid "{_uid("hole", at)}")'
            f" (at {place(at)})"
            " (attr exclude_from_pos_files exclude_from_bom board_only)"
            f' (pad "" np_thru_hole circle (at 0 0) (size {drill} {drill}) (drill {drill})'
            f' (layers "*.Cu" "*.Mask") (uuid "{_uid("npth", at)}")))'
        )
    for track in board.tracks:
        for one, two in zip(track.points, track.points[1:], strict=False):
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
    for at, words in board.texts:
        lines.append(
            f'(gr_text "{words}" (at {place(at)}) (layer "F.SilkS") (uuid "{_uid("text", at)}")'
            " (effects (font (size 1 1) (thickness 0.15))))"
        )
    return "\n".join([*lines, ")", ""])


def outline_mm(part: Component) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of what is printed around a part."""
    xs = [pad.at[0] + side * pad.size[0] / 2 for pad in part.pads for side in (-1, 1)]
    ys = [pad.at[1] + side * pad.size[1] / 2 for pad in part.pads for side in (-1, 1)]
    return min(xs) - 0.4, min(ys) - 0.4, max(xs) + 0.4, max(ys) + 0.4


def _footprint(part: Component, numbers: dict[str, int], place: Any) -> str:
    about = table("parts")["parts"][part.part]
    kind = "through_hole" if any(pad.drill for pad in part.pads) else "smd"
    (x, y), (left, top, right, bottom) = part.at, outline_mm(part)
    low = f"(start {left - x:.2f} {top - y:.2f})"
    corners = f"{low} (end {right - x:.2f} {bottom - y:.2f})"
    middle, under = (left + right) / 2 - x, bottom - y - 0.4
    lines = [
        f'(footprint "tiltboard:{about.get("footprint", part.part)}" (layer "F.Cu")'
        f' (uuid "{_uid(part.ref)}") (at {place(part.at)}) (attr {kind})',
        _text("Reference", part.ref, (middle, under + 1.1), "F.SilkS", 0.8),
        _text("Value", part.value, (middle, under + 2), "F.Fab", 0.6),
        f'(fp_rect {corners} (stroke (width 0.12) (type solid)) (fill no) (layer "F.SilkS")'
        f' (uuid "{_uid(part.ref, "body")}"))',
    ]
    for at, pad in enumerate(part.pads):
        x, y = pad.at[0] - part.at[0], pad.at[1] - part.at[1]
        net = part.nets.get(pad.number)
        joined = f' (net {numbers[net]} "{net}")' if net else ""
        shape = "rect" if not pad.drill or pad.number == "1" else "circle"
        how = (
            f"thru_hole {shape} (at {x:.3f} {y:.3f}) (size {pad.size[0]} {pad.size[1]})"
            f' (drill {pad.drill}) (layers "*.Cu" "*.Mask")'
            if pad.drill
            else f"smd rect (at {x:.3f} {y:.3f}) (size {pad.size[0]} {pad.size[1]})"
            ' (layers "F.Cu" "F.Paste" "F.Mask")'
        )
        lines.append(f'(pad "{pad.number}" {how}{joined} (uuid "{_uid(part.ref, "pad", at)}"))')
    return "\n  ".join(lines) + ")"


_FONT = "(effects (font (size 1.27 1.27)))"


def schematic_text(board: Board) -> str:
    """KiCad's schematic: every pin carries its net's name, and pins of one name are joined."""
    root = _uid(board.name, "sheet")
    symbols: dict[str, str] = {"FLAG": _symbol("FLAG", [("1", "F", "power_out")])}
    placed: list[str] = []
    x, y = 30.48, 30.48
    # What feeds parts, and is itself fed by a wire from elsewhere
    kinds = {(p.ref, n): kind for p in board.components.values() for n, _, kind in p.pins}
    drives = {net: {kinds[pin] for pin in pins} for net, pins in sorted(board.nets.items())}
    undriven = [net for net, of in drives.items() if "power_in" in of and "power_out" not in of]
    flags = [
        (f"#FLG{at + 1}", "FLAG", [("1", "F", "power_out")], {"1": net}, "FLAG")
        for at, net in enumerate(undriven)
    ]
    parts = [(p.ref, p.part, p.pins, p.nets, p.value) for p in board.components.values()]
    tail = f'(instances (project "plans" (path "/{root}" (reference "%s") (unit 1)))))'
    for ref, kind, pins, nets, value in [*parts, *flags]:
        symbols.setdefault(kind, _symbol(kind, pins))
        high = GRID_MM * (len(pins) + 3)
        if y + high > 760:
            x, y = x + 50.8, 30.48
        placed.append(_placed(ref, kind, value, (x, y), pins) + tail % ref)
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


def _placed(ref: str, kind: str, value: str, at: Point, pins: list[tuple[str, str, str]]) -> str:
    x, y = at
    return (
        f'(symbol (lib_id "tb:{kind}") (at {x:.2f} {y:.2f} 0) (unit 1) (exclude_from_sim no)'
        f' (in_bom yes) (on_board yes) (dnp no) (uuid "{_uid(ref, "symbol")}")'
        f' (property "Reference" "{ref}" (at {x:.2f} {y - 2.54:.2f} 0) {_FONT})'
        f' (property "Value" "{value}" (at {x + 10:.2f} {y - 2.54:.2f} 0) {_FONT})'
        + "".join(f'(pin "{n}" (uuid "{_uid(ref, n, "pin")}"))' for n, _, _ in pins)
    )


def netlist_text(board: Board) -> str:
    """KiCad's netlist."""
    parts = [
        f'(comp (ref "{p.ref}") (value "{p.value}") (footprint "tiltboard:{p.part}"))'
        for p in board.components.values()
    ]
    nets = [
        f'(net (code "{at + 1}") (name "{net}")'
        + "".join(f' (node (ref "{ref}") (pin "{pin}"))' for ref, pin in pins)
        + ")"
        for at, (net, pins) in enumerate(sorted(board.nets.items()))
    ]
    body = "\n".join(["(components", *parts, ")", "(nets", *nets, ")"])
    return f'(export (version "E")\n{body})\n'
