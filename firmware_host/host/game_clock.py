"""The players' clocks. A player's clock runs while it is that player's turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import MAX_LEFT_S, ClockLeft, ClockTime
from tiltboard.firmware_host.journal.records import EventKind, Note
from tiltboard.firmware_host.table.commands import TimeUp
from tiltboard.firmware_host.table.move_line import sides
from tiltboard.firmware_host.table.status import GameStatus, Phase
from tiltboard.games.base import Game

# Maximum time by which a clock advances in one step, in seconds. A longer step means that the
# program was delayed.
HICCUP_S = 1.0
GRACE_S = 60.0  # Extra time for a player whose loss on time was taken back, in seconds.


def start_clocks(game: Game, time: ClockTime | None) -> ClockLeft | None:
    """Return the clocks at the start of ``game``, or None if ``time`` is None. Raises
    NotPossibleError unless the game is a board game with two sides.
    """
    if time is None:
        return None
    if game.seated or len(sides(game)) != 2:
        raise NotPossibleError(
            "A clock needs a board game of two sides.", remedy="Play without a clock."
        )
    left_s = dict.fromkeys(game.players, time.minutes * 60.0)
    return ClockLeft(time.minutes, time.increment_s, left_s)


class ClockInfo(msgspec.Struct, frozen=True):
    """The players' clocks as a page shows them."""

    minutes: int
    """Time of each player at the start, in minutes."""
    increment_s: int
    """Time added after each move, in seconds."""
    left_s: dict[str, int]
    """Player -> whole seconds left, rounded up."""
    running: str | None
    """The player whose clock runs, or None if no clock runs."""


class GameClock:
    """The clocks of one game. Clocks start after the first move, and only the clock of the player
    who thinks runs. Clocks stop while people push, correct or take back pieces, and during a pause.

    Not thread-safe: call from the table thread only.
    """

    state: ClockLeft | None
    """Time left on each player's clock, or None if the game has no clocks."""
    running: str | None
    """The player whose clock runs, or None if no clock runs."""

    def __init__(
        self, note: Note, state: ClockLeft | None = None, moves: int = 0, *, over: bool = False
    ) -> None:
        """Set up the clocks. ``moves``: number of moves already made; ``over``: True if the game
        has already ended.
        """
        self._note = note
        self.state, self._moves, self._over = state, moves, over
        self.running = None
        self._last_s = -math.inf
        self._mover: str | None = None
        self._unsaved = False

    @property
    def time(self) -> ClockTime | None:
        """The time control of this game, so that another game can use it too, or None if the game
        has no clocks.
        """
        return self.state and ClockTime(self.state.minutes, self.state.increment_s)

    def shown(self) -> ClockInfo | None:
        """Return the clocks as a page shows them, or None if the game has no clocks."""
        state = self.state
        if state is None:
            return None
        left_s = {player: math.ceil(left_s) for player, left_s in state.left_s.items()}
        return ClockInfo(state.minutes, state.increment_s, left_s, self.running)

    def step(self, status: GameStatus, now_s: float) -> Sequence[TimeUp]:
        """Advance the running clock to ``now_s``. Return a request to end the game if a player's
        time is up, or an empty sequence.
        """
        passed_s, self._last_s = min(now_s - self._last_s, HICCUP_S), now_s
        state = self.state
        if state is None:
            return ()
        made, over = len(status.moves), status.outcome is not None
        if made > self._moves and self._mover is not None:
            self._add(self._mover, state.increment_s)
        # A loss on time was taken back, so each player without time left gets extra time.
        elif self._over and not over:
            for player in [p for p, left_s in state.left_s.items() if left_s == 0]:
                self._add(player, GRACE_S)
        self._unsaved |= (made, over) != (self._moves, self._over)
        self._moves, self._mover, self._over = made, status.to_move, over
        if self.running is not None:
            self._add(self.running, -passed_s)
        if self._unsaved and self.state is not None:
            # Store the clocks after each move. A restart then gives back only the time since the
            # last move.
            self._unsaved = not self._note(self.state, EventKind.CLOCK)
        thinks = status.phase is Phase.TURN and not over and made
        self.running = status.to_move if thinks else None
        if self.running is None or self.state is None or self.state.left_s[self.running] > 0:
            return ()
        return (TimeUp(self.running, game=status.game_id),)

    def _add(self, player: str, seconds: float) -> None:
        if self.state is not None:
            left_s = min(max(0.0, self.state.left_s[player] + seconds), MAX_LEFT_S)
            self.state = replace(self.state, left_s={**self.state.left_s, player: left_s})
