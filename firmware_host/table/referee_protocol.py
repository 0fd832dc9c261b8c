"""The interface between the host and the referee of a game, on a board or at seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.standing import Question, Standing

AGAIN = ""  # Menu choice that starts the same game again.
Menu = Callable[[], Question]
"""A function that returns the menu, which a long press of *back* opens."""


class GameReferee(Protocol):
    """The referee of one game, on a board (Referee) or at seats (SeatReferee)."""

    @property
    def menu_choice(self) -> str | None:
        """The menu entry, or ``AGAIN``, that a player has chosen and the host must start. None if
        there is no choice, and after ``close_menu_choice``.
        """

    @property
    def failed(self) -> frozenset[str]:
        """Places whose sensor has failed and not recovered, and whose failure has been
        announced.
        """

    def close_menu_choice(self, refused: Message | None = None) -> None:
        """Clear the menu choice after it was carried out or refused. ``refused``: the reason for a
        refusal, which is shown to people, or None.
        """

    def set_up_again(self) -> None:
        """Ignore the board until it shows the position again, for example after free play. A move
        that is being carried out continues.
        """

    def carry_out(self, request: GameRequest) -> None:
        """Carry out a request. A change of the game is in the journal when this returns. A move
        that people must still carry out is stored in the journal as soon as possible. Raises
        NotPossibleError, RulesError or JournalError, with nothing changed.
        """

    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> Standing:
        """Process one scan and return the new standing. ``now_s``: time of the step in seconds;
        ``presses``: debounced presses with their lengths (tiltboard.firmware_host.table.buttons).
        """
