"""Tests of firmware_host/web/assets.py: the page as an app: installed, compressed, opened where
the table is away, and its pictures.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.web.assets import bundle

pytestmark = pytest.mark.web

COLOURS = """async ([png, spots]) => {
  const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen.drawImage(image, 0, 0);
  return spots.map(([x, y]) =>
    [...pen.getImageData(x * image.width, y * image.height, 1, 1).data].slice(0, 3));
}"""
FILES_KEPT = """async () => {
  await navigator.serviceWorker.ready;
  const [name] = await caches.keys();
  return (await (await caches.open(name)).keys()).length;
}"""


def test_files_come_compressed_to_those_that_take_that_and_are_kept_as_such(served):
    plain = served.request("GET", "/static/main.js")
    packed = served.request("GET", "/static/main.js", accept_encoding="br, gzip;q=0.8")
    assert packed[1]["content-encoding"] == "gzip"
    assert "content-encoding" not in plain[1]
    assert gzip.decompress(packed[2]) == plain[2]
    assert len(packed[2]) < 0.5 * len(plain[2])
    assert packed[1]["etag"] != plain[1]["etag"]
    again = served.request(
        "GET", "/static/main.js", accept_encoding="gzip", if_none_match=packed[1]["etag"]
    )
    assert (again[0], again[2]) == (304, b"")


def test_the_page_opens_with_a_few_requests(at_rest, open_page):
    """On a slow network each takes its time, and modules are asked for one after the other."""
    page = open_page(at_rest.url, fresh=True).page
    asked = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(at_rest.url)))
    page.reload()
    expect(page.locator(".felt")).to_be_visible()
    files = {path for path in asked if path.startswith("static/")}
    fonts = ("figtree-latin.woff2", "fraunces-latin.woff2")
    own = ("page.css", "theme.js", "main.js", "icon.svg")
    assert files == {f"static/{name}" for name in (*own, *fonts)}
    assert len(asked) <= 11, " ".join(asked)  # the last one is for the seats


FAR = "const own = 2;\nexport const far = own;\nexport async function later() {}\n"
NEAR = """import { far } from "/static/far.js";
const own = 40;
export class Near { at = own + far; }
"""
MAIN = """import { Near } from "/static/near.js";
import {
  far, later,
} from "/static/far.js";
await later();
window.told = [new Near().at, far];
"""


def test_modules_with_the_same_names_inside_are_one_script(browser):
    script = bundle({"main.js": MAIN, "near.js": NEAR, "far.js": FAR}, "main.js")
    with browser.new_page() as page:
        page.add_script_tag(content=script, type="module")
        page.wait_for_function("() => window.told")
        assert page.evaluate("told") == [42, 2]


@pytest.mark.parametrize(
    ("far", "why"),
    [
        (
            'import { Near } from "/static/near.js";\n' + FAR,
            "near.js -> far.js -> near.js: a circle",
        ),
        ("export const near = 2;\n", "near.js: far.js does not export far"),
        ("const far = 2;\nexport { far };\n", "far.js: export { far };"),
    ],
)
def test_what_cannot_be_one_script_is_refused(far, why):
    with pytest.raises(ValueError, match=f"^{re.escape(why)}"):
        bundle({"main.js": NEAR, "near.js": NEAR, "far.js": far}, "near.js")


def test_it_can_be_installed(served):
    _, headers, page = served.request("GET", "/")
    assert b'rel="manifest"' in page
    assert "manifest-src 'self'" in headers["content-security-policy"]
    status, headers, body = served.request("GET", "/static/manifest.webmanifest")
    assert (status, headers["content-type"]) == (200, "application/manifest+json")
    told = json.loads(body)
    assert (told["start_url"], told["display"]) == ("/", "standalone")
    for icon in told["icons"]:
        assert served.request("GET", icon["src"])[0] == 200


def test_it_opens_where_the_table_is_away_and_says_so(served, open_page):
    player = open_page(served.url, service_workers="allow")
    page = player.page
    player.expect_turn("red")
    assert page.evaluate(FILES_KEPT) == 10  # the page, its words, and what it names
    served.lose()
    page.reload()
    expect(page.locator(".link-lost")).to_be_visible()
    served.come_back()
    player.expect_turn("red")


def test_a_picture_of_the_position_shows_its_pieces(served, open_page):
    served.new_game(pie=False)
    served.put("red", "d4")
    served.put("blue", "a1")
    player = open_page(served.url)
    player.expect_turn("red")
    with player.page.expect_download() as made:
        player.page.get_by_role("button", name="Picture", exact=True).click()
    assert made.value.suggested_filename == "tiltboard-momentum-2.png"
    drawn = base64.b64encode(Path(made.value.path()).read_bytes()).decode()
    edge = 17.5 + 15.0  # from the middle of an outer place to what is drawn, in mm
    beside = 8.0  # off a marble's mark
    spots = [(edge + step * 35 + beside) / (6 * 35 + 2 * edge) for step in range(7)]
    wanted = {"d4": (spots[3], spots[3]), "a1": (spots[0], spots[6]), "g7": (spots[6], spots[0])}
    red, blue, free = player.page.evaluate(COLOURS, [drawn, list(wanted.values())])
    assert red[0] > 2 * red[2]
    assert blue[2] > 2 * blue[0]
    assert max(free) < 100


def test_a_picture_of_gravity_trap_has_its_hole(served, open_page):
    """It is black in the middle of the plate, where no base is."""
    served.tell(type="game", game="gravity-trap", options={})
    player = open_page(served.url)
    player.expect_turn("red")
    with player.page.expect_download() as made:
        player.page.get_by_role("button", name="Picture", exact=True).click()
    drawn = base64.b64encode(Path(made.value.path()).read_bytes()).decode()
    (middle,) = player.page.evaluate(COLOURS, [drawn, [(0.5, 0.5)]])
    assert max(middle) < 20
