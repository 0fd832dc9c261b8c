"""Tests of firmware_host/engines/ugi.py: the language of engines, read and written."""

from threading import TIMEOUT_MAX

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.search.limits import SURE, WIN, Limits, expected_score


def test_go_is_read_word_by_word():
    go = ugi.parse_go(["movetime", "1500", "depth", "4", "nodes", "900", "something", "else"])
    assert go.limits == Limits(depth=4, nodes=900, time_s=1.5)
    assert ugi.parse_go(["infinite"]).infinite
    assert ugi.parse_go(["ponder", "depth", "2"]).ponder
    with pytest.raises(ValueError, match="x"):
        ugi.parse_go(["depth", "x"])


def test_a_clock_gives_the_mover_a_share_of_his_own_time():
    go = ugi.parse_go(["p1time", "60000", "p2time", "1000", "p1inc", "500", "p2inc", "0"])
    assert go.for_player(0).time_s == pytest.approx(2.8)
    assert go.for_player(1).time_s == pytest.approx(0.04)
    assert go.for_player(2) == Limits()
    both = ugi.parse_go(["movetime", "2000", "p1time", "60000", "p2time", "1000"])
    assert [both.for_player(n).time_s for n in (0, 1, 2)] == [2.0, 0.04, 2.0]
    # one that has nearly run out is not overdrawn
    assert ugi.parse_go(["p1time", "20", "p1inc", "9000"]).for_player(0).time_s == 0.01


def test_options_go_both_ways():
    line = ugi.setoption(ugi.OPTIONS, {"size": 5, "holes": ["c3"]})
    assert line == 'setoption name Options value {"size":5,"holes":["c3"]}'
    name, value = ugi.parse_setoption(line)
    assert (name, ugi.options_json(value)) == ("Options", {"size": 5, "holes": ["c3"]})
    for bad in ("[]", "{", "[" * 100_000):
        with pytest.raises(ValueError, match=r".*"):
            ugi.options_json(bad)


def test_scores_go_both_ways():
    for value in (0, 35, -1200, SURE - 1, WIN - 1, WIN - 5, 2 - WIN, 6 - WIN):
        kind, number = ugi.score_text(value).split()
        assert ugi.score_value(kind, int(number)) == value


def test_info_is_read_back_as_it_was_written():
    for rank in (0, 3):
        info = ugi.Info(5, -35, 1000, 40, ("d4", "swap"), rank)
        assert ugi.parse_info(info.text().split()[1:]) == info
    info = ugi.Info(5, -35, 1000, 40, ("d4", "swap"))
    kept = ugi.parse_info(
        ["nps", "99", "hashfull", "3", "depth", "6", "score", "cp", "1", "string", "a", "b", "c"],
        info,
    )
    assert (kept.depth, kept.value, kept.line) == (6, 1, ("d4", "swap"))


@pytest.mark.parametrize(
    ("number", "share"), [(10**400, 1.0), (-(10**400), 0.0)], ids=["won", "lost"]
)
def test_a_number_that_no_game_has_is_no_trouble(number, share):
    info = ugi.parse_info(["time", "1e999", "score", "mate", str(number)])
    assert expected_score(info.value) == share
    assert info.value in (SURE, -SURE)


@given(st.text(max_size=80))
def test_nothing_but_a_value_error_comes_of_any_line(line):
    for read in (
        lambda: ugi.parse_go(line.split()),
        lambda: ugi.parse_info(line.split()),
        lambda: ugi.parse_setoption("setoption " + line),
        lambda: ugi.options_json(line),
    ):
        try:
            read()
        except ValueError:
            continue


def test_an_engine_names_itself_and_its_options():
    who = ugi.Identity()
    for line in ("id name Deep d4", "id author A. B.", "option name Skill Level type spin min 1"):
        who.read(line.split())
    assert (who.name, who.options) == ("Deep d4", {"Skill Level"})


@pytest.mark.parametrize("number", ["9" * 18, "9" * 400, "1" + "0" * 30])
def test_no_number_is_longer_than_a_clock_can_wait(number):
    """9e18 ms would be an OverflowError of threading.Event.wait."""
    asked = ugi.parse_go(["movetime", number, "nodes", number, "p1time", number, "p1inc", number])
    limits = asked.for_player(0)
    assert limits.time_s is not None
    assert limits.time_s <= TIMEOUT_MAX
    assert limits.nodes is not None
    assert limits.nodes < 2**63
