"""The interface between the host and the referee of a game, on a board or of seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.standing import Question, Standing

AGAIN = ""  # As a menu choice: the same game once more
Menu = Callable[[], Question]
"""A function that returns the menu, which a long press of *back* opens."""


class GameReferee(Protocol):
    """The referee of one game: on a board (Referee), or at seats (SeatReferee)."""

    @property
    def menu_choice(self) -> str | None:
        """The menu entry, or ``AGAIN``, that was chosen at the table for the host to begin; None
        once ``close_menu_choice`` was called.
        """

    @property
    def failed(self) -> frozenset[str]:
        """Places whose sensors have failed and not recovered, and whose failure was announced."""

    def close_menu_choice(self, refused: Message | None = None) -> None:
        """Forget the choice, which was carried out or ``refused``; people are told why."""

    def set_up_again(self) -> None:
        """Ignore the board until it shows the position again, as after free play. A move that is
        being carried out continues.
        """

    def carry_out(self, request: GameRequest) -> None:
        """Do what a request asks for. A change of the game is in the journal when this returns; a
        move that has yet to be carried out is noted there as soon as possible. Raises
        NotPossibleError, RulesError or JournalError, with nothing changed.
        """

    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> Standing:
        """Process one scan and return the new standing. ``presses``: debounced and timed
        (tiltboard.firmware_host.table.buttons).
        """
