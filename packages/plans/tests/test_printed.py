"""Tests of tiltboard_plans/printed.py and sheets.py: sheets and pieces, read back
by other means than they were written with.
"""

import io
import math
import re
import struct
import zlib
from collections import Counter

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.games.registry import HOSTED
from tiltboard_plans.model import Plans
from tiltboard_plans.printed import FLOOR, gimbal_parts, piece_files, pieces, stl
from tiltboard_plans.sheets import dxf, pdf, sheets, svg

LIGHT = (12.5, 11.5)  # docs/plans.md


@pytest.fixture(scope="module")
def printed():
    pytest.importorskip("manifold3d", reason="pieces need the extra make")
    frame = Plans.of(load_profile("plate-10")).frame
    gimbal = {f"{name}.stl": stl(solid) for name, solid in gimbal_parts(frame)}
    return dict(piece_files(12.0)) | gimbal


def triangles(content: bytes):
    (count,) = struct.unpack_from("<I", content, 80)
    assert len(content) == 84 + 50 * count
    for at in range(count):
        numbers = struct.unpack_from("<12f", content, 84 + 50 * at)
        yield numbers[3:6], numbers[6:9], numbers[9:12]


def volume_mm3(content: bytes) -> float:
    """Return a mesh's volume, by the divergence theorem."""
    return sum(
        ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx)
        for (ax, ay, az), (bx, by, bz), (cx, cy, cz) in triangles(content)
    ) / 6  # fmt: skip


def test_everything_printed_is_watertight(printed) -> None:
    solids = {name: content for name, content in printed.items() if name.endswith(".stl")}
    assert len(solids) > 30
    for name, content in solids.items():
        edges = Counter(edge for a, b, c in triangles(content) for edge in ((a, b), (b, c), (c, a)))
        # Each edge once in either direction: closed, and all faces look outward
        assert all(edges[b, a] == count for (a, b), count in edges.items()), name
        assert volume_mm3(content) > 50, name


def test_pieces_are_as_large_and_as_heavy_as_the_physics_plays_them(printed) -> None:
    played = {look.body for kind in HOSTED.values() for look in (kind.look, *kind.looks.values())}
    made = list(pieces())
    assert {piece.body for piece in made} == played
    for piece in made:
        cup = printed[f"pieces/{piece.name}.stl"]
        lid = printed[f"pieces/{piece.name}-lid-north.stl"]
        points = [point for triangle in triangles(cup) for point in triangle]
        across = 2 * max(math.hypot(x, y) for x, y, _ in points)
        assert across == pytest.approx(piece.body.diameter_mm, abs=0.01)
        assert max(z for _, _, z in points) == pytest.approx(piece.body.height_mm)
        plastic = (volume_mm3(cup) + volume_mm3(lid)) / 1000 * 1.24
        magnet = {"strong": 1.18, "weak": 0.21}[piece.name.rpartition("-")[2]]
        total = plastic + magnet + piece.ballast_g
        assert total == pytest.approx(piece.body.mass_g, abs=0.3)
        assert 0 < piece.ballast_g < piece.room_g


def test_the_magnet_lies_centred_and_tight_in_the_foot(printed) -> None:
    """The pocket takes a sixth of one of the 5 mm that a place allows (docs/add-a-board.md)."""
    cup = printed["pieces/disc-28-20g-strong.stl"]
    floor = [p for t in triangles(cup) for p in t if p[2] == pytest.approx(FLOOR)]
    assert max(math.hypot(x, y) for x, y, _ in floor) == pytest.approx(5.15, abs=0.01)
    assert pytest.approx(0, abs=0.01) == sum(x for x, _, _ in floor) / len(floor)


def test_the_jig_holds_a_magnet_at_the_gap(printed) -> None:
    heights = {round(z, 2) for t in triangles(printed["pieces/calibration-jig.stl"]) for *_, z in t}
    seat = 12.0 + 0.7 - 0.8  # element above its board, floor under the magnet
    assert round(seat, 2) in heights


def extent(content: bytes, axis: int) -> tuple[float, float]:
    values = [point[axis] for triangle in triangles(content) for point in triangle]
    return min(values), max(values)


def test_the_gimbal_hangs_the_plate_as_physics_does(printed) -> None:
    """docs/physics.md: the pivot is 20 mm under the surface, and its table top 170 mm below that; a
    base of 12 mm stands on it. Both axles are at 0 here.
    """
    floor, _ = extent(printed["gimbal-post-two-of-it.stl"], 2)
    assert floor == pytest.approx(12 - 170)
    _, top = extent(printed["gimbal-bearing-two-of-it.stl"], 2)
    assert top == pytest.approx(20 - 1 - 9)  # below felt and plywood
    _, stop = extent(printed["gimbal-stop-four-of-it.stl"], 2)
    turn, far = math.radians(15), 40 + 14 / 2  # the ear's underside meets the stop's outer edge
    assert stop == pytest.approx(top / math.cos(turn) - far * math.tan(turn))
    discs = extent(printed["weight-tray.stl"], 0)
    assert discs[1] - discs[0] > 100


