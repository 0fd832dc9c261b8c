"""Every sentence: found by the catalogue, short, and in words a child knows."""

from __future__ import annotations

import ast
import inspect
import string

import pytest

from firmware_host.messages import Catalogue, Message, text
from firmware_host.table import play, troubles
from firmware_host.table.sight import UNKNOWN_PIECE
from games.base import Outcome, Shift

MODULES = (play, troubles)
DROP = Shift("blue", None, "d4")

EXAMPLES = {
    "turn": (play.turn("momentum", "red", drops=True, swap=None), "It is red's turn"),
    "swap": (play.turn("momentum", "blue", drops=True, swap=DROP), "or swap: put a blue"),
    "lifted": (play.lifted("momentum", DROP, "red"), "to swap, or the red marble back"),
    "move": (
        play.settle("momentum", Shift("red", "e5", "f6"), lifted_already=False),
        "Move the red marble from e5 to f6.",
    ),
    "land": (
        play.settle("momentum", Shift("red", "e5", "f6"), lifted_already=True),
        "Put the red marble on f6.",
    ),
    "off": (
        play.settle("momentum", Shift("red", "g7", None), lifted_already=False),
        "Take the red marble off g7.",
    ),
    "won": (
        play.over("momentum", Outcome("red", "complete", places=("a1", "b2", "c3"))),
        "Red wins: all 3 marbles are on the board!",
    ),
    "won by count": (
        play.over("momentum", Outcome("red", "round-limit")),
        "Red wins: more than half of the marbles on the board after the last round!",
    ),
    "draw": (play.over("momentum", Outcome(None, "full")), "A draw: no empty cell is left."),
    "no reason": (play.over("chess", Outcome("white", "mate")), "White wins!"),
    "line": (
        play.over("gravity-connect", Outcome("blue", "line", places=("A1", "A2", "A3"))),
        "Blue wins: 3 tiles connected!",
    ),
    "no line": (play.over("gravity-connect", Outcome("blue", "full")), "the board is full"),
    "team": (
        play.over("momentum", Outcome("white", "round-limit", team=("red", "white"))),
        "Red and white win: more than half",
    ),
    "team with one complete set": (
        play.over("momentum", Outcome("white", "complete", ("red", "white"), places=("a1", "b2"))),
        "Red and white win: all 2 white marbles are on the board!",
    ),
    "lift": (
        play.turn("gravity-trap", "blue", drops=False, swap=None),
        "It is blue's turn: lift the blue ship.",
    ),
    "carried": (
        play.carried("gravity-trap", "red", "7"),
        "Put the red ship on a lit place, or back on 7.",
    ),
    "landing": (play.land("gravity-trap", "red", "3", "pod", extra=None), "red ship on 3."),
    "pod astray": (
        play.land("gravity-trap", "red", "3", "pod", extra="9"),
        "Take the pod off 9 and put the red ship on 3.",
    ),
    "sides": (play.turn_by_sides("gravity-connect", "red"), "put a red tile on a lit place."),
    "which side": (
        play.asked(play.which_side("gravity-connect", "red"), play.side("top", "green", "A")),
        "From which side does the red tile come? Chosen now: top, green, slot A. Hold confirm",
    ),
    "margin": (
        play.over("gravity-trap", Outcome("blue", "stuck", extra={"margin": 3})),
        "Blue wins: the other ship is stuck, and blue's still reaches 3 pods!",
    ),
    "margin of one": (
        play.over("gravity-trap", Outcome("blue", "stuck", extra={"margin": 1})),
        "blue's still reaches 1 pod!",
    ),
    "positions": (
        play.over(
            "attraktion",
            Outcome(
                "white",
                "positions",
                extra={"positions": {"white": ["b2", "c3"], "black": ["d2"]}},
            ),
        ),
        "White wins: 2 winning positions against 1!",
    ),
    "one position": (
        play.over(
            "attraktion",
            Outcome("black", "positions", extra={"positions": {"white": [], "black": ["b2"]}}),
        ),
        "Black wins: 1 winning position against 0!",
    ),
    "last": (play.last_piece("momentum", text("Play."), ["red"]), "Last marble: red has only one"),
    "which move": (
        play.asked(play.which_move(["a1", "b2"]), play.landed("momentum", "red", "a1")),
        "Which move was it? Chosen now: red marble on a1. Hold confirm",
    ),
    "one of them": (
        play.is_there(["a1", "b2"]),
        "The table cannot see a1, b2. Is the piece on one of them?",
    ),
    "on a screen": (
        troubles.without_buttons(
            troubles.noticed(text("Look."), troubles.confirm_put(text("Play."), ["a1"]))
        ),
        "Look. Play.",
    ),
    "perhaps put": (
        troubles.confirm_put(text("Play."), ["a1"]),
        "Play. The table cannot see a1: press confirm if you put it there.",
    ),
    "perhaps put on one": (
        troubles.confirm_put(text("Play."), ["a1", "b2"]),
        "The table cannot see a1, b2: press confirm if you put it on one of them.",
    ),
    "perhaps done": (
        troubles.confirm_done(text("Put it there."), ["d3"]),
        "The table cannot see d3: press confirm when it is done.",
    ),
    "perhaps done where it should be seen": (
        troubles.if_done(text("Put it there.")),
        "Put it there. If that is done, press confirm.",
    ),
    "last of both": (
        play.last_piece("attraktion", text("Play."), ["white", "black"]),
        "Play. Last piece: white and black have only one left.",
    ),
    "no margin": (
        play.over("gravity-trap", Outcome("red", "stuck", extra={"margin": 0})),
        "Red wins: the other ship flew where it can reach no pod any more!",
    ),
    "a move from where nobody sees": (
        troubles.confirm_move(text("It is red's turn."), ["3"]),
        "It is red's turn. The table cannot see 3: press confirm if this is your move.",
    ),
    "dead": (
        troubles.failed("dead", "a1", blind=False),
        "The sensor of a1 is dead. Its neighbours watch a1 now, and play goes on.",
    ),
    "dead and blind": (
        troubles.failed("dead", "a1", blind=True),
        "The sensor of a1 is dead. The table asks about a1 now, and play goes on.",
    ),
    "strange": (troubles.take_off("momentum", UNKNOWN_PIECE, "a1"), "the strange piece"),
    "other game": (troubles.take_off("chess", "pod", "a1"), "Take the pod off a1."),
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
    message = troubles.take_off("momentum", "blue", "e5")
    assert german.translate(message) == "Nimm die blaue Kugel von e5."
    assert str(message) == "Take the blue marble off e5."


def test_a_rule_s_reason_keeps_its_fields_for_translation():
    message = troubles.because(Message("{place} is a hole.", {"place": "e5"}), text("Stop."))
    german = Catalogue("de", {"{place} is a hole.": "{place} ist ein Loch.", "Stop.": "Halt."})
    assert german.translate(message) == "e5 ist ein Loch. Halt."
