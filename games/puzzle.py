"""A puzzle as a game: any move may be tried, and it goes on after the right one alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.base import Game, IllegalMoveError, Position, RulesError
from games.guided import WrappedGame, WrappedRules


class PuzzleGame(WrappedGame):
    """After ``opening`` whoever is to move finds ``solution``. ``reply``: what the other side then
    answers, where it goes on; the next move of the first is to win at once.
    """

    rules: PuzzleRules

    def __init__(
        self, game: Game, opening: Sequence[str], solution: str, reply: str | None
    ) -> None:
        super().__init__(game, opening, PuzzleRules(game.rules, len(opening)))
        self.solution, self.reply = solution, reply
        start = self.start()
        self.solver = start.mover
        self.rules.expect(start.state, solution, reply)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """By the game's rules; after a wrong move there is nothing but to take it back."""
        if move in position.legal():
            return None
        return self._game.refusal(position, move) or _NOT_HERE

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """The same for a piece put somewhere."""
        return self._game.drop_refusal(position, piece, place) or _NOT_HERE


class PuzzleRules(WrappedRules):
    """Any first move after ``begun`` moves; then the reply, and any move once more."""

    def __init__(self, rules: Any, begun: int) -> None:
        super().__init__(rules)
        self._begun = begun
        self._right = self._answered = -1  # the keys of the positions on the way
        self._reply: int | None = None

    def expect(self, state: Any, solution: str, reply: str | None) -> None:
        """From ``state`` on."""
        right, answer = self.number(solution), None if reply is None else self.number(reply)
        if right is None:
            raise IllegalMoveError("{move} is not a legal move now.", move=solution)
        state = self.apply(state, right)
        self._right, self._reply = self.key(state), answer
        if answer is not None:
            self._answered = self.key(self.apply(state, answer))

    def moves(self, state: Any) -> Sequence[int]:
        """What may be tried now."""
        made, key = state.turn - self._begun, self.key(state)
        if made == 1:
            fits = key == self._right and self._reply is not None
            return [self._reply] if fits and self._reply is not None else []
        tries = made == 0 or (made == 2 and key == self._answered)
        return self._rules.moves(state) if tries else []


_NOT_HERE = IllegalMoveError("Not here: take it back and try again.")