def test_each_screw_of_the_frame_has_its_hole_on_a_sheet() -> None:
    """docs/plans.md: rods, bearings and row boards in the plate; stops, axles and lock pins in the
    ring; feet in the base.
    """
    drawn = {sheet.name: sheet for sheet in sheets(Plans.of(load_profile("plate-10")))}

    def holes(name: str, across: float) -> int:
        return sum(k == "drill" and d == across for k, _, _, d in drawn[name].circles)

    assert (holes("drill", 5.2), holes("shelf", 5.2)) == (4, 4)
    assert (holes("drill", 4.2), holes("gimbal-ring", 4.2), holes("base", 4.2)) == (4, 8, 8)
    assert holes("drill", 3.2) == 20 * 3
    assert holes("shelf", 8.5) == 1
    sides = [line for line in drawn["gimbal-ring"].lines if line[0] == "drill"]
    assert len(sides) == 4 * 2
    rods = {(x, y) for _, x, y, d in drawn["drill"].circles if d == 5.2}
    assert rods == {(x, y) for _, x, y, d in drawn["shelf"].circles if d == 5.2}


@pytest.mark.parametrize("name", ["plate-10", "plate-10s"])
def test_a_light_guide_lies_around_a_piece_and_over_its_light(name) -> None:
    """The guide at a1, as a polygon: the piece within it, the light's middle under it, and no
    other place's guide in its way.
    """
    profile = load_profile(name)
    drawn = {sheet.name: sheet for sheet in sheets(Plans.of(profile))}
    x, y = profile.centre_mm(0)
    rim = [(x0 - x, y0 - y) for _, x0, y0, *_ in drawn["guides"].lines[:90]]
    far = [math.hypot(*point) for point in rim]
    assert all(layer == "cut" for layer, *_ in drawn["guides"].lines)
    assert ("cut", x, y, pytest.approx(29)) in drawn["guides"].circles
    assert 14.5 < min(far) < profile.pitch_mm / 2
    ear = max(rim, key=lambda point: math.hypot(*point))
    assert math.hypot(ear[0] - LIGHT[0], ear[1] - LIGHT[1]) < 4
    over = min(math.hypot(px - profile.pitch_mm, py - profile.pitch_mm) for px, py in rim)
    assert over > 17.2


def test_tiles_fit_beside_each_other_where_places_are_closer() -> None:
    pytest.importorskip("manifold3d", reason="pieces need the extra make")
    widest = max(piece.body.diameter_mm for piece in pieces(33.33))
    assert widest == pytest.approx(32.33)
    assert max(piece.body.diameter_mm for piece in pieces()) == 34.0


@pytest.mark.parametrize("pitch_mm", [33.33, 35.0])
def test_a_tile_passes_between_pegs_and_in_its_ring_does_not(pitch_mm) -> None:
    """Pegs where four places meet; 5 mm off the middle are allowed (docs/add-a-board.md)."""
    pytest.importorskip("manifold3d", reason="pieces need the extra make")
    made = dict(piece_files(12.0, pitch_mm))
    peg, ring = made["pieces/tile-peg.stl"], made["pieces/tile-ring.stl"]
    peg_mm, (floor, high) = extent(peg, 0)[1], extent(peg, 2)
    far = [math.hypot(x, y) for triangle in triangles(ring) for x, y, _ in triangle]
    gap, corner = pitch_mm - 2 * peg_mm, math.hypot(pitch_mm, pitch_mm) / 2
    assert floor == 0
    assert max(high, extent(ring, 2)[1]) < 8  # where a tile's hat begins
    assert 20 < gap < 2 * max(far) - 5
    assert 2 * min(far) > 20
    assert 2 * max(far) < min(34, pitch_mm - 1)  # tiles beside it touch its hat first
    assert 0 < corner - peg_mm - max(far) + min(far) - 10 < 2
    assert "pieces/tile-peg.stl" not in dict(piece_files(12.0, 40.0))  # as high as the hats


