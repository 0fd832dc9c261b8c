"""The referee of a game of seats: whose move it is, what chance decides, what people see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seat_bots import Computers, Hinted
from tiltboard.firmware_host.referee.seat_progress import Parts, SeatScan, carry_out, follow
from tiltboard.firmware_host.referee.seat_state import SeatState
from tiltboard.firmware_host.referee.seat_view import standing
from tiltboard.firmware_host.referee.seats import Seats
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.move_line import JournalPort, Line
from tiltboard.firmware_host.table.referee_protocol import GameReferee, Menu
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.standing import Sound, Standing
from tiltboard.firmware_host.table.zones import Proposal, ZoneOverlay
from tiltboard.games.base import Position
from tiltboard.games.seated import SeatedGame
from tiltboard.ground.override import override


class SeatReferee(GameReferee):
    """The referee of one game of seats, a GameReferee.

    With the buttons of the table, confirm says that what was seen is right, or rolls and deals;
    back says that it may not be so, and then that it is not; else it takes back.
    """

    game: SeatedGame
    """The game and its options."""

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
        """``overlay``: the zones on the plate of the game of ``line``. ``resumed``: it began
        earlier. ``failed``: sensors that had failed in the game before.
        """
        self.game = overlay.game
        self._failed = failed
        self._parts = Parts(journal, seats, Computers(), Computers())
        sounds = () if resumed else (Sound.START,)
        self._state = SeatState(line, overlay, menu, len(line.moves) + 1, sounds=sounds)
        self._standing: tuple[tuple[object, ...], Standing] | None = None

    @override
    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> Standing:
        state = follow(self._state, self._parts, SeatScan(sight, now_s), presses)
        self._state = replace(state, sounds=()) if state.sounds else state
        told = state.trouble, state.asking.question, state.notice, state.sounds
        made_of = state.position, state.step, state.counting, state.proposal, *told
        if self._standing is None or self._standing[0] != made_of:
            self._standing = made_of, standing(state)
        return self._standing[1]

    @override
    def carry_out(self, request: GameRequest) -> None:
        request.check_current(self._state.line.game_id, self._state.step)
        self._state = carry_out(self._state, self._parts, request)

    def set_up_again(self) -> None:
        """Do nothing: people say what lies there."""

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
        return self._failed  # Kept for the next game: this one says nothing of sensors.

    # What the seats are shown

    @property
    def position(self) -> Position:
        """The position after the last move, which the standing shows from the next step on."""
        return self._state.position

    @property
    def step_number(self) -> int:
        """Number of the step, as requests name it."""
        return self._state.step

    @property
    def counting(self) -> int | None:
        """Seconds left of a count of five, or None while nobody counts."""
        return self._state.counting

    @property
    def proposal(self) -> Proposal | None:
        """The move that hands seem to have made, or have to make; people say how it went."""
        return self._state.proposal

    @property
    def for_hands(self) -> str | None:
        """The move that hands have to make for somebody, mostly a bot, or None."""
        return None if self._state.wished is None else self._state.wished.move

    @property
    def hints(self) -> Mapping[str, Hinted]:
        """Player -> what only that seat may be shown."""
        return self._state.hints
