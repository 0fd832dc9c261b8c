"""Profiles for the plans, and the copper of a board, read from the text of its file and not from
the code under test.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from importlib import resources
from itertools import combinations
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.profile import load_profile, profile_names

DOCS = Path(__file__).parents[3] / "docs"
BOOK = (DOCS / "build.md").read_text("utf-8")
[OWN] = re.findall(r"```toml file=my-table.toml\n(.*?)```", BOOK, re.DOTALL)
[LARGE] = re.findall(
    r"```toml file=plate-13.toml\n(.*?)```", (DOCS / "plans.md").read_text("utf-8"), re.DOTALL
)
TEXTS = {"own": OWN, "plate-13": LARGE}


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """A function that returns a table: a shipped profile, a profile in the documents, or plate-10
    with another pitch ("plate-31.0").
    """
    folder = tmp_path_factory.mktemp("profiles")

    def load(name: str):
        if name in profile_names():
            return load_profile(name)
        shipped = resources.files("tiltboard.firmware_host.config") / "profiles/plate-10.toml"
        text = shipped.read_text("utf-8").replace("35.0", name.removeprefix("plate-"))
        path = folder / "own.toml"
        path.write_text(TEXTS.get(name, text))
        return load_profile(str(path))

    return load


@pytest.fixture
def book() -> str:
    """The text of docs/build.md."""
    return BOOK


@pytest.fixture
def own() -> str:
    """The text of a profile that another person has written."""
    return OWN


NUMBER = r"(-?[\d.]+)"


def _items(text: str):
    """Yield shape, net, layers, x0, y0, x1, y1 and half the width of each piece of copper."""
    names = dict(re.findall(r'^\(net (\d+) "([^"]*)"\)', text, re.M))
    for line in re.findall(r"^\(segment .*$", text, re.M):
        ends = rf"start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\) \(width {NUMBER}"
        x0, y0, x1, y1, width = map(float, re.search(ends, line).groups())
        layer, net = re.search(r'layer "(.).Cu"\) \(net (\d+)', line).groups()
        yield names[net], layer, (x0, y0, x1, y1), width / 2
    for x, y, size, net in re.findall(
        rf"^\(via \(at {NUMBER} {NUMBER}\) \(size {NUMBER}.*\(net (\d+)", text, re.M
    ):
        yield names[net], "FB", (float(x), float(y), float(x), float(y)), float(size) / 2
    for block in re.split(r"^\(footprint ", text, flags=re.M)[1:]:
        fx, fy = map(float, re.search(rf"\(at {NUMBER} {NUMBER}\)", block).groups())
        for how, *numbers, rest in re.findall(
            rf"(smd|thru_hole) \w+ \(at {NUMBER} {NUMBER}\) \(size {NUMBER} {NUMBER}\)([^\n]*)",
            block,
        ):
            net = re.search(r'\(net \d+ "([^"]*)"\)', rest)
            # A pad counts as a line along its longer side.
            x, y, w, h = map(float, numbers)
            x, y = fx + x, fy + y
            dx, dy = max(w - h, 0) / 2, max(h - w, 0) / 2
            layers = "FB" if how == "thru_hole" else "F"
            name = net[1] if net else f"open {x} {y}"
            yield name, layers, (x - dx, y - dy, x + dx, y + dy), min(w, h) / 2


def _to_line(point, line) -> float:
    (x, y), (x0, y0, x1, y1) = point, line
    length = (x1 - x0) ** 2 + (y1 - y0) ** 2
    at = 0 if not length else max(0, min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length))
    return math.hypot(x - x0 - at * (x1 - x0), y - y0 - at * (y1 - y0))


def _apart(one, two) -> float:
    def side(line, point):
        ax, ay, bx, by = line
        return (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)

    ends, others = (one[:2], one[2:]), (two[:2], two[2:])
    if (
        side(one, others[0]) * side(one, others[1]) < 0
        and side(two, ends[0]) * side(two, ends[1]) < 0
    ):
        return 0.0
    return min(*(_to_line(p, two) for p in ends), *(_to_line(p, one) for p in others))


def _copper_problems(text: str, clearance_mm: float = 0.19) -> list[str]:
    """Return copper that is too close to another net, and nets that are not connected."""
    items = list(_items(text))
    cells = defaultdict(set)
    for at, (_, _, (x0, y0, x1, y1), half) in enumerate(items):
        for cx in range(int((min(x0, x1) - half) // 4), int((max(x0, x1) + half + 1) // 4) + 1):
            for cy in range(int((min(y0, y1) - half) // 4), int((max(y0, y1) + half + 1) // 4) + 1):
                cells[cx, cy].add(at)
    pairs = {pair for cell in cells.values() for pair in combinations(sorted(cell), 2)}
    parent = list(range(len(items)))

    def root(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    problems = []
    for one, two in sorted(pairs):
        (a, on_a, where_a, half_a), (b, on_b, where_b, half_b) = items[one], items[two]
        if not set(on_a) & set(on_b):
            continue
        gap = _apart(where_a, where_b) - half_a - half_b
        if a == b and gap <= 0:
            parent[root(one)] = root(two)
        elif a != b and gap < clearance_mm:
            problems.append(f"{a} and {b} {gap:.2f} mm apart at {where_a}")
    roots = defaultdict(set)
    for at, (net, *_) in enumerate(items):
        roots[net].add(root(at))
    return problems + [f"{net} is in {len(r)} pieces" for net, r in roots.items() if len(r) > 1]


@pytest.fixture
def copper_problems():
    """The function that checks the copper of a board."""
    return _copper_problems


def _plotted(text: str, shift: tuple[float, float] = (0.0, 0.0)):
    """Return flashes and lines of a Gerber file as a counter of aperture and points."""
    assert "%FSLAX46Y46*%" in text
    assert "%MOMM*%" in text
    apertures = dict(re.findall(r"%ADD(\d+)([CR],[\d.X]+)\*%", text))
    found, now, used = Counter(), None, None
    for line in re.sub(r"%[^%]*%", "", text).splitlines():
        if chosen := re.fullmatch(r"D(\d\d+)\*", line):
            kind, sizes = apertures[chosen[1]].split(",")
            used = (kind, *(round(float(size), 3) for size in sizes.split("X")))
        elif moved := re.fullmatch(r"X(-?\d+)Y(-?\d+)D0([123])\*", line):
            place = tuple(
                round(int(each) / 1e6 + by, 3)
                for each, by in zip(moved.groups()[:2], shift, strict=True)
            )
            if moved[3] == "1" and place != now:
                found[used, frozenset((now, place))] += 1
            elif moved[3] == "3":
                found[used, place] += 1
            now = place
    return found


@pytest.fixture
def plotted():
    """The function that reads a Gerber file."""
    return _plotted


def _drilled(text: str, shift: tuple[float, float] = (0.0, 0.0)):
    """Return diameter and position of each hole in an Excellon file."""
    tools = dict(re.findall(r"^T(\d+)C([\d.]+)", text, re.M))
    found, tool = Counter(), None
    for line in text.splitlines():
        if chosen := re.fullmatch(r"T(\d+)", line):
            tool = tools.get(chosen[1])
        elif at := re.fullmatch(r"X(-?[\d.]+)Y(-?[\d.]+)", line):
            x, y = (round(float(each) + by, 3) for each, by in zip(at.groups(), shift, strict=True))
            found[round(float(tool), 3), x, y] += 1
    return found


@pytest.fixture
def drilled():
    """The function that reads an Excellon file."""
    return _drilled
