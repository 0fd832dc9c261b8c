"""Tests of firmware_host/web/static/playground.js: the playground: a tower is built by mouse
until it falls, and the host sees what happens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

pytest.importorskip("mujoco")

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.table.commands import NewGame, SeatMove, SetFreePlay
from tiltboard.firmware_host.table.hands import Drop, Tilt
from tiltboard.firmware_host.table.sight import Happening
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session.live import LiveTable
from tiltboard.hw_sim.world.world import World

pytestmark = pytest.mark.web

SMALL = {"width": 900, "height": 620}  # a processor draws every pixel here
E5 = 44
RADIUS_MM, HEIGHT_MM, CARRIED_MM = 14.0, 15.0, 24.0
STANDS_MM = 3.0  # so much lower than its height a body's middle may be
NEAR_MM = (
    12.0  # of the place's middle: docs/add-a-board.md asks for 5 to be read, further off it may be
)
PLATE_MM, AROUND_MM, LOW_MM, SURFACE_MM, HIGH_MM = 380.0, 5.0, 8.0, 20.0, 70.0
PITCH, SLOPE = 0.95, 0.24  # how far down the eye looks, and how wide (space.js)


class Truth:
    """What really stands on the plate, scan by scan, and what the host said then."""

    def __init__(self, live: LiveTable, clock: Any) -> None:
        self._passes = clock.step
        self.world: World = live._session.table.world
        self.clock = live._session.clock
        self.wrong: list[str] = []
        self.seen: list[Happening] = []
        self.was: list[dict[int, tuple[float, ...]]] = []

    def step(self, host: Any) -> None:
        poses = self.world.poses(self.clock.now())
        self._passes(host, poses)
        self.was = [*self.was[-50:], poses]
        for event in host.sight.events:
            self.seen.append(event.happening)
            if event.happening in (Happening.PLACED, Happening.REPLACED) and not any(
                self.stands(poses, host.overlay.index_of(event.places[0]), event.pieces[0])
                for poses in self.was
            ):
                self.wrong.append(f"{event}")

    def stands(self, poses: Any, index: int, label: str | None = None) -> bool:
        """Whether one of them stands about there, on the plate."""
        x, y = self.world.profile.centre_mm(index)
        return any(
            math.hypot(pose[0] - x, pose[1] - y) < NEAR_MM
            and pose[2] < HEIGHT_MM / 2 + STANDS_MM
            and 1 - 2 * (pose[4] ** 2 + pose[5] ** 2) > 0.95
            and label in (None, self.world.pieces[number].label)
            for number, pose in poses.items()
            if number in self.world.pieces
        )

    def stands_at(self, place: str, piece: str) -> bool:
        return self.stands(self.was[-1], self.world.profile.places.index(place), piece)

    def holds(self, x: float, y: float, least_mm: float) -> bool:
        """Whether a hand has a piece over there."""
        poses = self.was[-1] if self.was else {}
        return any(
            math.dist(poses[number][:2], (x, y)) < 2.0 and poses[number][2] > least_mm
            for number, piece in [*self.world.pieces.items()]
            if piece.held and number in poses
        )

    def rests(self) -> bool:
        """Nobody holds anything, and nothing moves."""
        held = any(piece.held for piece in [*self.world.pieces.values()])
        return not held and self.world._dynamics.asleep

    def highest_mm(self) -> float:
        return max(
            (p.here[2] + HEIGHT_MM for p in [*self.world.pieces.values()] if not p.held),
            default=0.0,
        )


@pytest.fixture
def falling(tmp_path: Path, faster_clock: Any) -> Iterator[tuple[Any, Truth]]:
    """A table with physics, and what really happens on it."""
    profile, physics = load_profile("plate-10"), world_class(physics=True)
    live = LiveTable(profile, tmp_path, Settings(), world=physics, real=faster_clock)
    truth = Truth(live, faster_clock)
    live.table.on_step = truth.step
    live.table.start()
    try:
        yield live.table, truth
    finally:
        live.table.stop()


def screen(page: Any, x: float, y: float, z: float) -> tuple[float, float]:
    """Where a point over the level plate is on the screen, by the rules of perspective: the eye
    looks down in the south, and what it must see touches the picture's edges.
    """
    box = page.locator("canvas.space").bounding_box()
    aspect = box["width"] / box["height"]
    down, flat = math.sin(PITCH), math.cos(PITCH)

    def seen(x: float, y: float, z: float) -> tuple[float, float, float]:
        """To the right, upward and toward an eye in the plate's pivot."""
        return x, y * down + z * flat, z * down - y * flat

    wide = PLATE_MM / 2 + AROUND_MM
    corners = [seen(*at) for at in product((-wide, wide), (-wide, wide), (LOW_MM, HIGH_MM))]
    over = max(up + SLOPE * near for _, up, near in corners)
    under = max(SLOPE * near - up for _, up, near in corners)
    across = max(right / aspect + SLOPE * near for right, _, near in corners)
    away = max((over + under) / 2, across) / SLOPE
    right, up, near = seen(x, y, z + SURFACE_MM)
    scale = box["height"] / 2 / SLOPE / (away - near)
    middle = (over - under) / 2
    return (
        box["x"] + box["width"] / 2 + right * scale,
        box["y"] + box["height"] / 2 - (up - middle) * scale,
    )


