"""Tests of games/base.py: why a piece may not be put somewhere, as a game tells it that says
nothing of its own.
"""

from types import MappingProxyType

from tiltboard.games.base import Game, Outcome, Shift, Turn
from tiltboard.games.rules import Rules

PLACES = ("a1", "a2", "a3")


class Steps(Rules):
    """One piece walks a place at a time; a move is the place that it comes to, counted from 0."""

    players = 1
    every_move = range(3)

    def start(self):
        return 0

    def moves(self, state):
        return [at for at in (state - 1, state + 1) if 0 <= at < 3]

    def apply(self, state, move):
        return move

    def result(self, state):
        return (0,) if state == 2 else None

    def key(self, state):
        return state + 1

    def mover(self, state):
        return 0

    def name(self, move):
        return f"step-to-{PLACES[move]}"

    def number(self, name):
        place = name.removeprefix("step-to-")
        return PLACES.index(place) if place in PLACES and place != name else None


class Walk(Game):
    name, players, pieces = "walk", ("red",), ("red",)
    board = MappingProxyType({place: (0, row) for row, place in enumerate(PLACES)})
    rules, options = Steps(), MappingProxyType({})

    def cells(self, state):
        return {PLACES[state]: "red"}

    def outcome(self, position):
        return Outcome("red", "line")

    def turn(self, before, move, after):
        shift = Shift("red", PLACES[before.state], PLACES[after.state])
        return Turn(move, "red", (shift,), (), after)


def test_where_moves_are_no_places_a_place_is_named_as_one():
    start = Walk().start()
    assert start.drop_refusal("red", "a2") is None
    assert str(start.drop_refusal("red", "a3")) == "This piece may not be put on a3 now."
    assert str(start.drop_refusal("blue", "a2")) == "This piece may not be put on a2 now."
    over = start.play("step-to-a2").position.play("step-to-a3").position
    assert str(over.drop_refusal("red", "a2")) == "The game is over."
