"""Tests of firmware_host/host/output.py: a table that nobody touches shows a game playing
itself; the first touch ends that.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.output import ENDED_S, IDLE_S, MOVE_S
from tiltboard.firmware_host.table.commands import NewGame, Resign, StartLesson, Touch
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession

SCANS_PER_S = 5  # Enough for minutes in which nothing moves but the lights.


@pytest.fixture
def session(tmp_path: Path):
    profile = replace(load_profile("plate-10"), scans_per_s=SCANS_PER_S)
    with SimSession(profile, tmp_path) as session:
        session.host.do(NewGame("momentum", {"size": 7}))
        session.run_until(session.clock.now() + 2.0)  # the empty plate is seen first
        yield session


def wait(session, seconds):
    session.run_until(session.clock.now() + seconds)


def lit(session):
    """Places whose light is on."""
    host = session.host
    shown = host.plate.shown
    colours = [shown[3 * at : 3 * at + 3] for at in host.output.light_at]
    return {
        place for place, colour in zip(host.overlay.places, colours, strict=True) if any(colour)
    }


@pytest.mark.parametrize(
    ("name", "played"),
    [
        ("momentum", {"size": 7}),
        ("gravity-trap", {}),
    ],
)
def test_a_table_left_alone_plays_by_the_rules_to_the_end_of_a_game(session, name, played):
    host = session.host
    host.do(NewGame(name, {}))
    shown = []
    for _ in range(int((IDLE_S + 75) / 0.5)):
        session.run_until(session.clock.now() + 0.5)
        scene = host.output.attract.scene
        if scene is not None and (not shown or shown[-1] is not scene):
            shown.append(scene)
            assert lit(session) == set(scene.cells)
    reached = [game_type(name).create(played).start()]
    for number, scene in enumerate(shown):
        after = [position.after(move) for position in reached for move in position.legal()]
        reached = [each for each in after if each.cells == scene.cells]
        assert reached, number
        if all(each.over for each in reached):
            break
    assert reached[0].outcome.winner is not None


def test_it_waits_a_minute_and_the_first_touch_is_a_move_as_always(session):
    wait(session, IDLE_S - 4)
    assert session.host.output.attract.scene is None
    wait(session, 8)
    assert session.host.output.attract.scene is not None
    action = session.hands.put("red", session.host.overlay.index_of("d4"))
    session.run_until(action.end_s + 0.5)
    assert session.host.output.attract.scene is None
    assert session.host.status.moves == ("d4",)
    wait(session, IDLE_S + 5)  # somebody thinks
    assert session.host.output.attract.scene is None


def test_a_page_and_a_button_end_it_too(session):
    host = session.host
    for touch in (lambda: host.submit(Touch()), lambda: session.hands.press("back", 0.5)):
        wait(session, IDLE_S + 2)
        assert host.output.attract.scene is not None
        touch()
        wait(session, 1.0)
        assert host.output.attract.scene is None
        assert len(lit(session)) == 49  # where a marble may be put


def test_how_a_game_ended_is_seen_for_longer_and_a_lesson_stays(session):
    host = session.host
    host.do(Resign(player="red"))
    wait(session, ENDED_S - 5)
    assert (host.status.phase, host.output.attract.scene) == (Phase.OVER, None)
    wait(session, 10)
    assert host.output.attract.scene is not None
    host.do(StartLesson("momentum"))
    wait(session, IDLE_S + 5 * MOVE_S)
    assert host.output.attract.scene is None
