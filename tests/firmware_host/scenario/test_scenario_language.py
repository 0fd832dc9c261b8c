"""Tests of firmware_host/scenario/parse.py: the scenario language against the forms that
docs/scenarios.md lists, and against nonsense.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.scenario import parse as s
from tiltboard.firmware_host.scenario.parse import ScenarioSyntaxError, parse_scenario
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import hands as h

FORMS = [
    ("game momentum size=7", c.NewGame("momentum", {"size": 7})),
    ("put red d4", h.Put("red", "d4")),
    ("put red d4 at 5 -3", h.Put("red", "d4", (5.0, -3.0))),
    ("take d4", h.Take("d4")),
    ("move d4 e5", h.Move("d4", "e5")),
    ("slide d4 e5", h.Slide("d4", "e5")),
    ("knock d4 e5", h.Scatter(("d4", "e5"))),
    ("drop red d4", h.Drop("red", "d4")),
    ("drop red d4 at 5 -3 from 80", h.Drop("red", "d4", (5.0, -3.0), 80.0)),
    ("drop red d4 tremble 2 from 80", h.Drop("red", "d4", from_mm=80.0, tremble_mm=2.0)),
    ("stack red d4", h.Stack("red", "d4")),
    ("stack red d4 at 6 0 tremble 1", h.Stack("red", "d4", (6.0, 0.0), 1.0)),
    ("push d4 e5", h.Push("d4", "e5")),
    ("push d4 e5 speed 900", h.Push("d4", "e5", 900.0)),
    ("chopsticks d4 e5", h.Chopsticks("d4", "e5")),
    ("chopsticks d4 e5 tremble 4", h.Chopsticks("d4", "e5", 4.0)),
    ("spin d4", h.Spin("d4")),
    ("spin d4 -720", h.Spin("d4", -720.0)),
    ("meanwhile push d4 e5", s.Meanwhile(h.Push("d4", "e5"))),
    ("tilt 8 0 for 2s", h.Tilt(8.0, 0.0, 2.0)),
    ("tilt -8 0.5", h.Tilt(-8.0, 0.5)),
    ("press confirm", h.Press("confirm")),
    ("press confirm 2s", h.Press("confirm", 2.0)),
    ("press back", h.Press("back")),
    ("answer left", c.Answer("left")),
    ("wait 1.5s", s.Wait(1.5)),
    ("wait 250ms", s.Wait(0.25)),
    ("bump", h.Bump()),
    ("kill", s.Kill()),
    ("power-cut", s.PowerCut()),
    ("fault sensor-dead d4 for 2s", h.Fault("sensor-dead", ("d4",), 2.0)),
    ("fault spi-silent", h.Fault("spi-silent", ())),
    ("heal sensor-dead d4", h.ClearFault("sensor-dead", ("d4",))),
    ("expect phase turn", s.Expect("phase", ("turn",))),
    ("expect to-move red", s.Expect("to-move", ("red",))),
    ("expect to-move none", s.Expect("to-move", ("none",))),
    ("expect result draw", s.Expect("result", ("draw",))),
    ("expect cells d4=red e5=empty", s.Expect("cells", ("d4=red", "e5=empty"))),
    ("expect cells 0,-1=red", s.Expect("cells", ("0,-1=red",))),
    ("expect light d5 put", s.Expect("light", ("d5", "put"))),
    ("expect lights legal a1 a2", s.Expect("lights", ("legal", "a1", "a2"))),
    ("expect lights wrong", s.Expect("lights", ("wrong",))),
    ('expect say "Red\'s turn # 1"', s.Expect("say", ("Red's turn # 1",))),
    ("expect within 0.2s phase fix", s.Expect("phase", ("fix",), 0.2)),
]


@pytest.mark.parametrize(("line", "action"), FORMS, ids=[line for line, _ in FORMS])
def test_each_form_is_read_as_written(line, action):
    (step,) = parse_scenario("x.scenario", f"\n# a comment\n{line}   # why\n")
    assert step.action == action
    assert step.line == 3


def test_set_up_by_hand_follows_a_game():
    game, setup = parse_scenario("x", "game momentum\nsetup by-hand\n")
    assert game.action == c.NewGame("momentum")
    assert setup.action == s.SetupByHand()


BAD = [
    ("putt red d4", "did you mean 'put'?"),
    ("put red", "put PIECE PLACE"),
    ("put red d4 at 5", "put PIECE PLACE"),
    ("put red d4 at 5 nan", "an offset in mm"),
    ("tilt 8", "tilt X Y"),
    ("tilt 99 0", "an angle in degrees"),
    ("wait 2", "a duration"),
    ("wait -2s", "a duration"),
    ("press start", "press confirm|back"),
    ("setup by-hand", "right after a 'game' step"),
    ("expect", "cells"),
    ("expect phase turns", "did you mean 'turn'?"),
    ("expect light d5 legl", "did you mean 'legal'?"),
    ("expect colour red", "can be expected"),
    ("expect within", "expect within D"),
    ("expect cells d4", "PLACE=PIECE"),
    ('expect say "turn', "quotation mark"),
    ("kill now", "kill"),
    ("fault", "fault NAME"),
    ("game chess", "There is no game chess"),
    ("game momentum size=7 size=8", "size is given twice"),
]


@pytest.mark.parametrize(("line", "hint"), BAD, ids=[line for line, _ in BAD])
def test_nonsense_names_file_line_and_what_was_expected(line, hint):
    with pytest.raises(ScenarioSyntaxError) as caught:
        parse_scenario("home.scenario", f"game momentum\nwait 1s\n{line}\n")
    assert str(caught.value).startswith("home.scenario:3: ")
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        """game gravity-trap 'board={"tracks": [[1, 2], [2, 3]]}'""",
        r"""game gravity-trap board={\"tracks\":[[1,2],[2,3]]}""",
        """expect say "a 'quoted' word" """,
        """expect say 'he said "go"'""",
        "expect say 'put # here'",
        "put red d4 at 5 -3",
    ],
)
def test_a_step_is_echoed_so_that_it_can_be_read_again(line):
    (step,) = parse_scenario("home", line)
    (again,) = parse_scenario("home", step.text)
    assert again == step


@few(200)
@given(st.text(max_size=80))
def test_any_text_is_parsed_or_refused_with_its_line(text):
    try:
        steps = parse_scenario("any", text)
    except ScenarioSyntaxError as error:
        assert str(error).startswith("any:")
    else:
        assert all(step.line >= 1 for step in steps)
