"""The confirmed line of play: every position from the start, each move of it on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmware_host.table.overlay import Overlay
from firmware_host.table.pending import PendingMove
from games.base import Game, Outcome, Position, Turn


@dataclass(frozen=True, slots=True)
class Line:
    """One game as far as the journal has it. ``reached``: the positions from the start through all
    ``moves``; ``position``: after the last of them, ``last``. ``agreed``: how its players
    have ended it (table.agreement), if they have.
    """

    game: Game
    game_id: int
    moves: tuple[str, ...]
    reached: tuple[Position, ...]
    position: Position
    last: Turn | None
    agreed: Outcome | None = None

    @classmethod
    def of(
        cls,
        game: Game,
        game_id: int,
        moves: Sequence[str] = (),
        reached: Sequence[Position] = (),
        *,
        agreed: Outcome | None = None,
    ) -> Line:
        """Where ``reached`` is not known the moves are replayed. Raises IllegalMoveError."""
        known = list(reached) or [game.start()]
        for move in moves[len(known) - 1 :]:
            known.append(known[-1].after(move))
        last = known[-2].play(moves[-1]) if moves else None
        return cls(game, game_id, tuple(moves), tuple(known), known[-1], last, agreed)

    def played(self, turn: Turn) -> Line:
        """With one move more."""
        moves, reached = (*self.moves, turn.move), (*self.reached, turn.position)
        return replace(self, moves=moves, reached=reached, position=turn.position, last=turn)

    def shortened(self, to: int) -> Line:
        """Without the moves after the first ``to``, and not ended by its players."""
        return Line.of(self.game, self.game_id, self.moves[:to], self.reached[: to + 1])

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by its players or its rules; None while it goes on."""
        return self.agreed or self.position.outcome

    @property
    def before(self) -> Position | None:
        """Before the last confirmed move; None where there is none."""
        return self.reached[-2] if self.moves else None


@dataclass(frozen=True, slots=True)
class Beginning:
    """A game as it stands when a referee takes it on: a new one, or one from the journal, of which
    the board is then checked.

    ``resumed``: it was begun earlier, so what stands on the board may be a move that was not
    confirmed any more; after moves that is understood. ``taken_back``: the move that was taken back
    last; if it still stands there, that is no new one. ``pending``: the move that was being carried
    out. ``overlay``: where on the plate it lies.
    """

    line: Line
    resumed: bool = False
    taken_back: str | None = None
    pending: PendingMove | None = None
    overlay: Overlay | None = None
