"""A puzzle as a game: any move may be tried, and it goes on after the right one alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.base import Game, IllegalMoveError, Position, RulesError
from games.guided import WrappedGame, WrappedRules


class PuzzleGame(WrappedGame):
    """After ``opening`` whoever is to move finds ``line``: the solution, what the other side then
    answers, the next solution and so on. After its last answer he is to win at once.
    """

    rules: PuzzleRules

    def __init__(self, game: Game, opening: Sequence[str], line: Sequence[str]) -> None:
        super().__init__(game, opening, PuzzleRules(game.rules, len(opening)))
        self.line = tuple(line)
        start = self.start()
        self.solver = start.mover
        self.rules.expect(start.state, line)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """By the game's rules; after a wrong move there is nothing but to take it back."""
        if move in position.legal():
            return None
        return self._game.refusal(position, move) or _NOT_HERE

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """As ``refusal``, for a piece that was put somewhere."""
        return self._game.drop_refusal(position, piece, place) or _NOT_HERE


class PuzzleRules(WrappedRules):
    """Any move of the solver's after ``begun`` moves; the line goes on after the right ones."""

    def __init__(self, rules: Any, begun: int) -> None:
        super().__init__(rules)
        self._begun = begun
        self._keys: list[int] = []  # of the positions on the way, before each move of the line
        self._line: list[int] = []

    def expect(self, state: Any, line: Sequence[str]) -> None:
        """Note what is expected from ``state`` on, move by move."""
        for name in line:
            move = self.number(name)
            if move is None:
                raise IllegalMoveError("{move} is not a legal move now.", move=name)
            self._keys.append(self.key(state))
            self._line.append(move)
            state = self.apply(state, move)
        self._keys.append(self.key(state))

    def moves(self, state: Any) -> Sequence[int]:
        """What may be tried now."""
        made = state.turn - self._begun
        if not 0 <= made < len(self._keys) or (self._keys and self.key(state) != self._keys[made]):
            return self._rules.moves(state) if made == 0 else []
        if made % 2 == 0:
            return self._rules.moves(state)
        return self._line[made : made + 1]


_NOT_HERE = IllegalMoveError("Not here: take it back and try again.")
