"""The referee of a game with private seats. It manages turns, random draws, bots, and what people
see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seat_bots import Computers, Hinted
from tiltboard.firmware_host.referee.seat_progress import Parts, SeatScan, carry_out, follow
from tiltboard.firmware_host.referee.seat_state import SeatState
from tiltboard.firmware_host.referee.seat_view import status
from tiltboard.firmware_host.referee.seats import Seats
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.move_line import JournalPort, Line
from tiltboard.firmware_host.table.referee_protocol import GameReferee, Menu
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.status import GameStatus, Sound
from tiltboard.firmware_host.table.zones import Proposal, ZoneOverlay
from tiltboard.games.base import Position
from tiltboard.games.seated import SeatedGame
from tiltboard.ground.override import override


class SeatReferee(GameReferee):
    """The referee of one game with private seats. It implements GameReferee.

    The confirm button accepts the proposed move. Without a proposed move, confirm rolls or deals.
    The back button first marks the proposed move as doubtful; the next press rejects it. Without a
    proposed move, back takes back the last move.
    """

    game: SeatedGame
    """The game with its options."""

    def __init__(
        self,
        journal: JournalPort,
        seats: Seats,
        overlay: ZoneOverlay,
        line: Line,
        menu: Menu | None = None,
        *,
        resumed: bool = False,
        failed: frozenset[str] = frozenset(),
    ) -> None:
        """Start or resume the game of ``line``. ``overlay``: the zones of the game on the plate.
        ``resumed``: True if the game began earlier. ``failed``: places whose sensors had failed in
        the previous game.
        """
        self.game = overlay.game
        self._failed = failed
        self._parts = Parts(journal, seats, Computers(), Computers())
        sounds = () if resumed else (Sound.START,)
        self._state = SeatState(line, overlay, menu, len(line.moves) + 1, sounds=sounds)
        self._standing: tuple[tuple[object, ...], GameStatus] | None = None

    @override
    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> GameStatus:
        state = follow(self._state, self._parts, SeatScan(sight, now_s), presses)
        self._state = replace(state, sounds=()) if state.sounds else state
        notices = state.trouble, state.asking.question, state.notice, state.sounds
        made_of = state.position, state.step, state.counting, state.proposal, *notices
        if self._standing is None or self._standing[0] != made_of:
            self._standing = made_of, status(state)
        return self._standing[1]

    @override
    def carry_out(self, request: GameRequest) -> None:
        request.check_current(self._state.line.game_id, self._state.step)
        self._state = carry_out(self._state, self._parts, request)

    def set_up_again(self) -> None:
        """Do nothing, because people report the pieces of a game with private seats themselves."""

    @property
    @override
    def menu_choice(self) -> str | None:
        return self._state.menu_choice

    @override
    def close_menu_choice(self, refused: Message | None = None) -> None:
        notice = refused or self._state.notice
        self._state = replace(self._state, menu_choice=None, notice=notice)

    @property
    @override
    def failed(self) -> frozenset[str]:
        # The failed places are stored for the next game. A game with private seats does not
        # announce sensor failures.
        return self._failed

    # Values that the pages of the seats show

    @property
    def position(self) -> Position:
        """The position after the last move. The state of the game (``status``) shows this
        position from the next step on.
        """
        return self._state.position

    @property
    def step_number(self) -> int:
        """Number of the referee's step. A request repeats this number, so that a late request can
        be refused.
        """
        return self._state.step

    @property
    def counting(self) -> int | None:
        """Seconds left of a count of five seconds, or None if no count is running."""
        return self._state.counting

    @property
    def proposal(self) -> Proposal | None:
        """The move that waits for confirmation, or None. Either the sensors detected the move, or
        people must carry it out for another player.
        """
        return self._state.proposal

    @property
    def for_hands(self) -> str | None:
        """The move that people must carry out for another player, usually a bot, or None."""
        return None if self._state.requested is None else self._state.requested.move

    @property
    def hints(self) -> Mapping[str, Hinted]:
        """Player -> hint that only the seat of that player can see."""
        return self._state.hints
