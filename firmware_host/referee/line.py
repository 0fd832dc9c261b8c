"""The confirmed line of play: every position from the start, each move of it on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from games.base import Game, Position, Turn


@dataclass(frozen=True, slots=True)
class Line:
    """One game as far as the journal has it. ``reached``: the positions from the start through all
    ``moves``; ``position``: after the last of them, ``last``.
    """

    game: Game
    game_id: int
    moves: tuple[str, ...]
    reached: tuple[Position, ...]
    position: Position
    last: Turn | None

    @classmethod
    def of(
        cls, game: Game, game_id: int, moves: Sequence[str], reached: Sequence[Position] = ()
    ) -> Line:
        """Where ``reached`` is not known the moves are replayed. Raises IllegalMoveError."""
        known = list(reached) or [game.start()]
        for move in moves[len(known) - 1 :]:
            known.append(known[-1].after(move))
        last = known[-2].play(moves[-1]) if moves else None
        return cls(game, game_id, tuple(moves), tuple(known), known[-1], last)

    def played(self, turn: Turn) -> Line:
        """With one move more."""
        moves, reached = (*self.moves, turn.move), (*self.reached, turn.position)
        return replace(self, moves=moves, reached=reached, position=turn.position, last=turn)

    def shortened(self, to: int) -> Line:
        """Without the moves after the first ``to``."""
        return Line.of(self.game, self.game_id, self.moves[:to], self.reached[: to + 1])

    @property
    def before(self) -> Position | None:
        """Before the last confirmed move; None where there is none."""
        return self.reached[-2] if self.moves else None
