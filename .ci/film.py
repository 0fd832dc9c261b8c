"""Records a short film of a game from the page: ``make film`` writes docs/images/film.webp.

Two bots play Momentum on the simulated table. A picture is stored after each change of the page, so
that the film does not show the bots' thinking time.
"""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import Page, sync_playwright

FILM = Path(__file__).resolve().parent.parent / "docs/images/film.webp"
PORT = 8797
SEEN = {"width": 1280, "height": 800}
SIZE = (800, 500)
SECONDS = 26
FRAME_MS = 160
LAST_MS = 2500
QUALITY = 60
MAX_BYTES = 1_000_000


@contextmanager
def table() -> Iterator[None]:
    """Serve a simulated table with a game between two bots."""
    with tempfile.TemporaryDirectory() as state:
        command = [Path(sys.executable).with_name("tiltboard"), "sim", "--state", state]
        running = subprocess.Popen([*command, "--port", str(PORT)])  # noqa: S603
        try:
            begin()
            yield
        finally:
            running.terminate()
            running.wait()


def begin() -> None:
    """Start the game when the table answers."""
    players = {"red": {"level": 6}, "blue": {"level": 6}}
    body = json.dumps({"type": "game", "game": "momentum", "engines": players})
    until = time.monotonic() + 60
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
            connection.request(
                "POST", "/api/v1/command", body, {"content-type": "application/json"}
            )
            connection.getresponse().read()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def frames(page: Page) -> Iterator[Image.Image]:
    """Yield a picture of the page after each change."""
    last: Image.Image | None = None
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        shot = Image.open(BytesIO(page.screenshot(type="png"))).convert("RGB")
        frame = shot.resize(SIZE, Image.Resampling.LANCZOS)
        if last is None or ImageChops.difference(frame, last).getbbox():
            yield frame
        last = frame


def main() -> None:
    """Let the bots play, take pictures, and write the film."""
    with table(), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which(sys.argv[1]),
            args=["--no-sandbox", "--enable-unsafe-swiftshader"],
        )
        page = browser.new_page(viewport=SEEN)
        page.goto(f"http://127.0.0.1:{PORT}/")
        page.get_by_role("button", name="Set it up for me", exact=True).or_(
            page.locator(".move").first
        ).first.wait_for()
        first, *rest = frames(page)
        browser.close()
    times = [FRAME_MS] * len(rest) + [LAST_MS]
    first.save(FILM, save_all=True, append_images=rest, duration=times, loop=0, quality=QUALITY,
               method=6)  # fmt: skip
    sys.stdout.write(f"{FILM.name}: {len(times)} pictures, {FILM.stat().st_size} bytes\n")
    if FILM.stat().st_size > MAX_BYTES:
        raise SystemExit(f"{FILM.name} is larger than {MAX_BYTES} bytes: make it shorter")


if __name__ == "__main__":
    main()
