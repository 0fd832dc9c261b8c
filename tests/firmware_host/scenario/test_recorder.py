"""Tests of firmware_host/scenario/trace.py: what is recorded while the table is played on,
played again: the same moves as in the journal.
"""

from __future__ import annotations

import gzip
import json
import math
from itertools import pairwise

import msgspec
import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import TraceError
from tiltboard.firmware_host.config.files import JOURNAL_NAME
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.scenario import trace as recorder
from tiltboard.firmware_host.scenario.trace import KEPT, Recorder, Seen, read_trace, rerun
from tiltboard.firmware_host.table.commands import (
    Calibrate,
    NewGame,
    StopCalibration,
    Swap,
    TakeBack,
)
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import LiveTable

PROFILE = "plate-7"  # no noise: its traces are short


class Play:
    """A session that is recorded."""

    def __init__(self, session, path):
        self.session = session
        self.recorder = Recorder(path)
        self.recorder.record(session.host)

    def run(self, duration_s):
        end_s = self.session.clock.now() + duration_s
        while self.session.clock.now() < end_s:
            self.session.wait()
            self.session.host.step()
            self.recorder.record(self.session.host)

    def new_game(self, **options):
        fits = usual_options(MOMENTUM, self.session.profile)
        self.session.host.do(NewGame("momentum", {**fits, "pie": False, **options}))
        self.session.hands.set_up({})
        self.run(3)

    def put(self, piece, place):
        action = self.session.hands.put(piece, self.session.host.overlay.index_of(place))
        self.run(action.end_s - self.session.clock.now() + 1)

    def take(self, place):
        action = self.session.hands.take(self.session.host.overlay.index_of(place))
        self.run(action.end_s - self.session.clock.now() + 0.5)

    @property
    def moves(self):
        return self.session.host.status.moves


@pytest.fixture
def play(tmp_path):
    (tmp_path / "state").mkdir()
    with SimSession(load_profile(PROFILE), tmp_path / "state") as session:
        playing = Play(session, tmp_path / "live.trace")
        yield playing
        playing.recorder.close()


def moves_again(path):
    trace = read_trace(path)
    assert trace.complete
    *_, last = rerun(trace, load_profile(trace.header.layout[0]))
    return trace.header.moves, last.status.moves


def test_a_game_with_a_takeback_and_a_swap_comes_out_again(play, tmp_path):
    play.new_game(pie=True)
    play.put("red", "d4")
    play.session.host.do(Swap())
    play.run(1)
    play.take("d4")
    play.put("blue", "d4")  # as the swap asks for
    assert play.moves == ("d4", "swap")
    play.put("red", "b2")
    play.session.host.do(TakeBack())
    play.run(1)
    play.take("b2")
    play.run(1)
    play.put("red", "g7")
    play.recorder.close()
    with JournalReader.open_read_only(tmp_path / "state" / JOURNAL_NAME) as journal:
        confirmed = journal.load(play.session.host.status.game_id).moves
    assert confirmed == ("d4", "swap", "g7")
    assert moves_again(tmp_path / "live.trace") == ([], confirmed)


def test_with_physics_tilting_comes_out_again_scan_by_scan_and_byte_by_byte(tmp_path):
    pytest.importorskip("mujoco")

    def recorded(folder):
        folder.mkdir()
        table, kind = load_profile("plate-10"), world_class(physics=True)
        with SimSession(table, folder, world=kind) as session:
            session.host.do(NewGame("gravity-connect", {"size": 5, "line": 3}))
            session.tick()
            session.kill()  # so that the recording begins with the first scan of a start
            play, told = Play(session, folder / "live.trace"), []
            record = play.recorder.record
            play.recorder.record = lambda host: (told.append(as_told(host)), record(host))
            told.append(as_told(session.host))
            play.run(2)
            play.put("red", "E3")
            for y_deg in (-5.0, -11.0, 0.0):
                action = session.hands.tilt(0.0, math.radians(y_deg))
                play.run(action.end_s - session.clock.now() + 1.5)
            assert play.moves == ("8",)
            play.recorder.close()
        return folder / "live.trace", told

    def as_told(host):
        return told_again(Seen(host.look.observation, host.status))

    def told_again(seen):
        said = seen.status
        return msgspec.json.encode((seen.observation, said.moves, said.phase, str(said.say)))

    (one, told), (other, same) = recorded(tmp_path / "one"), recorded(tmp_path / "other")
    assert gzip.decompress(one.read_bytes()) == gzip.decompress(other.read_bytes())
    assert told == same
    again = [told_again(seen) for seen in rerun(read_trace(one), load_profile("plate-10"))]
    assert len(again) == len(told) > 300
    assert again == told
    assert any(b"The red tile is on A3: level the plate" in each for each in again)


