"""The referee: from what stands where to how the game stands."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from msgspec.structs import replace

from firmware_host.config.errors import JournalError, NotPossibleError
from firmware_host.guidance import turns
from firmware_host.messages import Message
from firmware_host.referee.book import Book, Pending
from firmware_host.referee.following import followed
from firmware_host.referee.hearing import heard
from firmware_host.referee.play import Guide, Play
from firmware_host.referee.state import State, why_unread
from firmware_host.referee.telling import standing, told
from firmware_host.referee.unseen import Claim
from firmware_host.table.agreement import resignation, side_of
from firmware_host.table.buttons import Press
from firmware_host.table.commands import (
    Answer,
    MakeMove,
    OfferDraw,
    Request,
    Resign,
    TakeBack,
    TimeUp,
)
from firmware_host.table.journal_port import JournalPort
from firmware_host.table.line import Beginning
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Phase, Question, Standing


class Referee:
    """One table's referee. It judges whole boards, never single events, so that any way of getting
    to a board is as good as another; all its times are differences of the ``now_s`` it is given.
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

    def step(
        self,
        sight: Sight,
        now_s: float,
        presses: Sequence[Press] = (),
        requests: Sequence[Request] = (),
    ) -> Standing:
        """Judge one scan. ``presses``: debounced and timed (firmware_host.table.buttons)."""
        state = self._state
        if state is None:
            return _no_game(sight)
        asked = bool(presses or requests)
        if self._standing is not None and not asked and state.rests(sight, now_s):
            return self._standing
        state = state.seeing(sight, now_s)
        state = heard(state, self._journal, presses, requests)
        if state.why_paused is None:
            state = followed(state, self._journal)
        state = told(state)
        self._state = state.until_next()
        self._standing = standing(state)
        return self._standing

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
        """What is asked for at the table where there is no page; its answer is ``wants_game``."""
        self._menu = menu
        self._state = self._state and replace(self._state, menu=menu)

    def begin(self, beginning: Beginning) -> None:
        """Another game. Raises IllegalMoveError for a move that was taken back, or is pending, and
        cannot have been made.
        """
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

    def check(self, request: Request) -> None:
        """Raises NotPossibleError where ``request`` could not be carried out now."""
        state = self._state
        if isinstance(request, TakeBack):
            if state is None or not (
                state.made or state.play.line.moves or state.play.line.agreed is not None
            ):
                raise NotPossibleError("There is no move to take back.")
            if request.to is not None and request.to >= len(state.play.line.moves) + state.made:
                raise NotPossibleError(
                    "There is no move after move {to} to take back.", to=request.to
                )
        elif isinstance(request, Answer) and state is not None:
            state.asking.check(request.value)
        elif isinstance(request, MakeMove):
            if state is None or not state.may_make(request.move):
                raise NotPossibleError("{move} is not a legal move now.", move=request.move)
        elif isinstance(request, Resign | OfferDraw | TimeUp):
            _check_end(state, request)
        elif state is None or state.play.swap is None:
            raise NotPossibleError("A swap is not possible now.")

    @property
    def trouble(self) -> JournalError | None:
        """Why nothing can be confirmed now: what the last step was asked for was not done."""
        return None if self._state is None else self._state.trouble

    @property
    def wants_new_game(self) -> bool:
        """Confirm was pressed at the end of a game; until ``begin``, ``refuse`` or ``grant``."""
        return self._state is not None and self._state.wants_new_game

    @property
    def wants_game(self) -> str | None:
        """The name that was chosen in the menu; until ``begin``, ``refuse`` or ``grant``."""
        return None if self._state is None else self._state.wants_game

    def grant(self) -> None:
        """What was wanted of the host is done."""
        if self._state is not None:
            self._state = replace(self._state, wants_new_game=False, wants_game=None)

    def refuse(self, why: Message) -> None:
        """What was wanted of the host cannot be; say why for a moment."""
        self.grant()
        self._state = self._state and replace(self._state.noticed(why), wake_s=-inf)

    def pop_claims(self) -> Sequence[Claim]:
        """What is known of places that no sensor sees since this was asked last."""
        if self._state is None or not self._state.claims.untold:
            return ()
        claims = self._state.claims
        self._state = replace(self._state, claims=claims.told())
        return claims.untold


def _check_end(state: State | None, request: Resign | OfferDraw | TimeUp) -> None:
    """Raises NotPossibleError where players cannot end the game now."""
    if state is None or state.play.line.outcome is not None:
        raise NotPossibleError("There is no game to end.")
    if state.made:
        raise NotPossibleError("A move is being carried out.", remedy="Finish it first.")
    game = state.play.line.game
    side_of(game, request.player)
    if isinstance(request, Resign | TimeUp):
        resignation(game, request.player)


def _no_game(sight: Sight) -> Standing:
    """Nothing has been begun."""
    why = why_unread(sight)
    phase = Phase.SETUP if why is None else Phase.PAUSED
    said = turns.no_game() if why is None else why
    return Standing(phase, None, None, None, None, (), {}, {}, (), said, None)
