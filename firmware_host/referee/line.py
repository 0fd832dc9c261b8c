"""The confirmed line of play: every position from the start, each move of it on disk."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.referee.port import JournalPort
from firmware_host.table.pending import PendingMove
from games.base import Game, Position, Turn


class Line:
    """One game as far as the journal has it. Changes only after the journal call has returned."""

    def __init__(
        self,
        journal: JournalPort,
        game: Game,
        game_id: int,
        moves: Sequence[str],
        reached: Sequence[Position] = (),
    ) -> None:
        """``reached``: the positions from the start through all ``moves``, where they are known.
        Else the moves are replayed. Raises IllegalMoveError.
        """
        self._journal = journal
        self.game = game
        self.game_id = game_id
        self._reached = list(reached) or [game.start()]
        for move in moves[len(self._reached) - 1 :]:
            self._reached.append(self.position.after(move))
        self._moves = list(moves)
        self._last: Turn | None = None
        self._finished = False

    @property
    def position(self) -> Position:
        """After the last confirmed move."""
        return self._reached[-1]

    @property
    def before(self) -> Position | None:
        """Before the last confirmed move; None where there is none."""
        return self._reached[-2] if self._moves else None

    @property
    def last(self) -> Turn | None:
        """The last confirmed move."""
        if self._moves and self._last is None:
            self._last = self._reached[-2].play(self._moves[-1])
        return self._last

    @property
    def moves(self) -> tuple[str, ...]:
        """All confirmed moves."""
        return tuple(self._moves)

    @property
    def finish_owed(self) -> bool:
        """The game is over, and the journal may not know the result yet."""
        return self.position.outcome is not None and not self._finished

    def confirm(self, turn: Turn) -> None:
        """Put ``turn`` on disk. Raises JournalError; then nothing has changed."""
        self._journal.append(self.game_id, len(self._moves) + 1, turn.move)
        self._moves.append(turn.move)
        self._reached.append(turn.position)
        self._last = turn

    def hold(self, pending: PendingMove | None) -> None:
        """Put on disk what is being carried out; None: it was dropped. Raises JournalError."""
        self._journal.hold(self.game_id, pending)

    def finish(self) -> None:
        """Put the result on disk. Raises JournalError."""
        outcome = self.position.outcome
        if outcome is not None:
            self._journal.finish(self.game_id, outcome.as_json())
            self._finished = True

    def take_back(self, to: int) -> None:
        """Take back all moves after the first ``to``, at once, on disk and here.

        Raises JournalError; then nothing has changed.
        """
        self._journal.take_back(self.game_id, len(self._moves), to)
        self._finished = False
        del self._moves[to:], self._reached[to + 1 :]
        self._last = None
