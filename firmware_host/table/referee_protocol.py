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
    """Follows one game."""

    @property
    def menu_choice(self) -> str | None:
        """What was chosen at the table for the host to begin: a name from the menu, or ``AGAIN``.
        It stands until ``close_menu_choice``.
        """

    @property
    def failed(self) -> frozenset[str]:
        """Places whose sensors have failed and have not recovered, which people have been told."""

    def close_menu_choice(self, refused: Message | None = None) -> None:
        """It is done; or it cannot be, which people are told for a moment."""

    def set_up_again(self) -> None:
        """Hands have done with the board what they liked: nothing on it counts as a move until it
        is the position once more. A move that is being carried out goes on.
        """

    def carry_out(self, request: GameRequest) -> None:
        """Do what somebody asks for, if it is possible as the game stands. What changes the game is
        on disk when this returns; of a move that is still to be carried out the table says so where
        it cannot be noted, and notes it as soon as it can. Raises NotPossibleError, RulesError or
        JournalError, and then nothing has changed.
        """

    def step(self, sight: Sight, now_s: float, presses: Sequence[Press] = ()) -> Standing:
        """Judge one scan. ``presses``: debounced and timed
        (tiltboard.firmware_host.table.buttons).
        """
