"""The referee of board games, which derives the state of the game from the pieces on the plate."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalError
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.guidance import describe, status
from tiltboard.firmware_host.referee.move_matching import AwaitedMove, MoveMatcher
from tiltboard.firmware_host.referee.progress import carry_out, follow_board, handle_presses
from tiltboard.firmware_host.referee.state import Guide, Play, RefereeState
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.commands import GameRequest
from tiltboard.firmware_host.table.move_line import JournalPort, Line, PendingMove
from tiltboard.firmware_host.table.referee_protocol import GameReferee, Menu
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.status import GameStatus
from tiltboard.ground.override import override


class Referee(GameReferee):
    """The referee of one game on a board. It implements GameReferee.

    The referee judges whole boards, never single events, so the order in which people move pieces
    does not matter. All durations are differences of the ``now_s`` values passed to ``step``, in
    seconds.
    """

    def __init__(
        self,
        journal: JournalPort,
        line: Line,
        menu: Menu | None = None,
        *,
        resumed: bool = False,
        taken_back: str | None = None,
        pending: PendingMove | None = None,
        silent_failures: bool = False,
        tilts: bool = False,
        failed: frozenset[str] = frozenset(),
    ) -> None:
        """Start a new game, or resume a game from the journal and check its board.

        ``menu``: a function that returns the menu, or None.

        ``resumed``: True if the game began earlier, so that the board may show a move that is not
        confirmed yet. Such a move is recognised if the game has earlier moves.

        ``taken_back``: the move that was undone last, or None. If the board still shows this move,
        the move does not count as a new move.

        ``pending``: the move that people were carrying out, or None.

        ``silent_failures``: True if sensors can fail undetected, as switches do. A press of confirm
        then reports a piece that no sensor detects.

        ``tilts``: True if people can tilt the plate so that tiles slide.

        ``failed``: places whose sensor failure has been announced already.

        Raises IllegalMoveError if the undone or pending move is not legal.
        """
        self._journal = journal
        position = line.position
        play = Play(
            line,
            MoveMatcher(line.game, position),
            guide=None if resumed or line.moves else Guide.SETUP,
            pending=None if pending is None else AwaitedMove.from_journal(position, pending),
            held=pending,
            finished=line.agreed is not None,
            taken_back=None if taken_back is None else position.play(taken_back),
        )
        self._state = RefereeState(play, menu, silent_failures, tilts, failed=failed)
        self._standing: GameStatus | None = None

    @override
    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> GameStatus:
        state = self._state
        if self._standing is not None and not presses and state.is_idle(sight, now_s):
            return self._standing
        state = handle_presses(state.seeing(sight, now_s), self._journal, presses)
        if state.why_paused is None:
            state = follow_board(state, self._journal)
        state = describe(state)
        self._state, self._standing = state.until_next(), status(state)
        return self._standing

    @override
    def carry_out(self, request: GameRequest) -> None:
        before = self._state
        request.check_current(before.play.line.game_id, before.step)
        if before.trouble is not None:
            raise before.trouble
        try:
            state = carry_out(before, self._journal, request)
        except JournalError as error:
            self._state = replace(before.with_write_error(error), wake_s=-inf)
            raise
        if before.seen.now_s > -inf:
            if state.why_paused is None:
                # Store the requested move in the journal. If that fails, play pauses until a retry
                # succeeds.
                state = follow_board(state, self._journal)
            state = describe(state)
        self._state, self._standing = replace(state, wake_s=-inf), None

    @override
    def set_up_again(self) -> None:
        play = self._state.play
        if play.pending is None and play.line.outcome is None:
            play = replace(play, guide=Guide.SETUP, matched=False)
            self._state, self._standing = replace(self._state, play=play), None

    @property
    @override
    def failed(self) -> frozenset[str]:
        return self._state.failed

    @property
    @override
    def menu_choice(self) -> str | None:
        return self._state.menu_choice

    @override
    def close_menu_choice(self, refused: Message | None = None) -> None:
        state = replace(self._state, menu_choice=None)
        self._state = state if refused is None else replace(state.with_notice(refused), wake_s=-inf)