def open_playground(player: Any) -> Any:
    page = player.page
    page.get_by_role("button", name="Playground", exact=True).click()
    expect(page.locator(".playground")).to_be_visible()
    expect(page.locator("canvas.space")).to_be_visible()
    return page


def test_a_tower_is_built_by_mouse_until_it_falls_and_the_host_sees_it(
    falling, serve, open_page, monkeypatch
):
    monkeypatch.setattr("tiltboard.hw_sim.hands.TIRED_S", math.inf)  # only the mouse opens the hand
    table, truth = falling
    served = serve(table)
    player = open_page(served.url, viewport=SMALL)
    page = open_playground(player)
    page.locator('.free-tray [data-piece="red"]').click()
    log = page.locator(".free-log li")
    expect(log.first).to_have_text("On e5: red marble.")
    expect(page.locator(".say-card .line")).to_have_text("On e5: red marble.")
    assert truth.seen == [Happening.PLACED]

    mouse, (x, y) = page.mouse, truth.world.profile.centre_mm(E5)
    tray = player.box(page.locator('.free-tray [data-piece="red"]'))
    built = 1
    for level in range(1, 12):
        mouse.move(tray["x"] + 20, tray["y"] + 20)
        mouse.down()
        lean = 7.0 * level  # each a little further out
        rises_mm = truth.highest_mm() + 6.0
        for away, least_mm in ((120.0, 20.0), (45.0, rises_mm), (0.0, rises_mm)):
            mouse.move(*screen(page, x + lean, y - away, CARRIED_MM))
            spot = (x + lean, y - away, least_mm)
            served.until(lambda _, spot=spot: truth.holds(*spot))  # type: ignore[misc]
        mouse.up()
        served.until(lambda _: truth.rests())
        if truth.highest_mm() < (built + 0.5) * HEIGHT_MM:
            break
        built += 1
    assert 3 <= built < 11, "it neither stood nor fell"
    assert truth.wrong == []
    served.until(
        lambda snapshot: all(truth.stands_at(*cell) for cell in snapshot.plate.cells.items())
    )
    # kept for a replay, which a press on the plate ends
    again = page.get_by_role("button", name="The last fall again", exact=True)
    expect(again).to_be_enabled()
    again.click()
    expect(page.locator("#stage[data-replay]")).to_be_visible()
    mouse.click(*screen(page, x, y, 0.0))
    expect(page.locator("#stage[data-replay]")).to_have_count(0)
    expect(again).to_be_enabled()


def test_a_fall_is_told_and_shown_from_before_the_first_slip(falling, serve, open_page):
    table, truth = falling
    served = serve(table)
    page = open_playground(open_page(served.url, viewport=SMALL))
    for place in ("c3", "e5", "g7"):
        served.do(Drop("red", place, from_mm=5.0))
    served.until(lambda snapshot: len(snapshot.plate.cells) == 3)
    served.do(Tilt(28.0, 0.0))
    served.until(lambda _: not truth.world.pieces)
    falls = page.locator(".falls")
    expect(falls.locator("strong")).to_have_text("All 3 fell off!")
    again = falls.get_by_role("button", name="The last fall again", exact=True)
    again.click()
    expect(falls.get_by_role("progressbar")).to_be_visible()
    falls.get_by_role("button", name="Skip", exact=True).click()
    expect(falls.get_by_role("progressbar")).to_be_hidden()
    expect(again).to_be_visible()


