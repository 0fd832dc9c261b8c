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
    ) -> None:
        """Replay ``moves``. Raises IllegalMoveError."""
        self._journal = journal
        self.game = game
        self.game_id = game_id
        self._start = game.start()
        self._turns: list[Turn] = []
        for move in moves:
            self._turns.append(self.position.play(move))
        self._finished = False

    @property
    def position(self) -> Position:
        """After the last confirmed move."""
        return self._turns[-1].position if self._turns else self._start

    @property
    def before(self) -> Position | None:
        """Before the last confirmed move; None where there is none."""
        if not self._turns:
            return None
        return self._turns[-2].position if len(self._turns) > 1 else self._start

    @property
    def last(self) -> Turn | None:
        """The last confirmed move."""
        return self._turns[-1] if self._turns else None

    @property
    def moves(self) -> tuple[str, ...]:
        """All confirmed moves."""
        return tuple(turn.move for turn in self._turns)

    @property
    def finish_owed(self) -> bool:
        """The game is over, and the journal may not know the result yet."""
        return self.position.outcome is not None and not self._finished

    def confirm(self, turn: Turn) -> None:
        """Put ``turn`` on disk. Raises JournalError; then nothing has changed."""
        self._journal.append(self.game_id, len(self._turns) + 1, turn.move)
        self._turns.append(turn)

    def hold(self, pending: PendingMove | None) -> None:
        """Put on disk what is being carried out; None: it was dropped. Raises JournalError."""
        self._journal.hold(self.game_id, pending)

    def finish(self) -> None:
        """Put the result on disk. Raises JournalError."""
        outcome = self.position.outcome
        if outcome is not None:
            self._journal.finish(self.game_id, outcome.as_json())
            self._finished = True

    def take_back(self) -> Turn:
        """Take the last move back on disk and here; returns it. Raises JournalError."""
        self._journal.take_back(self.game_id, len(self._turns))
        self._finished = False
        return self._turns.pop()