def test_another_program_reads_the_dxf() -> None:
    ezdxf = pytest.importorskip("ezdxf", reason="a development installation has it")
    profile = load_profile("plate-10")
    for sheet in sheets(Plans.of(profile)):
        drawing = ezdxf.read(io.StringIO(dxf(sheet)))
        assert not drawing.audit().errors
    drawing = ezdxf.read(io.StringIO(dxf(next(sheets(Plans.of(profile))))))
    holes = {
        (round(c.dxf.center.x, 2), round(c.dxf.center.y, 2))
        for c in drawing.modelspace().query('CIRCLE[layer=="drill"]')
        if c.dxf.radius == 3.0
    }
    screws = {
        (round(c.dxf.center.x, 2), round(c.dxf.center.y, 2))
        for c in drawing.modelspace().query('CIRCLE[layer=="drill"]')
        if c.dxf.radius == 1.6
    }
    # Two for each board of five, where docs/images/stack.jpg has its spacers
    assert screws == {
        (35 * (c - 4.5) + right, 35 * (r - 4.5) + up)
        for c, right, up in (
            (0, 9, -6),
            (4, 9, -6),
            (2, -7, 12),
            (5, 9, -6),
            (9, 9, -6),
            (7, -7, 12),
        )
        for r in range(10)
    }
    places = [(35 * (c - 4.5), 35 * (r - 4.5)) for c in range(10) for r in range(10)]
    assert holes == {(round(x + LIGHT[0], 2), round(y + LIGHT[1], 2)) for x, y in places}
    cut = [
        line.dxf.start.distance(line.dxf.end)
        for line in drawing.modelspace().query("LINE[layer=='cut']")
    ]
    assert sum(cut) == pytest.approx(4 * 380 + 4 * 36)  # and two ears


def test_a_light_is_seen_beside_a_piece_and_nearer_to_its_own() -> None:
    """The package's window is 5 mm wide."""
    profile = load_profile("plate-10")
    own = math.hypot(*LIGHT)
    assert own - 2.5 > 28 / 2
    others = [
        math.hypot(LIGHT[0] - profile.pitch_mm * c, LIGHT[1] - profile.pitch_mm * r)
        for c in (-1, 0, 1)
        for r in (-1, 0, 1)
        if (c, r) != (0, 0)
    ]
    assert min(others) - 2.5 > 28 / 2
    assert min(others) > own + 5


def test_the_pdf_is_true_to_scale_and_leaves_nothing_out() -> None:
    sheet = next(sheets(Plans.of(load_profile("plate-10"))))
    content = pdf(sheet)
    assert content.count(b"/Type /Page ") == 3 * 2  # 452 mm over pages of 180 x 260
    assert re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)[0] == (
        b"595.276",
        b"841.890",
    )
    start = int(re.search(rb"startxref\n(\d+)", content)[1])
    offsets = re.findall(rb"^(\d{10}) 00000 n ", content[start:], re.M)
    assert all(content[int(o) :].startswith(b"%d 0 obj" % n) for n, o in enumerate(offsets, 1))
    pages = [zlib.decompress(s) for s in re.findall(rb"stream\n(.*?)\nendstream", content, re.S)]
    assert len(pages) == 6
    for page in pages:
        assert page.startswith(b"2.834646 0 0 2.834646")  # points of a millimetre
        ruler = re.search(rb"^([\d.]+) 8 m ([\d.]+) 8 l S", page, re.M)
        assert float(ruler[2]) - float(ruler[1]) == 100


def test_the_svg_is_in_millimetres() -> None:
    text = svg(next(sheets(Plans.of(load_profile("plate-10")))))
    assert 'width="456mm" height="456mm" viewBox="-228 -228 456 456"' in text


def test_every_board_that_fits_has_an_overlay() -> None:
    drawn = {sheet.name: sheet for sheet in sheets(Plans.of(load_profile("plate-10")))}
    for game, kind in HOSTED.items():
        boards = {
            (frozenset(made.board.items()), frozenset(made.blocked))
            for made in (kind.create(preset.options) for preset in kind.presets)
            if max(map(max, made.board.values())) < 10
        }
        assert len([name for name in drawn if name.startswith(f"overlay-{game}")]) == len(boards)
    assert len(drawn["overlay-momentum"].circles) == 49
    assert len(drawn["overlay-gravity-trap"].lines) > 100  # its tracks
    pegs = {(x, y) for _, x, y, wide in drawn["overlay-gravity-connect"].circles if wide < 15}
    places = {(x, y) for _, x, y, wide in drawn["overlay-gravity-connect"].circles if wide == 28}
    assert len(pegs) == 8 * 8
    for x, y in pegs:
        assert len(places & {(x + e, y + n) for e in (-17.5, 17.5) for n in (-17.5, 17.5)}) == 4
    seven = [sheet.name for sheet in sheets(Plans.of(load_profile("plate-7")))]
    assert "overlay-attraktion-8-x-8-to-learn" not in seven
    assert "overlay-attraktion-7-x-7" in seven
    assert not list(sheets(Plans.of(load_profile("matrix-gpio"))))  # its board is its plate