BUILT_THEN_SLIPPED = """async () => {
  const { Poses } = await import("/static/depth.js");
  const poses = new Poses();
  const level = [0, 0, 0], upright = [0, 0, 0, 1];
  const at = (t, x, z) => [t, level, { 1: [x, 0, z, ...upright], 2: [50, 0, 7, ...upright] }, []];
  const frames = [at(1, 0, 60)];
  for (let t = 1.02; t < 1.3; t += 0.02) frames.push(at(t, 0, 60 - 190 * (t - 1))); // put down
  frames.push(at(1.3, 0, 7), at(4, 0, 7)); // and rests
  for (let t = 4.02; t < 5; t += 0.02) frames.push(at(t, 80 * (t - 4), 7)); // slips
  for (let t = 5; t < 5.2; t += 0.02) frames.push(at(t, 80, 7 - 900 * (t - 5))); // off the edge
  frames.push([5.3, level, {}, [1]], [6.5, level, {}, []]);
  poses.take(frames);
  const { start, off, over, all } = poses.clip;
  return { start: Math.round(start * 100) / 100, off, over, all };
}"""


def test_a_fall_is_kept_from_before_the_first_slip_and_without_what_was_built(served, open_page):
    page = open_page(served.url).page
    assert page.evaluate(BUILT_THEN_SLIPPED) == {"start": 3.3, "off": 1, "over": 0, "all": 2}


def test_a_piece_that_is_torn_away_slips_out_of_chopsticks(falling, serve, open_page):
    table, truth = falling
    served = serve(table)
    player = open_page(served.url, viewport=SMALL)
    page = open_playground(player)
    page.get_by_label("With chopsticks", exact=True).check()
    x, y = truth.world.profile.centre_mm(E5)
    tray = player.box(page.locator('.free-tray [data-piece="red"]'))
    mouse = page.mouse
    mouse.move(tray["x"] + 20, tray["y"] + 20)
    mouse.down()
    for north in range(-60, 1, 15):  # with care
        mouse.move(*screen(page, x, y + north, CARRIED_MM))
        served.until(lambda _, north=north: truth.holds(x, y + north, 20.0))  # type: ignore[misc]
    mouse.move(*screen(page, x, y + 130.0, CARRIED_MM))  # at once
    served.until(lambda _: truth.rests())
    mouse.up()
    player.expect_no_toast()
    lies = [piece.here for piece in [*truth.world.pieces.values()]]
    assert not any(math.dist(here[:2], (x, y + 130.0)) < NEAR_MM for here in lies)


def test_the_mouse_tilts_the_plate_and_what_stands_on_it_slides_off(falling, serve, open_page):
    table, truth = falling
    served = serve(table)
    page = open_playground(open_page(served.url, viewport=SMALL))
    page.locator('.free-tray [data-piece="blue"]').click()
    served.until(lambda snapshot: snapshot.plate.cells == {"e5": "blue"})
    start = screen(page, -120.0, -120.0, 0.0)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 200, start[1], steps=6)  # the east side goes down
    served.until(lambda snapshot: snapshot.plate.tilt_deg[1] > 25.0)
    served.until(lambda snapshot: not snapshot.plate.pieces)
    page.mouse.up()
    served.until(
        lambda snapshot: abs(snapshot.plate.tilt_deg[1]) < 0.5 and not snapshot.plate.cells
    )
    assert truth.wrong == []
    log = page.locator(".free-log li")
    expect(log.last).to_have_attribute("data-happening", "placed")
    expect(log.and_(page.locator('[data-happening="tilted"]'))).not_to_have_count(0)


def test_the_arrow_keys_tilt_wherever_a_press_has_left_the_focus(falling, serve, open_page):
    served = serve(falling[0])
    page = open_playground(open_page(served.url, viewport=SMALL))
    page.get_by_role("button", name="Bump the table").click()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    served.until(lambda snapshot: snapshot.plate.tilt_deg[1] > 6.0)
    page.keyboard.press("Home")
    served.until(lambda snapshot: abs(snapshot.plate.tilt_deg[1]) < 0.5)


