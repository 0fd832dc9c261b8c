"""The interface between the host and a game's referee, for board games and for games with private
seats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.status import GameStatus, Question

AGAIN = ""  # Menu choice that starts the same game again.
Menu = Callable[[], Question]
"""A function that returns the menu, which a long press of *back* opens."""


class GameReferee(Protocol):
    """The referee of one game. Referee implements it for board games, and SeatReferee for games
    with private seats.
    """

    @property
    def menu_choice(self) -> str | None:
        """The menu entry (or ``AGAIN``) that a player has chosen and the host must start. None if
        there is no choice, or after ``close_menu_choice`` was called.
        """

    @property
    def failed(self) -> frozenset[str]:
        """Places whose sensor has failed and not recovered since. People have been told about these
        failures.
        """

    def close_menu_choice(self, refused: Message | None = None) -> None:
        """Clear the menu choice after it was carried out or refused. ``refused``: the reason for a
        refusal, which is shown to people, or None.
        """

    def set_up_again(self) -> None:
        """Ignore changes on the board until it matches the position again, for example after free
        play. A move that is being carried out continues.
        """

    def carry_out(self, request: GameRequest) -> None:
        """Carry out a request. When this method returns, any change of the game is in the journal.
        A move that people must still carry out is stored in the journal as soon as possible. Raises
        NotPossibleError, RulesError or JournalError, with nothing changed.
        """

    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> GameStatus:
        """Process one scan and return the new state of the game. ``now_s``: time of the step in
        seconds; ``presses``: debounced button presses with their lengths
        (tiltboard.firmware_host.table.buttons).
        """
