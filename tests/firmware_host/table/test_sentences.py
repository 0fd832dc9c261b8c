"""Tests of firmware_host/table/phrases.py and problem_messages.py: every sentence: found by the
catalogue, short, and in words a child knows.
"""

from __future__ import annotations

import ast
import inspect
import string

import pytest

from tests.said import DONE, take
from tiltboard.firmware_host.messages import Catalogue, Message, text
from tiltboard.firmware_host.referee import guidance, offers, slide_guidance, view
from tiltboard.firmware_host.referee.repair import RepairStep
from tiltboard.firmware_host.table import phrases, problem_messages
from tiltboard.games import registry
from tiltboard.games.base import Outcome

MODULES = (phrases, problem_messages, view, guidance, offers, slide_guidance)

EXAMPLES = {
    "won": (
        phrases.over("momentum", Outcome("red", "complete", places=("a1", "b2", "c3"))),
        "Red wins – all 3 marbles are on the board!",
    ),
    "won by count": (
        phrases.over("momentum", Outcome("red", "round-limit")),
        "Red wins – more than half of the marbles on the board after the last round!",
    ),
    "draw": (phrases.over("momentum", Outcome(None, "full")), "A draw – no space is left."),
    "no reason": (phrases.over("chess", Outcome("white", "mate")), "White wins!"),
    "line": (
        phrases.over("gravity-connect", Outcome("blue", "line", places=("A1", "A2", "A3"))),
        "Blue wins – 3 tiles connected!",
    ),
    "two lines that cross": (
        phrases.over(
            "gravity-connect",
            Outcome("blue", "line", places=("A1", "A2", "A3", "A4", "B4", "C4", "D4")),
        ),
        "Blue wins – 4 tiles connected!",
    ),
    "no line": (phrases.over("gravity-connect", Outcome("blue", "full")), "the board is full"),
    "team": (
        phrases.over("momentum", Outcome("white", "round-limit", team=("red", "white"))),
        "Red and White win – more than half",
    ),
    "team with one complete set": (
        phrases.over(
            "momentum", Outcome("white", "complete", ("red", "white"), places=("a1", "b2"))
        ),
        "Red and White win – all 2 of White's marbles are on the board!",
    ),
    "margin": (
        phrases.over("gravity-trap", Outcome("blue", "stuck", extra={"margin": 3})),
        "Blue wins – the other ship is stuck, and Blue's still reaches 3 pods!",
    ),
    "margin of one": (
        phrases.over("gravity-trap", Outcome("blue", "stuck", extra={"margin": 1})),
        "Blue's still reaches 1 pod!",
    ),
    "positions": (
        phrases.over(
            "attraktion",
            Outcome(
                "white",
                "positions",
                extra={"positions": {"white": ["b2", "c3"], "black": ["d2"]}},
            ),
        ),
        "White wins – 2 winning positions to 1!",
    ),
    "one position": (
        phrases.over(
            "attraktion",
            Outcome("black", "positions", extra={"positions": {"white": [], "black": ["b2"]}}),
        ),
        "Black wins – 1 winning position to 0!",
    ),
    "on a screen": (
        problem_messages.without_buttons(
            text(
                "{notice} {said}",
                notice=text("Look."),
                said=problem_messages.confirm("put", text("Play."), ["a1"]),
            )
        ),
        "Look. Play.",
    ),
    "perhaps put": (
        problem_messages.confirm("put", text("Play."), ["a1"]),
        "Play. The table cannot see a1: press confirm if you put it there.",
    ),
    "perhaps put on one": (
        problem_messages.confirm("put", text("Play."), ["a1", "b2"]),
        "The table cannot see a1, b2: press confirm if you put it on one of them.",
    ),
    "perhaps done": (
        problem_messages.confirm("done", text("Put it there."), ["d3"]),
        "The table cannot see d3: press confirm when it is done.",
    ),
    "perhaps done where it should be seen": (
        problem_messages.confirm("perhaps-done", text("Put it there.")),
        f"Put it there. {DONE}",
    ),
    "no margin": (
        phrases.over("gravity-trap", Outcome("red", "stuck", extra={"margin": 0})),
        "Red wins – the other ship can't reach a pod any more!",
    ),
    "a move from where nobody sees": (
        problem_messages.confirm("moved", text("Red's turn."), ["3"]),
        "Red's turn. The table cannot see 3: press confirm if this is your move.",
    ),
}


@pytest.mark.parametrize("message, part", EXAMPLES.values(), ids=EXAMPLES)
def test_examples(message, part):
    assert part in str(message)


def templates():
    """Literal first arguments of ``text(...)`` in the source."""
    for module in MODULES:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "text":
                yield node.args[0]


def test_every_template_is_a_literal_that_the_catalogue_finds():
    found = list(templates())
    assert len(found) > 30
    assert all(isinstance(arg, ast.Constant) and isinstance(arg.value, str) for arg in found)


def test_sentences_are_short_and_say_one_thing():
    for arg in templates():
        for sentence in arg.value.replace("?", ".").split(". "):
            plain = [w for w in sentence.split() if w.strip(string.punctuation)]
            assert len(plain) <= 25, sentence
            assert "(" not in sentence
            assert ";" not in sentence


def test_sentences_can_be_translated_names_included():
    german = Catalogue(
        "de",
        {
            "Take the {piece} off {place}.": "Nimm {piece} von {place}.",
            "{colour} marble": "die {colour} Kugel",
            "blue": "blaue",
        },
    )
    momentum = registry.game_type("momentum").create({})
    message = view.carry_say(momentum, RepairStep("blue", "e5", None))
    assert german.translate(message) == "Nimm die blaue Kugel von e5."
    assert str(message) == take("blue marble", "e5")


def test_a_rule_s_reason_keeps_its_fields_for_translation():
    why = Message("{place} is a hole.", {"place": "e5"})
    message = text("{why} {what}", why=why, what=text("Stop."))
    german = Catalogue("de", {"{place} is a hole.": "{place} ist ein Loch.", "Stop.": "Halt."})
    assert german.translate(message) == "e5 ist ein Loch. Halt."