def test_a_piece_of_gravity_warfare_is_placed_by_mouse_and_counts(falling, serve, open_page):
    table, truth = falling
    served = serve(table)
    served.do(NewGame("gravity-warfare", {"players": 2, "seed": 1}))
    served.until(lambda snapshot: snapshot.seats is not None)
    for move in ("chance", "chance", "blue:pass", "red:pass"):
        served.do(SeatMove(None if move == "chance" else move.split(":")[0], move))
    served.until(lambda snapshot: snapshot.seats.public["turn"]["zone"] is not None)
    turn = table.latest().seats.public["turn"]
    player = open_page(served.url, room=True, viewport=SMALL)
    page = player.page
    expect(page.locator("canvas.space")).to_be_visible()  # as the page opens
    zone = "1" if turn["zone"] == "any" else turn["zone"]
    kind = "tank" if turn["troop"][0] == "any" else turn["troop"][0]
    angle = math.pi / 2 - (int(zone) - 1) * math.pi / 4  # the first in the north, then clockwise
    # a place of the plate about there: between them sensors see less
    x, y = (35.0 * math.floor(100.0 * of(angle) / 35.0) + 17.5 for of in (math.cos, math.sin))
    # what stands there when the table looks first has always stood there
    served.until(lambda _: table._host.session.seat_referee._state.evidence.before is not None)
    tray = player.box(page.locator(f'.free-hands [data-piece="red-{kind}"]'))
    page.mouse.move(tray["x"] + 20, tray["y"] + 20)
    page.mouse.down()
    page.mouse.move(*screen(page, x, y, CARRIED_MM), steps=3)
    served.until(lambda _: truth.holds(x, y, 20.0))
    page.mouse.up()
    served.until(lambda snapshot: any("place:ok" in move for move in snapshot.game.moves))
    [piece] = table.latest().plate.pieces
    assert piece.piece == f"red-{kind}"
    assert table.latest().game.moves[-1].endswith(f":{piece.piece}:{zone}")


def test_on_a_phone_what_shows_a_fall_again_hides_no_place(falling, serve, open_page):
    table, _ = falling
    served = serve(table)
    page = open_playground(open_page(served.url, viewport={"width": 360, "height": 740}))
    page.locator('.free-tray [data-piece="red"]').click()
    again = page.get_by_role("button", name="The last fall again")
    expect(again).to_be_visible()
    over = page.evaluate(
        """() => [...document.querySelectorAll(".surface [data-name]")].filter((place) => {
          const at = place.getBoundingClientRect(), low = at.top + at.height / 2;
          return low > document.querySelector(".falls .row").getBoundingClientRect().top;
        }).length"""
    )
    assert over == 0


def test_the_game_waits_and_comes_back(falling, serve, open_page):
    table, _ = falling
    served = serve(table)
    served.new_game(pie=False)
    player = open_page(served.url, viewport=SMALL)
    served.play("d4")
    page = open_playground(player)
    served.do(Drop("blue", "f6"))
    served.until(lambda snapshot: snapshot.plate.cells.get("f6") == "blue")
    assert table.latest().guidance.phase == "free"
    assert table.latest().game.moves == ["d4"]
    expect(page.locator(".free-motion output").nth(2)).to_have_text(re.compile(r"9\.\d\d"))
    page.get_by_role("button", name="Leave", exact=True).click()
    expect(page.locator(".playground")).to_be_hidden()
    player.expect_turn("blue")
    served.until(lambda snapshot: snapshot.plate.cells == {"d4": "red"})  # nothing is left of it
    assert table.latest().game.moves == ["d4"]


def test_poses_are_sent_only_while_somebody_looks(falling, serve, open_page):
    table, _ = falling
    served = serve(table)
    page = open_page(served.url, viewport=SMALL).page
    frames: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))),
    )
    page.reload()
    expect(page.locator(".felt")).to_be_visible()
    sent: Callable[[], int] = lambda: sum('"type":"poses"' in frame for frame in frames)  # noqa: E731
    served.do(Drop("red", "e5"))
    assert sent() == 0
    served.do(SetFreePlay())
    expect(page.locator(".playground")).to_be_visible()
    served.do(Drop("red", "g7"))
    expect(page.locator(".free-log li").first).to_have_text("On g7: red marble.")
    assert sent() > 0


def test_who_begins_to_look_is_not_shown_what_lay_there_before(falling, serve):
    """Else a page takes for fallen what was taken off meanwhile."""
    table, _ = falling
    served = serve(table)
    leave = table.watch("poses")
    served.do(Drop("red", "e5"))
    served.until(lambda _: bool(table.poses() and table.poses()[-1][1].pieces))
    leave()
    served.tell(type="take", what="e5")
    served.until(lambda snapshot: not snapshot.plate.pieces)
    leave = table.watch("poses")
    served.until(lambda _: bool(table.poses()))
    assert [frame.pieces for _, frame in table.poses()] == [{}]
    leave()
