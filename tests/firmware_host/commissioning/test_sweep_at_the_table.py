"""Tests of firmware_host/host/modes.py, firmware_host/commissioning/placing.py and
hw_sim/session/simulated_builder.py: a sweep while the service runs: the game waits, and nothing of
it is lost.
"""

from __future__ import annotations

import pytest

from tests.unhurried import unhurried
from tiltboard.drivers.attitude import Mounting
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.perception.calibration import read_calibration
from tiltboard.firmware_host.service.publish import health_answer
from tiltboard.firmware_host.table.commands import AnswerSweep, Calibrate, NewGame, StopCalibration
from tiltboard.firmware_host.web.requests import parse
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.simulated_builder import Maker


@pytest.fixture
def session(tmp_path):
    """A table of 5 x 5 switches in the middle of a game."""
    with SimSession(unhurried("matrix-gpio"), tmp_path) as made:
        made.host.do(NewGame("momentum", usual_options(MOMENTUM, made.profile)))
        made.run_until(made.clock.now() + 3)
        made.table.hands.put("red", made.host.overlay.index_of("c3"))
        made.run_until(made.clock.now() + 4)
        assert made.host.status.moves == ("c3",)
        yield made


def clear(session):
    session.table.hands.take(session.host.overlay.index_of("c3"))
    session.run_until(session.clock.now() + 1)


def follow(session, maker, until=lambda host: False):
    end_s = session.clock.now() + 200
    while session.host.modes.sweep is not None and not until(session.host):
        answer = maker.follow(session.host.modes.sweep.step)
        if answer is not None:
            session.host.do(AnswerSweep(answer))
        session.tick()
        assert session.clock.now() < end_s, session.host.shown.say


def placed(count):
    """Until so many places have answered."""
    return lambda host: len(host.modes.sweep.progress.own_mt) == count


def test_the_game_waits_and_goes_on(session, tmp_path):
    host = session.host
    before = host.journal.games()
    host.do(Calibrate("places"))
    session.tick()
    assert "Sweep, 0 of" in str(host.shown.say)
    session.run_until(session.clock.now() + 4)
    # The piece of the game still stands: said by place, with a light on it.
    assert "c3 reads" in str(host.shown.say)
    assert dict(host.shown.roles) == {"c3": "wrong"}
    clear(session)
    hand = Maker(session.table, 1)
    follow(session, hand, placed(3))
    host.do(StopCalibration())
    assert host.modes.asked is None
    host.do(Calibrate())  # goes on: the next is not the first place again
    follow(session, hand)
    assert host.modes.sweep is None
    stored = read_calibration(tmp_path / "calibration.json", session.profile)
    assert stored.made_s > 0
    assert all(stored.zeroed)
    # The very game, one move old: the table asks for the piece that was taken off.
    session.run_until(session.clock.now() + 3)
    assert host.status.moves == ("c3",)
    assert host.journal.games() == before
    assert dict(host.status.roles)["c3"] == "put"
    session.kill()
    assert session.host.status.moves == ("c3",)


def test_that_it_is_done_is_said_before_the_game_goes_on(session, tmp_path):
    host = session.host

    def done(host):
        return "The sweep is done. See its results under Sensors." in str(host.shown.say)

    for hurried in (False, True):
        host.do(Calibrate("buttons"))
        follow(session, Maker(session.table, 1), done)
        assert done(host)
        if hurried:
            host.do(StopCalibration())
        (tmp_path / "sweep.json").unlink()
        session.tick()
        assert done(host) is not hurried
        session.run_until(session.clock.now() + 8)
        assert host.modes.sweep is host.modes.asked is None
        assert host.status.moves == ("c3",)
        assert not (tmp_path / "sweep.json").exists()  # it was written once, not scan after scan


def test_it_goes_on_after_a_kill_and_a_power_cut(session):
    """Nothing that was accepted is lost; the host says how much is done, and goes on there."""
    host = session.host
    clear(session)
    assert host.modes.left is None
    host.do(Calibrate())
    hand = Maker(session.table, 1)
    follow(session, hand, placed(5))
    trays = session.table.world.trays
    session.kill()
    session.table.world.trays = trays
    assert session.host.modes.sweep is None
    assert session.host.modes.left == (9, 54)  # lights, buttons, buzzer, and the places
    session.host.do(Calibrate())
    follow(session, hand, placed(8))
    session.power_cut()
    assert session.host.modes.left == (12, 54)
    session.host.do(Calibrate(fresh=True))
    session.run_until(session.clock.now() + 0.1)
    assert "0 of" in str(session.host.shown.say)


