"""What the host asks of whoever follows a game: the referee of a board, or of a game of seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.buttons import Press
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.standing import Question, Standing

AGAIN = ""  # As a menu choice: the same game once more
Menu = Callable[[], Question]
"""What a long press of *back* offers."""


class GameReferee(Protocol):
    """Follows one game: on a board (Referee), or at seats (SeatReferee)."""

    @property
    def menu_choice(self) -> str | None:
        """A menu entry, or ``AGAIN``, that was chosen at the table for the host to begin; None once
        ``close_menu_choice`` was called.
        """

    @property
    def failed(self) -> frozenset[str]:
        """Places whose sensors have failed and have not recovered, which people have been told."""

    def close_menu_choice(self, refused: Message | None = None) -> None:
        """Forget the choice, which was carried out or ``refused``; people are told why."""

    def set_up_again(self) -> None:
        """Take nothing on the board for a move until it shows the position again, as after free
        play. A move that is being carried out goes on.
        """

    def carry_out(self, request: GameRequest) -> None:
        """Do what somebody asks for. What changes the game is on disk when this returns; a move
        that has yet to be carried out is noted as soon as the disk takes it. Raises
        NotPossibleError, RulesError or JournalError, and then nothing has changed.
        """

    def step(self, sight: Sight, now_s: float, presses: Sequence[Press] = ()) -> Standing:
        """Judge one scan. ``presses``: debounced and timed
        (tiltboard.firmware_host.table.buttons).
        """
