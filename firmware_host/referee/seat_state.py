"""The state of one game of seats, as a value: what is told of it follows from this alone."""

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
from tiltboard.firmware_host.table.standing import Asking, Sound
from tiltboard.firmware_host.table.zones import Evidence, Proposal, ZoneOverlay
from tiltboard.games.base import Position
from tiltboard.games.seated import SeatedGame

RETRY_S = 1.0  # Between attempts to write a journal that refuses.


class SeatState(Struct, frozen=True):
    """The state of one game of seats."""

    line: Line
    """The moves on disk."""
    overlay: ZoneOverlay
    """The game's zones on the plate."""
    menu: Menu | None
    """The menu of a long press of back, or None."""
    step: int
    """Changes with everything that may change a player's mind, so that an older decision does not
    count; passing does not change it."""
    finished: bool = False
    """Whether the result is on disk."""
    sounds: tuple[Sound, ...] = ()
    """New in this step."""
    asked_hints: Mapping[str, int] = field(default_factory=dict)
    """Player who asked for a hint -> the step in which that was."""
    hints: Mapping[str, Hinted] = field(default_factory=dict)
    """Player -> what only that seat may be shown."""
    evidence: Evidence = field(default_factory=Evidence)
    """The sensors' account of what hands did."""
    wished: Proposal | None = None
    """The move that hands have to make for a bot, or for somebody who cannot."""
    asking: Asking[str] = field(default_factory=Asking)
    """The menu."""
    notice: Message | None = None
    """Told until the next press."""
    chance_since_s: float | None = None
    """Since when a bot's turn waits for chance."""
    counting: int | None = None
    """Seconds left of a count of five, or None while nobody counts."""
    count_ends_s: float = inf
    """Five seconds after the step in which the count is asked for."""
    menu_choice: str | None = None
    """The menu choice that the host has yet to carry out, or None."""
    trouble: JournalError | None = None
    """Why the journal could not be written."""
    retry_s: float = 0.0
    """The time of the next attempt."""

    @property
    def game(self) -> SeatedGame:
        """The game and its options."""
        return self.overlay.game

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self.line.position

    @property
    def proposal(self) -> Proposal | None:
        """The move that hands seem to have made, or have to make; people say how it went."""
        return self.evidence.proposal or self.wished

    @property
    def kept(self) -> int | None:
        """Number of moves that an undo leaves, or None if the last move cannot be taken back.

        It cannot after the end: by then anybody may know the later random draws.
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
        """Return the state with these sounds too."""
        return replace(self, sounds=(*self.sounds, *sounds))

    def refused(self, error: JournalError, now_s: float) -> SeatState:
        """Return the state after the journal could not be written."""
        state = self if self.trouble is not None else self.sounding(Sound.PAUSED)
        return replace(state, trouble=error, retry_s=now_s + RETRY_S)
