"""Why a move is good, by the rules alone: what a hint says, and what is asked after a blunder.

Each reason is proven (``firmware_host.engines.proof``) or counted from the legal moves, never
guessed: where neither can be done in so many positions, nothing but the game's own words about the
move is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from firmware_host.engines.proof import ProofSearch, TooManyError
from games.reasons import Kind
from games.rules import Rules

MOST_LOOKED = 12_000  # positions for one reason: 0.2 s of Python on one x86 core
MOST_TURNS = 4
_FEW = 0.34  # of the replies: a threat that no more of them answer is worth saying
_MANY = 0.5  # of the other moves: what lets the other win at once after so many is blocked


class Reason(NamedTuple):
    """Why a move is good. ``kind``: one of ``games.reasons``. ``number``: how many turns or
    answers it speaks of. ``move``: the name of the one that it is about.
    """

    kind: Kind
    number: int = 0
    move: str = ""


def reason(rules: Rules, state: Any, move: int, *, sure: int = 0) -> Reason:
    """Why ``move`` is to be made in ``state``, which is not over. ``sure``: 1 where the search has
    proven that it wins, -1 that everything loses.
    """
    try:
        return _proven(rules, state, move) or _counted(rules, state, move) or _rest(sure)
    except TooManyError:
        return _rest(sure)


def _rest(sure: int) -> Reason:
    return Reason("race" if sure > 0 else "lasts" if sure < 0 else "quiet")


def _proven(rules: Rules, state: Any, move: int) -> Reason | None:
    """The reason for a move that is proven to win, with the number of turns."""
    mover, after = rules.mover(state), rules.apply(state, move)
    if rules.result(after) is not None:
        return Reason("wins") if mover in (rules.result(after) or ()) else None
    if rules.players != 2:
        return None
    search = ProofSearch(rules, MOST_LOOKED)
    for turns in range(2, MOST_TURNS + 1):
        try:
            if search.forces(state, move, 2 * turns - 1):
                return Reason("twice" if turns == 2 else "wins-in", turns)
        except TooManyError:
            return None
    return None


def _counted(rules: Rules, state: Any, move: int) -> Reason | None:
    """The reason for a move that prevents a win, or threatens one."""
    left = [MOST_LOOKED]
    others = [each for each in rules.moves(state) if each != move]
    wins: Counter[int] = Counter()
    lost = 0
    for other in others:
        found = winning_at_once(rules, rules.apply(state, other), left)
        lost += bool(found)
        wins.update(found)
    after = rules.apply(state, move)
    if others and lost >= _MANY * len(others) and not winning_at_once(rules, after, left):
        kind: Kind = "only" if lost == len(others) else "blocks"
        return Reason(kind, lost, rules.name(wins.most_common(1)[0][0]))
    if rules.players != 2 or rules.result(after) is not None:
        return None
    replies = rules.moves(after)
    stops = [
        reply for reply in replies if not winning_at_once(rules, rules.apply(after, reply), left)
    ]
    if stops and len(stops) <= _FEW * len(replies):
        return Reason("threatens", len(stops), rules.name(stops[0]))
    return None


def winning_at_once(rules: Rules, state: Any, left: list[int]) -> Sequence[int]:
    """The moves that win ``state`` at once, none where it is over. ``left``: how many positions
    may be looked at, counted down; raises TooManyError.
    """
    if rules.result(state) is not None:
        return ()
    mover, moves = rules.mover(state), rules.moves(state)
    left[0] -= len(moves)
    if left[0] < 0:
        raise TooManyError
    return [m for m in moves if mover in (rules.result(rules.apply(state, m)) or ())]
