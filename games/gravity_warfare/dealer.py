"""Makes up what cannot be listed, at random: heroes, shuffled cards, what falls.

The host deals with it where cards are digital; tests and the conformance kit play with it.
"""

from __future__ import annotations

from typing import Any

from games.gravity_warfare import flow
from games.gravity_warfare.table import State
from games.rules import Dice

FALLS = (0, 0, 1, 1, 2, 3, 4)


def completed(state: State, move: str, dice: Dice) -> str:
    """A move of ``moves.listed`` as it can be made."""
    if move == "chance:heroes" and not state.options.paper:
        names = _shuffled(list(state.options.box.heroes), dice)[: state.options.players]
        return ":".join([move, *names])
    if move == "chance:shuffle" and not state.options.paper:
        return ":".join([move, *_shuffled(flow.shuffled(state), dice)])
    words = move.split(":")
    if "fail" in words:
        return move + _fallen(state, words, dice)
    return move


def _fallen(state: State, words: list[str], dice: Dice) -> str:
    hand = words[3].split("+") if words[1] == "place" else [words[4]]
    standing = [
        f"{piece.name}@{zone}"
        for zone, towers in state.zones.items()
        for tower in towers
        for piece in tower
    ]
    if words[1] == "event":
        standing.remove(f"{words[4]}@{words[3]}")
    fell = _shuffled([*hand, *standing], dice)[: dice.choice(FALLS)]
    return f":fell={'+'.join(fell)}" if fell else ""


def _shuffled(items: list[Any], dice: Dice) -> list[Any]:
    """All orders alike: each place, from the last, is exchanged with one of those up to itself."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        other = dice.choice(range(last + 1))
        found[last], found[other] = found[other], found[last]
    return found
