"""Tests of firmware_host/engines/engine_pool.py, process.py and errors.py: engines that crash,
hang, cheat or talk too much are told of in one sentence, and replaced.
"""

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.players import ClockLeft, EngineSeat
from tiltboard.firmware_host.engines.engine_pool import EnginePool, EngineTask, Purpose
from tiltboard.firmware_host.engines.errors import (
    CannotPlayError,
    EngineHungError,
    EngineLostError,
    EngineMoveError,
)
from tiltboard.firmware_host.engines.process import EngineProcess
from tiltboard.games.registry import game_type
from tiltboard.ground.clock import SystemClock

FAKE = [sys.executable, str(Path(__file__).with_name("fake_engine.py"))]
ROOT = Path(__file__).parents[3]
PATIENCE_S = 60


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """The fake engine finds the games."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def room():
    """Makes a room with one engine that behaves so, and little patience where it never answers:
    elsewhere a busy machine is none of its faults.
    """
    made = []

    def make(*how):
        margin_s = 2.0 if how[0] in ("hang", "stoppable") else PATIENCE_S
        made.append(EnginePool({"fake": [*FAKE, *how]}, move_s=0.3, margin_s=margin_s))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def process():
    made = []

    def make(*how):
        made.append(EngineProcess("fake", [*FAKE, *how], SystemClock()))
        return made[-1]

    yield make
    for each in made:
        each.close()
        assert not alive(each)


def alive(process):
    try:
        os.kill(process._process.pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def heard(monkeypatch, tmp_path):
    """The lines that fake engines have read, by their first words."""
    log = tmp_path / "heard"
    log.touch()
    monkeypatch.setenv("TILTBOARD_FAKE_LOG", str(log))
    return lambda *words: [line for line in log.read_text().split("\n") if line.startswith(words)]


def task(*moves, engine="fake", level=2, **more):
    position = game_type("momentum").create({"size": 5, "marbles": 4}).start()
    for move in moves:
        position = position.play(move).position
    return EngineTask(1, position.to_move, EngineSeat(engine, level), moves, position, **more)


def until(holds):
    """Waits for another process, as long as it takes."""
    while not holds():
        os.sched_yield()


def thought(room, asked):
    assert room.think(asked) is None
    assert room.wait(PATIENCE_S)
    return room.think(asked)


def test_a_process_is_asked_and_ended(process):
    engine = process("well")
    engine.set_up("momentum", {"size": 5}, 3)
    assert engine.think(["c3"], "movetime 10", 5.0) == "a1"
    assert (engine.info.depth, engine.info.value, engine.info.line) == (3, 40, ("a1",))


def test_one_that_does_not_heed_the_end_is_ended_all_the_same(process):
    process("deaf").set_up("momentum", {}, 1)


def test_what_is_not_asked_for_any_more_is_stopped(process):
    engine = process("stoppable")
    looks = iter([True, True, False])
    wanted = lambda: next(looks, False)  # noqa: E731
    assert engine.think([], "infinite", PATIENCE_S, wanted=wanted) is None


@pytest.mark.parametrize(
    ("how", "most_s", "kind", "said"),
    [
        ("crash", PATIENCE_S, EngineLostError, "has ended unexpectedly"),
        ("hang", 0.1, EngineLostError, "does not answer"),
        ("flood", 0.1, EngineLostError, "does not answer|talks without end"),
        ("silly", PATIENCE_S, EngineMoveError, "gives no move"),
    ],
)
def test_what_goes_wrong_is_one_sentence(process, how, most_s, kind, said):
    engine = process(how)
    with pytest.raises(kind, match=said):
        engine.think([], "movetime 10", most_s)


GREETS = "print('id name X', 'ugiok', sep='\\n', flush=True); "


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("input(); 1 / 0", r"unexpectedly with status 1: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", r"unexpectedly with status 3\."),
        ("import os; os.kill(os.getpid(), 9)", r"unexpectedly with status -9\."),
    ],
)
def test_one_that_ends_shows_its_status_and_the_last_line_of_its_errors(does, said):
    command = [sys.executable, "-c", GREETS + does]
    engine = EngineProcess("author's", command, SystemClock())
    with closing(engine), pytest.raises(EngineLostError, match=said):
        engine.think([], "movetime 10", PATIENCE_S)


def test_one_that_complains_without_end_is_heard_all_the_same():
    chatter = (
        "import sys; input(); sys.stderr.write('x' * 1000000); print('bestmove a1', flush=True)"
    )
    command = [sys.executable, "-c", GREETS + chatter]
    with closing(EngineProcess("loud", command, SystemClock())) as engine:
        assert engine.think([], "movetime 10", PATIENCE_S) == "a1"


def test_a_program_that_is_none_and_one_that_is_silent(process):
    with pytest.raises(EngineLostError, match="cannot be started"):
        EngineProcess("none", ["/nowhere/engine"], SystemClock())
    with pytest.raises(EngineLostError, match="does not answer"):
        EngineProcess("mute", [*FAKE, "mute"], SystemClock(), start_s=0.3)
    with pytest.raises(CannotPlayError, match="no such game"):
        process("refuse").set_up("chess", {}, 1)
    unready = process("unready")
    unready._start_s = 0.3
    with pytest.raises(EngineHungError, match="does not answer"):
        unready.set_up("chess", {}, 1)


def test_a_room_gives_the_move_with_the_name_of_who_found_it(room):
    found = thought(room("well"), task("c3"))
    assert (found.move, found.trouble) == ("a1", None)
    assert found.seat.version.startswith("Fake ")
    assert found.info.line == ("a1",)


def test_the_same_process_plays_on(room):
    playing = room("well")
    names = {thought(playing, task(*moves)).seat.version for moves in ((), ("c3", "a1"))}
    assert len(names) == 1


@pytest.mark.parametrize("how", ["crash", "hang", "illegal", "silly"])
def test_whatever_an_engine_does_ours_plays_in_its_place(room, how):
    found = thought(room(how), task("c3"))
    assert found.move in task("c3").position.legal()
    assert (found.seat.engine, found.seat.level) == ("tiltboard", 2)
    assert "Level 2 of the table's own engine plays in its place" in str(found.trouble)


def test_one_that_hangs_is_replaced_at_once_and_one_that_ends_is_tried_again(room, heard):
    assert thought(room("hang"), task("c3")).seat.engine == "tiltboard"
    assert len(heard("uginewgame")) == 1
    assert thought(room("crash"), task("c3")).seat.engine == "tiltboard"
    assert len(heard("uginewgame")) == 3


def test_engines_of_players_whom_a_later_game_does_not_have_are_ended(room):
    """Else an evening of many games would leave one for each colour that ever played."""
    made, four = room("well"), game_type("momentum").create({"size": 5, "marbles": 3, "players": 4})
    position, moves = four.start(), ()
    for _ in four.players:
        asked = EngineTask(1, position.to_move, EngineSeat("fake", 2), moves, position)
        moves += (thought(made, asked).move,)
        position = position.play(moves[-1]).position
    before = [process for process, _ in made._processes.values()]
    assert four.players == ("red", "blue", "white", "green")
    assert [alive(process) for process in before] == [True] * 4
    white = game_type("attraktion").create({}).start()
    assert thought(made, EngineTask(2, "white", EngineSeat("fake", 2), (), white)).move == "a1"
    assert [alive(process) for process in before] == [False, False, True, False]  # white plays on


def test_one_that_is_silent_when_a_game_begins_is_replaced_soon():
    playing = EnginePool({"fake": [*FAKE, "mute"]}, move_s=0.3, stranger_s=0.3)
    try:
        found = thought(playing, task("c3"))  # ours takes longer than that to start
    finally:
        playing.close()
    assert (found.seat.engine, found.seat.level) == ("tiltboard", 2)
    assert "does not answer" in str(found.trouble)


def test_one_that_is_slow_is_told_to_stop_and_its_move_counts(room):
    found = thought(room("stoppable"), task())
    assert (found.move, found.seat.engine) == ("a1", "fake")
    assert "took longer than it may" in str(found.trouble)


def test_one_that_is_killed_between_two_moves_plays_on(room):
    playing = room("well")
    first = thought(playing, task())
    os.kill(int(first.seat.version.split()[1]), signal.SIGKILL)
    second = thought(playing, task("c3", "a1"))
    assert second.seat.version not in ("", first.seat.version)
    assert "was started again" in str(second.trouble)
    assert thought(playing, task("c3", "a1", "e5", "b1")).trouble is None


def test_what_it_expects_is_pondered_and_answered_when_it_comes(room, heard):
    playing = room("well")
    assert thought(playing, task()).move == "a1"
    playing.think(task("a1", "c3", purpose=Purpose.PONDER))
    until(lambda: heard("go ponder"))
    found = thought(playing, task("a1", "c3"))
    assert found.task.purpose is Purpose.MOVE
    assert found.move == task("a1", "c3").position.legal()[0]
    assert (len(heard("go")), len(heard("ponderhit"))) == (2, 1)


def test_what_it_did_not_expect_is_asked_anew(room, heard):
    playing = room("well")
    playing.think(task("a1", "c3", purpose=Purpose.PONDER))
    until(lambda: heard("go ponder"))
    assert thought(playing, task("a1", "c4")).move is not None
    assert [len(heard(word)) for word in ("ponderhit", "stop", "go")] == [0, 1, 2]


def test_nothing_is_pondered_where_that_is_switched_off(heard):
    playing = EnginePool({"fake": [*FAKE, "well"]}, ponders=False)
    assert playing.think(task("a1", "c3", purpose=Purpose.PONDER)) is None
    assert thought(playing, task("a1", "c3")).move is not None
    playing.close()
    assert len(heard("go")) == 1


def test_one_that_cannot_value_moves_says_so_and_ours_does(room):
    asked = task("c3", purpose=Purpose.VALUES)
    found = thought(room("well"), asked)
    assert sorted(found.values) == list(asked.position.legal())
    assert "does not say what every move is worth" in str(found.trouble)


def test_it_is_told_the_clocks_and_does_not_get_more(room, heard):
    left = ClockLeft(5, 2, {"red": 60.0, "blue": 0.1})
    assert thought(room("well"), task("c3", clock=left)).move == "a1"
    assert heard("go") == ["go movetime 300 p1time 60000 p1inc 2000 p2time 100 p2inc 2000"]


def test_one_that_fails_once_is_started_again(room, tmp_path):
    found = thought(room("once", "crash", str(tmp_path / "mark")), task("c3"))
    assert found.move == "a1"
    assert found.seat.version.startswith("Fake ")
    assert "has ended unexpectedly" in str(found.trouble)


def test_where_ours_fails_too_a_person_is_asked(room, monkeypatch):
    monkeypatch.setattr(
        "tiltboard.firmware_host.engines.engine_pool.OUR_COMMAND", ("/nowhere/engine",)
    )
    found = thought(room("crash"), task("c3"))
    assert found.move is None
    assert "Play its move for it" in str(found.trouble)


def test_an_engine_that_the_settings_do_not_know_any_more(room):
    found = thought(room("well"), task("c3", engine="gone"))
    assert found.seat.engine == "tiltboard"
    assert "There is no engine gone" in str(found.trouble)


def test_another_question_takes_the_place_of_one_that_hangs(room):
    playing = room("stoppable")
    assert playing.think(task()) is None
    assert playing.think(task("c3")) is None
    assert playing.think(None) is None
    assert thought(playing, task("c3", "c4", engine="tiltboard")).seat.engine == "tiltboard"


class StoppedClock(SystemClock):
    """Its time never comes: only what is said can be too much."""

    def now(self):
        return 0.0


@pytest.mark.parametrize("how", ["babble", "long", "unready babble"])
def test_one_that_talks_without_end_before_a_game_is_ended(how, monkeypatch):
    made = []
    close = EngineProcess.close
    monkeypatch.setattr(EngineProcess, "close", lambda it: (made.append(it), close(it)))
    with pytest.raises(EngineHungError, match="talks without end"):
        try:
            engine = EngineProcess("fake", [*FAKE, how], StoppedClock())
            engine.set_up("momentum", {}, 1)
        finally:
            if not made:
                engine.close()
    assert not alive(made[0])


def test_the_time_to_introduce_itself_holds_for_one_that_always_talks():
    """Each look at the clock puts it on by a second: the tenth is too late, whatever waits."""
    clock = SystemClock()
    clock.now = iter(range(1000)).__next__
    with pytest.raises(EngineHungError, match="does not answer"):
        EngineProcess("fake", [*FAKE, "babble"], clock, start_s=10.0)


@pytest.mark.parametrize("how", ["babble", "mute", "unready", "unready babble"])
def test_a_room_is_closed_while_an_engine_is_waited_for(how, heard):
    room = EnginePool({"fake": [*FAKE, how]}, stranger_s=3600.0)
    room.think(task())
    until(lambda: how in ("babble", "mute") or heard("isready"))
    room.close()
    assert room._thread is not None
    assert not room._thread.is_alive()


def test_an_engine_that_reads_nothing_is_not_waited_for(process):
    engine = process("stone deaf")
    moves = ["a1"] * 200_000
    with pytest.raises(EngineHungError, match="does not answer"):
        engine.think(["a1"], "movetime 10", 0.1)
    with pytest.raises(EngineHungError, match="does not answer"):
        engine.think(moves, "movetime 10", 0.1)


def test_an_engines_commands_to_a_terminal_reach_none(process):
    name = process("coloured").identity.name
    assert name.isprintable()
    assert "Red" in name


def test_engines_that_were_exchanged_are_ended(room):
    room = room("well")
    names = ("fake", "fake2", "fake3")
    room._commands |= {name: [*FAKE, "well"] for name in names}
    for name in names:
        thought(room, task(engine=name))
        room.think(None)
    assert [name for _, name in room._processes] == ["fake3"]


def test_a_child_that_left_the_group_does_not_outlive_the_engine(process, monkeypatch, tmp_path):
    child = tmp_path / "child"
    monkeypatch.setenv("TILTBOARD_FAKE_CHILD", str(child))
    process("leaves").close()
    number = int(child.read_text())
    until(lambda: not is_running(number))


def is_running(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False
