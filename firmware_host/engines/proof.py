"""A proof search: who wins by force within so many plies, by the rules alone.

Exhaustive, so that what it proves is right or a rule is wrong: an and-or search by iterative
deepening, two plies at a time, that remembers of each position within how many plies it is won, and
within how many it is not. For games of two players who take turns, without secrets or chance.
"""

from __future__ import annotations

from typing import Any

from firmware_host.config.errors import NotPossibleError
from games.rules import CHANCE, Rules


class TooManyError(Exception):
    """More positions would have to be looked at than may be."""


class ProofSearch:
    """The proofs of one game; what was found of a position serves for the next. ``most``: positions
    looked at; what needs more raises TooManyError.
    """

    def __init__(self, rules: Rules, most: int | None = None) -> None:
        if rules.players != 2 or CHANCE in rules.awaiting(rules.start()):
            raise NotPossibleError("A proof is for games of two players without chance.")
        self.rules = rules
        self._won: dict[int, int] = {}  # key -> plies within which the mover is proven to win
        self._open: dict[int, int] = {}  # key -> plies within which he does not
        self._answers: dict[int, int] = {}  # plies left -> the reply that refuted the last move
        self._best: dict[int, int] = {}  # key -> the move that won, or was tried last
        self.looked = 0
        self.left = most

    def soonest(self, state: Any, most_turns: int) -> tuple[int, int] | None:
        """In how many of his turns the mover wins whatever the other does, and by which move; None
        where he does not within ``most_turns``.
        """
        for turns in range(1, most_turns + 1):
            move = self.winning(state, 2 * turns - 1)
            if move is not None:
                return turns, move
        return None

    def winning(self, state: Any, plies: int) -> int | None:
        """A move by which the mover wins within that many plies."""
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
        """Whether ``move`` wins for its mover within that many plies, itself counted."""
        rules, after = self.rules, self._applied(state, move)
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

    def _applied(self, state: Any, move: int) -> Any:
        if self.left is not None:
            if self.left <= 0:
                raise TooManyError
            self.left -= 1
        return self.rules.apply(state, move)

    def loses(self, state: Any, move: int, plies: int) -> bool:
        """Whether after ``move`` the other wins within that many plies, it counted."""
        after = self._applied(state, move)
        over = self.rules.result(after)
        if over is not None:
            return over == (1 - self.rules.mover(state),)
        return self.winning(after, plies - 1) is not None


def _first(moves: list[int], move: int | None) -> None:
    if move in moves:
        moves.remove(move)
        moves.insert(0, move)