def test_a_broken_sensor_is_left_out_and_the_game_goes_on_without_it(session, tmp_path):
    host = session.host
    clear(session)
    broken = session.profile.places.index("d2")
    session.table.faults.inject("sensor-dead", ["d2"])
    host.do(Calibrate("places"))
    trays = dict(session.table.world.trays)
    hand = Maker(session.table, 1)

    def offered(host):
        choices = host.modes.sweep.step.choices
        return [(c.value, c.label.params) for c in choices] == [("leave-out", {"place": "d2"})]

    follow(session, hand, offered)
    session.table.hands.press("confirm", 0.2)
    session.run_until(session.clock.now() + 1.0)
    assert host.modes.sweep.step.total == 49  # not twice 25 places and the empty plate
    follow(session, hand)
    stored = read_calibration(tmp_path / "calibration.json", session.profile)
    assert stored.failed == ((broken, "left-out"),)
    # The page says what a terminal would.
    [wrong] = map(str, health_answer(host).wiring)
    assert wrong.startswith("d2 ")
    assert "With a multimeter, at GPIO" in wrong
    hands, session.table.world.trays = session.table.hands, trays
    if hand.holds is not None:
        hands.take(hand.holds)
        session.run_until(session.clock.now() + 1)
    hands.put("red", host.overlay.index_of("c3"))
    session.run_until(session.clock.now() + 4)
    assert host.look.observation.faulty == {broken: "left-out"}
    assert host.status.phase.value == "turn"
    # It works again, but nobody has measured it: it stays unread, over a restart too.
    session.table.faults.heal("sensor-dead", ["d2"])
    session.kill()
    session.run_until(session.clock.now() + 5)
    assert session.host.look.observation.faulty == {broken: "left-out"}
    session.host.do(Calibrate("d2"))
    session.run_until(session.clock.now() + 0.5)
    assert session.host.modes.sweep.step.total == 51


def test_a_place_is_done_again_at_once(session):
    host = session.host
    clear(session)
    host.do(Calibrate())
    hand = Maker(session.table, 1)
    follow(session, hand, placed(5))
    host.do(Calibrate("b1"))
    session.tick()
    assert "two seconds" in str(host.shown.say)  # the empty plate first
    follow(session, hand, lambda host: host.modes.sweep.step.stage == "places")
    assert "b1" in str(host.shown.say)
    follow(session, hand, placed(6))
    host.do(StopCalibration())


def test_a_tilt_sensor_that_lies_otherwise_is_said_and_works_after_calibration(tmp_path):
    profile = unhurried("plate-7")
    orientation = Mounting("-x", "+y", "-z")
    with SimSession(profile, tmp_path) as made:
        made.table.imu_orientation = orientation
        made.run_until(made.clock.now() + 4)
        assert made.host.status.phase == "paused"
        assert "run the sweep" in str(made.host.status.say)
        made.host.do(Calibrate("edges"))
        follow(made, Maker(made.table, 1))
        made.run_until(made.clock.now() + 4)
        assert made.host.status.phase == "turn"
        made.hands.tilt(0.1, 0.0)
        made.run_until(made.clock.now() + 2)
        assert made.host.status.phase == "paused"
        assert made.host.look.observation.tilt_rad == pytest.approx((0.1, 0.0), abs=0.01)
        made.hands.tilt(0.0, 0.0)
        made.run_until(made.clock.now() + 2)
        made.power_cut()  # and it is known at the next start
        made.run_until(made.clock.now() + 4)
        assert made.host.status.phase == "turn"


def test_what_cannot_be_is_said(session):
    with pytest.raises(NotPossibleError, match="no place"):
        session.host.do(Calibrate("z9"))
    with pytest.raises(NotPossibleError, match="not been measured"):
        session.host.do(Calibrate("a1"))
    assert session.host.modes.sweep is None


def test_the_page_may_ask_for_it():
    words = ('{"type": "calibrate", "again": "a1"}', '{"type": "stop-calibration", "ref": 3}')
    assert [parse(each) for each in words] == [(0, Calibrate("a1")), (3, StopCalibration())]