def test_the_command_prints_moves_takebacks_and_sentences(play, tmp_path):
    play.new_game()
    play.put("red", "d4")
    play.put("blue", "b2")
    play.session.host.do(TakeBack())
    play.run(1)
    play.take("b2")
    play.run(1)
    play.recorder.close()
    path = str(tmp_path / "live.trace")
    told = CliRunner().invoke(cli, ["replay", path, "--json"])
    events = [json.loads(line) for line in told.output.splitlines()]
    what = [(e["event"], e["move"]) for e in events if "move" in e]
    assert what == [("move", "d4"), ("move", "b2"), ("takeback", "b2")]
    said = [e["say"] for e in events if e.get("event") == "say"]
    assert said[-1] == str(play.session.host.status.say)
    assert said[-1] != said[0]
    assert events[-1]["moves"] == ["d4"]
    shown = CliRunner().invoke(cli, ["replay", path]).output
    assert "  takeback   b2\n" in shown
    assert "moves: d4\n" in shown


def test_another_game_and_a_calibration_begin_another_file_and_so_many_are_kept(play, tmp_path):
    for _ in range(KEPT + 2):
        play.new_game()
        play.put("red", "d4")
    play.session.host.do(Calibrate())
    play.run(0.5)
    play.session.host.do(StopCalibration())
    play.run(0.5)
    play.recorder.close()
    files = sorted(path.name for path in tmp_path.glob("live.trace*"))
    assert files == ["live.trace", *(f"live.trace.{n}" for n in range(1, KEPT + 1))]
    assert moves_again(tmp_path / "live.trace") == (["d4"], ("d4",))  # after the calibration
    assert moves_again(tmp_path / "live.trace.1") == ([], ("d4",))


def test_a_long_game_goes_on_in_another_file_once_nobody_acts(play, tmp_path, monkeypatch):
    play.new_game()
    monkeypatch.setattr(recorder, "PART_S", 4.0)
    play.put("red", "d4")
    play.run(4)
    play.put("blue", "b2")
    play.run(4)
    play.put("red", "g7")
    play.recorder.close()
    parts = [tmp_path / f"live.trace.{n}" for n in range(KEPT, 0, -1)]
    parts = [path for path in parts if path.exists()] + [tmp_path / "live.trace"]
    assert len(parts) > 2
    played = [moves_again(path) for path in parts]
    for (_, after), (before, _) in pairwise(played):
        assert tuple(before) == after  # none is lost between two files
    assert played[-1][1] == play.moves == ("d4", "b2", "g7")


def test_a_file_that_is_no_trace_is_left_alone_and_a_trace_is_kept_as_the_older_one(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("notes")
    with pytest.raises(TraceError, match="exists and is no trace"):
        Recorder(path)
    assert path.read_text() == "notes"


def test_a_disk_that_takes_nothing_ends_the_recording_and_nothing_else(play, tmp_path, caplog):
    writer = Recorder(tmp_path / "missing" / "live.trace")
    writer.record(play.session.host)
    writer.close()
    assert writer.failed
    assert "The recording ends" in caplog.text
    writer.record(play.session.host)  # no error, no more work


def test_a_disk_that_does_not_keep_up_ends_the_recording(play, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(recorder, "BEHIND", 3)
    monkeypatch.setattr(Recorder, "_run", lambda _: None)
    slow = Recorder(tmp_path / "slow.trace")
    for _ in range(10):
        slow.record(play.session.host)
    assert slow.failed
    assert slow._queue.qsize() <= 5
    assert caplog.text.count("does not keep up") == 1


def test_the_live_table_is_recorded_from_its_first_scan_on(tmp_path):
    clock = VirtualClock()
    (tmp_path / "state").mkdir()
    live = LiveTable(load_profile(PROFILE), tmp_path / "state", Settings(), real=clock)
    keeper = Recorder(tmp_path / "live.trace")
    live.table.on_step = keeper.record
    live.table.start()
    live.table.stop()
    keeper.close()
    trace = read_trace(tmp_path / "live.trace")
    numbers = [scan.frame.number for scan in trace.scans]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(list(rerun(trace, load_profile(PROFILE)))) == len(trace.scans)
