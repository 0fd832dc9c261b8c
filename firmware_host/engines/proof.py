"""Proves forced wins within a number of plies, and finds proven reasons for a move.

The search is exhaustive and uses only the rules of the game: an and-or search by iterative
deepening, two plies at a time. For each position, the search stores the number of plies within
which the player to move is proven to win. The search also stores the number of plies within which
this player is proven not to win. The search works for two-player games in which the players take
turns, without secrets or chance.

The reason for a move is shown with a hint or after a blunder. The reason is proven or counted from
the legal moves, never guessed. If the proof needs too many positions, only a general reason is
given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.games.reasons import Kind
from tiltboard.games.rules import CHANCE, Rules

# Maximum number of positions that are searched to find one reason. The search takes at most 0.2 s
# in Python on one x86 core.
MAX_LOOKED = 12_000
MAX_TURNS = 4
# A threat is given as the reason for a move if at most this fraction of all replies prevents the
# threat.
_FEW = 0.34
# A block is given as the reason for a move if at least this fraction of the other moves loses
# immediately.
_MANY = 0.5


class TooManyError(Exception):
    """The maximum number of positions has been searched without a result."""


class ProofSearch:
    """The proof search of one game. Later searches reuse the results for each position.

    ``most`` is the maximum number of positions, or None for no limit. Methods raise TooManyError
    when the limit is exceeded. The constructor raises NotPossibleError unless the game is for two
    players and without chance.
    """

    def __init__(self, rules: Rules, most: int | None = None) -> None:
        if rules.players != 2 or CHANCE in rules.awaiting(rules.start()):
            raise NotPossibleError("A proof is for games of two players without chance.")
        self.rules = rules
        # Position key -> number of plies within which the player to move is proven to win.
        self._won: dict[int, int] = {}
        # Position key -> number of plies within which the player to move is proven not to win.
        self._open: dict[int, int] = {}
        # Number of remaining plies -> the reply that last refuted a move with this number of plies
        # left.
        self._answers: dict[int, int] = {}
        self._best: dict[int, int] = {}  # Position key -> the move that was proven to win.
        self.looked = 0
        self.left = most

    def soonest(self, state: Any, most_turns: int) -> tuple[int, int] | None:
        """Return the smallest number of turns in which the player to move can force a win, and the
        first move of the win.

        The result is None if no win can be forced within ``most_turns``.
        """
        for turns in range(1, most_turns + 1):
            move = self.winning(state, 2 * turns - 1)
            if move is not None:
                return turns, move
        return None

    def winning(self, state: Any, plies: int) -> int | None:
        """Return a move with which the player to move forces a win within ``plies``, or None if
        there is no such move.
        """
        key = self.rules.key(state)
        if self._open.get(key, 0) >= plies:
            return None
        if self._won.get(key, plies + 1) <= plies:
            return self._best[key]
        self.looked += 1
        moves = list(self.rules.moves(state))
        _first(moves, self._best.get(key))
        for move in moves:
            if self.forces(state, move, plies):
                self._won[key], self._best[key] = plies, move
                return move
        self._open[key] = plies
        return None

    def forces(self, state: Any, move: int, plies: int) -> bool:
        """Return whether ``move`` forces a win within ``plies``, counting this move."""
        rules, after = self.rules, self._apply(state, move)
        over = rules.result(after)
        if over is not None:
            return over == (rules.mover(state),)
        if plies < 3:
            return False
        replies = list(rules.moves(after))
        _first(replies, self._answers.get(plies))
        for reply in replies:
            if not self.loses(after, reply, plies - 1):
                self._answers[plies] = reply
                return False
        return True

    def _apply(self, state: Any, move: int) -> Any:
        if self.left is not None:
            if self.left <= 0:
                raise TooManyError
            self.left -= 1
        return self.rules.apply(state, move)

    def loses(self, state: Any, move: int, plies: int) -> bool:
        """Return whether ``move`` lets the opponent win within ``plies``, counting this move."""
        after = self._apply(state, move)
        over = self.rules.result(after)
        if over is not None:
            return over == (1 - self.rules.mover(state),)
        return self.winning(after, plies - 1) is not None


def _first(moves: list[int], move: int | None) -> None:
    if move in moves:
        moves.remove(move)
        moves.insert(0, move)


class Reason(NamedTuple):
    """The reason for a good move: its kind (``tiltboard.games.reasons``), a number of turns or
    moves, and the name of the move that the reason refers to.
    """

    kind: Kind
    number: int = 0
    move: str = ""


def reason(rules: Rules, state: Any, move: int, *, sure: int = 0) -> Reason:
    """Return the reason for ``move`` in ``state``, in which the game is not over.

    ``sure`` is 1 if a search has proven that ``move`` wins, -1 if a search has proven that every
    move loses, otherwise 0.
    """
    try:
        return _proven(rules, state, move) or _counted(rules, state, move) or _rest(sure)
    except TooManyError:
        return _rest(sure)


def _rest(sure: int) -> Reason:
    return Reason("race" if sure > 0 else "lasts" if sure < 0 else "quiet")


def _proven(rules: Rules, state: Any, move: int) -> Reason | None:
    """Return the reason for a move that provably wins, with the number of turns to the win. Return
    None for other moves.
    """
    mover, after = rules.mover(state), rules.apply(state, move)
    if rules.result(after) is not None:
        return Reason("wins") if mover in (rules.result(after) or ()) else None
    if rules.players != 2:
        return None
    search = ProofSearch(rules, MAX_LOOKED)
    for turns in range(2, MAX_TURNS + 1):
        try:
            if search.forces(state, move, 2 * turns - 1):
                return Reason("twice" if turns == 2 else "wins-in", turns)
        except TooManyError:
            return None
    return None


def _counted(rules: Rules, state: Any, move: int) -> Reason | None:
    """Return the reason for a move that prevents or threatens a win, or None for other moves."""
    left = [MAX_LOOKED]
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
    """Return the moves that win immediately in ``state``; empty if the game is over.

    ``left`` has one item, the number of positions that may still be searched. The search reduces
    this number. Raises TooManyError if the number falls below 0.
    """
    if rules.result(state) is not None:
        return ()
    mover, moves = rules.mover(state), rules.moves(state)
    left[0] -= len(moves)
    if left[0] < 0:
        raise TooManyError
    return [m for m in moves if mover in (rules.result(rules.apply(state, m)) or ())]
