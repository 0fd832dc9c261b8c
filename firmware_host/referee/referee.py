"""The referee: from what stands where to how the game stands."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from msgspec.structs import replace

from firmware_host.config.errors import JournalError, NotPossibleError
from firmware_host.messages import Message
from firmware_host.referee.book import Book, Pending
from firmware_host.referee.judging import describe, standing
from firmware_host.referee.progress import carry_out, follow_board, handle_presses
from firmware_host.referee.state import Guide, Play, State, why_unread
from firmware_host.table import play
from firmware_host.table.buttons import Press
from firmware_host.table.commands import GameRequest, SeatRequest
from firmware_host.table.line import Beginning, JournalPort
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Phase, Question, Standing


class Referee:
    """One table's referee of boards (an Arbiter). It judges whole boards, never single events, so
    that any way of getting to a board is as good as another; all its times are differences of the
    ``now_s`` it is given.
    """

    def __init__(
        self,
        journal: JournalPort,
        menu: Question | None = None,
        *,
        silent_failures: bool = False,
        tilts: bool = False,
    ) -> None:
        """``menu``: as for ``set_menu``. ``silent_failures``: sensors can fail without anything
        telling, as switches do; confirm then asks for a piece that nobody sees. ``tilts``: the
        plate may be tilted so that tiles slide.
        """
        self._journal = journal
        self._silent_failures = silent_failures
        self._tilts = tilts
        self._menu = menu
        self._state: State | None = None
        self._standing: Standing | None = None

    def step(self, sight: Sight, now_s: float, presses: Sequence[Press] = ()) -> Standing:
        """As in Arbiter."""
        state = self._state
        if state is None:
            return _no_game(sight)
        if self._standing is not None and not presses and state.rests(sight, now_s):
            return self._standing
        state = handle_presses(state.seeing(sight, now_s), self._journal, presses)
        return self._judge(state)

    def _judge(self, state: State) -> Standing:
        """How far the board shows that the game has come, and what is to be told."""
        if state.why_paused is None:
            state = follow_board(state, self._journal)
        state = describe(state)
        self._state, self._standing = state.until_next(), standing(state)
        return self._standing

    def carry_out(self, request: GameRequest) -> None:
        """As in Arbiter; by what was seen last."""
        before = self._state
        if before is None or isinstance(request, SeatRequest):
            raise NotPossibleError("This game has no seats.", remedy="Play it on the board.")
        request.check_current(before.play.line.game_id, before.step)
        if before.trouble is not None:
            raise before.trouble
        state = carry_out(before, self._journal, request)
        if state.trouble is not None:
            self._state = replace(before, trouble=state.trouble, retry_s=state.retry_s)
            raise state.trouble
        if before.seen.now_s > -inf:
            if state.why_paused is None:
                # Where the journal refuses to note what is to be carried out, play waits for that
                state = follow_board(state, self._journal)
            state = describe(state)
        self._state, self._standing = replace(state, wake_s=-inf), None

    def set_up_again(self) -> None:
        """Hands have done with the board what they liked: nothing on it counts as a move until it
        is the position once more. A move that is being carried out goes on.
        """
        state = self._state
        if state is None or state.play.pending is not None or state.play.line.outcome is not None:
            return
        play = replace(state.play, guide=Guide.SETUP, matched=False)
        self._state, self._standing = replace(state, play=play), None

    @property
    def setting_up(self) -> bool:
        """Whether nothing on the board counts as a move yet."""
        return self._state is not None and self._state.play.guide is Guide.SETUP

    def set_menu(self, menu: Question) -> None:
        """As in Arbiter."""
        self._menu = menu
        self._state = self._state and replace(self._state, menu=menu)

    def begin(self, beginning: Beginning) -> None:
        """As in Arbiter."""
        line, taken_back, pending = beginning.line, beginning.taken_back, beginning.pending
        position = line.position
        play = Play(
            line,
            Book(line.game, position),
            guide=None if beginning.resumed or line.moves else Guide.SETUP,
            pending=None if pending is None else Pending.noted(position, pending),
            held=pending,
            finished=line.agreed is not None,
            taken_back=None if taken_back is None else position.play(taken_back),
        )
        self._state = State(play, self._menu, self._silent_failures, self._tilts)

    @property
    def step_number(self) -> int:
        """As in Arbiter."""
        return 0 if self._state is None else self._state.step

    @property
    def trouble(self) -> JournalError | None:
        """Why nothing can be confirmed now."""
        return None if self._state is None else self._state.trouble

    @property
    def wish(self) -> str | None:
        """As in Arbiter."""
        return None if self._state is None else self._state.wish

    def answer_wish(self, refused: Message | None = None) -> None:
        """As in Arbiter."""
        if self._state is not None:
            state = replace(self._state, wish=None)
            self._state = state if refused is None else replace(state.noticed(refused), wake_s=-inf)


def _no_game(sight: Sight) -> Standing:
    """The standing before any game has begun."""
    why = why_unread(sight)
    phase = Phase.SETUP if why is None else Phase.PAUSED
    said = play.NO_GAME if why is None else why
    return Standing(phase, None, None, None, None, (), {}, {}, (), said, None)
