"""The state of one game with private seats as an immutable value. The lights and sentences are
computed from this value.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalError
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seat_bots import Hinted
from tiltboard.firmware_host.table.move_line import Line
from tiltboard.firmware_host.table.referee_protocol import Menu
from tiltboard.firmware_host.table.status import OpenQuestion, Sound
from tiltboard.firmware_host.table.zones import Evidence, Proposal, ZoneOverlay
from tiltboard.games.base import Position
from tiltboard.games.seated import SeatedGame

RETRY_S = 1.0  # Delay between attempts to write the journal after an error, in seconds.


class SeatState(Struct, frozen=True):
    """The state of one game with private seats, as one immutable value."""

    line: Line
    """The confirmed moves of the game, as the journal stores them."""
    overlay: ZoneOverlay
    """The zones of the game on the plate."""
    menu: Menu | None
    """Function that returns the menu for a long press of back, or None if there is no menu."""
    step: int
    """A number that changes whenever a player's decision could change, except after a pass. A
    decision that was made for an earlier number does not count.
    """
    finished: bool = False
    """True if the result of the game is in the journal."""
    sounds: tuple[Sound, ...] = ()
    """Sounds that start in this step."""
    asked_hints: Mapping[str, int] = field(default_factory=dict)
    """Player who asked for a hint -> number of the step in which they asked."""
    hints: Mapping[str, Hinted] = field(default_factory=dict)
    """Player -> hint that only the seat of that player can see."""
    evidence: Evidence = field(default_factory=Evidence)
    """Evidence from the sensors about moves that people made by hand."""
    requested: Proposal | None = None
    """The move that people must carry out for a bot or for another player, or None."""
    asking: OpenQuestion[str] = field(default_factory=OpenQuestion)
    """The menu of games, open or closed."""
    notice: Message | None = None
    """Message that is shown until the next press or move, or None."""
    chance_since_s: float | None = None
    """Time since which a bot's turn has waited for a random draw, in seconds, or None."""
    counting: int | None = None
    """Seconds left of a count of five seconds, or None if no count is running."""
    count_ends_s: float = inf
    """Time at which the count of five seconds ends, in seconds, or infinite until the count has
    started.
    """
    menu_choice: str | None = None
    """The menu choice that the host must still carry out, or None."""
    trouble: JournalError | None = None
    """The error that prevents writing the journal, or None."""
    retry_s: float = 0.0
    """Time of the next attempt to write the journal, in seconds."""

    @property
    def game(self) -> SeatedGame:
        """The game with its options."""
        return self.overlay.game

    @property
    def position(self) -> Position:
        """The position after the last confirmed move."""
        return self.line.position

    @property
    def proposal(self) -> Proposal | None:
        """The move that waits for confirmation, or None. Either the sensors detected the move, or
        people must carry it out for another player.
        """
        return self.evidence.proposal or self.requested

    @property
    def moves_after_undo(self) -> int | None:
        """Number of moves that remain after an undo, or None if the last move cannot be taken back.

        After the end of a game with a secret seed, no move can be taken back, because people may
        know the later random draws.
        """
        game, moves = self.game, self.line.moves
        if self.position.over and game.secret_options:
            return None
        for at in range(len(moves) - 1, -1, -1):
            if game.takes_back(moves[at]):
                return at
            if not game.passes(moves[at]):
                break
        return None

    def sounding(self, *sounds: Sound) -> SeatState:
        """Return the state with ``sounds`` added."""
        return replace(self, sounds=(*self.sounds, *sounds))

    def with_write_error(self, error: JournalError, now_s: float) -> SeatState:
        """Return the state after ``error`` prevented writing the journal, with the time of the next
        attempt.
        """
        state = self if self.trouble is not None else self.sounding(Sound.PAUSED)
        return replace(state, trouble=error, retry_s=now_s + RETRY_S)
