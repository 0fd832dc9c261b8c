"""Draws the pictures in docs/images from the plans: ``python .ci/pictures.py CHROMIUM [KICAD]``.

The page's own renderer draws exploded views of the models that are printed and cut. KICAD is a
folder from ``make plans-check`` (build/plans), for pictures of the boards.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from manifold3d import Manifold
from PIL import Image
from playwright.sync_api import Page, Route, sync_playwright

from tiltboard.firmware_host.config import platform
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard_plans.assembly import Assembly
from tiltboard_plans.model import Plans, spacer_mm
from tiltboard_plans.printed import pieces, with_pole_mark

ROOT = Path(__file__).parents[1]
STATIC, IMAGES = ROOT / "firmware_host/web/static", ROOT / "docs/images"
SIZE = (960, 640)
WOOD, FELT, BOARD, STEEL = (
    (0.72, 0.5, 0.28),
    (0.16, 0.22, 0.21),
    (0.05, 0.32, 0.16),
    (0.6, 0.6, 0.63),
)
BLACK, WHITE, RED, BLUE, ICE = (
    (0.1,) * 3,
    (0.9,) * 3,
    (0.75, 0.2, 0.15),
    (0.15, 0.35, 0.7),
    (0.75, 0.85, 0.9),
)
Part = tuple[Any, tuple[float, float, float]]
PAGE = """<!doctype html>
<style>body{margin:0;background:#f4f1ea}canvas{width:960px;height:640px}</style>
<canvas></canvas><script type=module>
import { looking, perspective, Solids, unit } from "/static/solids.js";
const { parts, from, at, reach } = await (await fetch("/scene")).json();
const solids = new Solids(document.querySelector("canvas"));
const one = { width: 1, height: 1, bytes: new Uint8Array(4) };
solids.texture("marks", one); solids.texture("field", one);
for (const { corners, colour } of parts) {
  const triangles = corners.map((_, n) => n).slice(0, corners.length / 8);
  const kind = solids.kind(solids.kinds.size, () => ({ corners, triangles }));
  kind.add(new DOMMatrix().translate(...at.map((each) => -each)), colour, colour, -1, 0.25);
}
solids.fit(2, 1, 0);
const eye = from.map((each, n) => each - at[n]);
const sight = perspective(0.5, 1.5, 10, 9000).multiply(looking(eye, [0, 0, 0]));
const light = unit([-0.4, -0.7, 1.2]);
solids.draw({ eye: sight, from: eye, light, reach, grid: [1, 1], pitch: 35, seen: 0, count: 1 });
document.title = "drawn";
</script>"""


def corners(solid: Any) -> list[float]:
    """Return the corners of all triangles as a flat list: position, normal, empty texture."""
    mesh = solid.to_mesh()
    points = [tuple(map(float, row[:3])) for row in mesh.vert_properties]
    out: list[float] = []
    for triangle in mesh.tri_verts:
        a, b, c = (points[int(at)] for at in triangle)
        u, v = ([q - p for p, q in zip(a, end, strict=True)] for end in (b, c))
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        long = sum(each**2 for each in normal) ** 0.5 or 1.0
        for point in (a, b, c):
            out += [*point, *(each / long for each in normal), 9.0, 9.0]
    return out


def box(x: float, y: float, z: float, at: tuple[float, float, float]) -> Any:
    """Return a box whose centre is at ``at``."""
    return Manifold.cube((x, y, z), True).translate(at)


def disc(across: float, low: float, high: float, at: tuple[float, float] = (0, 0)) -> Any:
    """Return an upright cylinder."""
    return Manifold.cylinder(high - low, across / 2, -1.0, 64).translate((*at, low))


def piece() -> Iterator[Part]:
    """Yield the parts of a piece: magnet, cup, ballast, lid."""
    it = next(iter(pieces()))
    yield disc(it.magnet.diameter_mm, -14, -14 + it.magnet.height_mm), STEEL
    cut = Manifold.cube((40, 40, 40), True).translate((20, -20, 20))
    yield it.cup - cut, RED
    yield disc(20, 20, 27), (0.75, 0.6, 0.2)
    yield with_pole_mark(it.lid, "north").translate((0, 0, 34)), RED


def stack() -> Iterator[Part]:
    """Yield a row of five places of plate-10 with two pieces; the layers are 22 mm apart."""
    profile = load_profile("plate-10")
    row = Plans.of(profile).boards["row-east"]
    left, top, right, bottom = row.edge
    wide, deep = right - left, bottom - top
    middle = ((left + right) / 2, -(top + bottom) / 2)
    board = box(wide, deep, 1.6, (*middle, -0.8))
    yield board, BOARD
    for part in row.components.values():
        x, y = part.at[0], -part.at[1]
        if part.part == "sensor":
            yield box(1.3, 2.9, 1.0, (x, y, 0.5)), BLACK
        elif part.part == "light":
            yield box(5, 5, 1.6, (x, y, 0.8)), WHITE
        elif part.part == "c100n_smd":
            yield box(1.25, 2, 1.2, (x, y, 0.6)), (0.7, 0.6, 0.45)
    spacer = spacer_mm(profile)
    for (x, y), _ in row.holes:
        yield disc(6, 12, 12 + spacer, (x, -y)) - disc(3.2, 0, 20, (x, -y)), (0.8, 0.65, 0.25)
    wood = box(wide, deep, platform.PLYWOOD_MM, (*middle, 32))
    felt = box(wide, deep, platform.FELT_MM, (*middle, 56))
    rings = []
    for at in range(5):
        x = at * profile.pitch_mm
        light = disc(6, -10, 200, (x + 12.5, 11.5))
        ring = disc(34.4, 0, 1, (x, 0)) + disc(7.2, 0, 1, (x + 12.5, 11.5))
        felt -= (ring - disc(29, -1, 4, (x, 0))).scale((1, 1, 100))
        wood -= light
        rings.append(ring - disc(29, -1, 4, (x, 0)))
    yield wood, WOOD
    yield felt, FELT
    for ring in rings:
        yield ring.translate((0, 0, 74)), ICE
    it = next(iter(pieces()))
    for x, colour in ((0.0, RED), (70.0, BLUE)):
        yield it.cup.translate((x, 0, 98)), colour
        yield disc(10, 90, 92, (x, 0)), STEEL
        yield with_pole_mark(it.lid, "south" if x else "north").translate((x, 0, 120)), colour


LOOKS = {
    "wood": WOOD,
    "felt": FELT,
    "board": BOARD,
    "steel": STEEL,
    "red": RED,
    "blue": BLUE,
    "brass": (0.8, 0.65, 0.25),
    "wire": (0.7, 0.1, 0.1),
    "light": WHITE,
    "ice": ICE,
}


def hung() -> Iterator[Part]:
    """Yield the whole assembled plate-10, with its plate lifted off."""
    for solid in Assembly.of(Plans.of(load_profile("plate-10"))).solids:
        if solid.name == "table top":
            continue
        up = 110.0 if solid.name in {"plate", "felt"} else 0.0
        yield solid.body.translate((0, 0, up)), LOOKS.get(solid.look, BLACK)


SCENES = {
    "piece": (piece, (72, -85, 62), (0, 0, 10), 60),
    "stack": (stack, (-75, -300, 220), (72, 0, 50), 190),
    "gimbal": (hung, (-430, -660, 340), (0, 0, -30), 560),
}


def draw(page: Page, name: str) -> None:
    """Draw one picture, and write it as a JPEG."""
    scene, seen_from, at, reach = SCENES[name]
    parts = [{"corners": corners(solid), "colour": colour} for solid, colour in scene()]
    told = json.dumps({"parts": parts, "from": seen_from, "at": at, "reach": reach})

    def serve(route: Route) -> None:
        path = route.request.url.split("/", 3)[3]
        if path == "scene":
            route.fulfill(body=told, content_type="application/json")
        elif path.startswith("static/"):
            file = STATIC / path.removeprefix("static/")
            route.fulfill(body=file.read_bytes(), content_type="text/javascript")
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    page.route("**/*", serve)
    page.goto("http://127.0.0.1:9/")
    page.wait_for_function("document.title === 'drawn'")
    kept(name, page.screenshot(type="png"))
    page.unroute("**/*")


def kept(name: str, png: bytes) -> None:
    """Write a picture in a size that is small enough for a document."""
    whole = Image.open(BytesIO(png)).convert("RGBA")
    picture = Image.new("RGBA", whole.size, "white")
    picture.alpha_composite(whole)
    picture = picture.crop(whole.getchannel("A").getbbox()).convert("RGB")
    picture.thumbnail(SIZE, Image.Resampling.LANCZOS)
    picture.save(IMAGES / f"{name}.jpg", quality=82, optimize=True)
    sys.stdout.write(f"{name}: {(IMAGES / f'{name}.jpg').stat().st_size} bytes\n")


def main() -> None:
    """Draw all pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which(sys.argv[1]),
            args=["--no-sandbox", "--enable-unsafe-swiftshader"],
        )
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        for name in SCENES:
            draw(page, name)
        browser.close()
    if len(sys.argv) > 2:
        built = Path(sys.argv[2])
        for name, file in (
            ("carrier", "plate-10/carrier.png"),
            ("row-board", "plate-10/row-east.png"),
            ("buttons", "matrix-gpio/buttons.png"),
        ):
            kept(name, (built / file).read_bytes())


if __name__ == "__main__":
    main()
