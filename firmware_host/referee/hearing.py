"""What people ask for with buttons, the page, or a tilt of the plate."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import assert_never

from msgspec.structs import replace

from firmware_host.config.errors import NotPossibleError
from firmware_host.guidance import troubles
from firmware_host.referee import record
from firmware_host.referee.book import Pending
from firmware_host.referee.following import made
from firmware_host.referee.play import Guide
from firmware_host.referee.state import State
from firmware_host.referee.view import Meaning
from firmware_host.table.agreement import (
    RESIGNED,
    TIME_UP,
    agreed_draw,
    resignation,
    side_of,
    sides,
)
from firmware_host.table.arbiter import AGAIN
from firmware_host.table.asking import Asking
from firmware_host.table.buttons import BACK, Press
from firmware_host.table.commands import (
    Answer,
    BoardRequest,
    MakeMove,
    OfferDraw,
    Resign,
    Swap,
    TakeBack,
    TimeUp,
)
from firmware_host.table.journal_port import JournalPort
from firmware_host.table.standing import Choice, Phase
from games.base import Turn


def heard(state: State, journal: JournalPort, presses: Sequence[Press]) -> State:
    """What the plate's tilt and the buttons ask for, one after the other; nothing more once the
    journal has refused.
    """
    before = state.trouble
    if state.may_answer:
        state = _answered(state, *state.asking.leant(state.seen.sight.tilt_rad, state.seen.now_s))
    for press in presses:
        if state.trouble is None or state.trouble is before:
            pressed = _back if press.button == BACK else _confirm
            state = pressed(state, journal, press)
    if state.trouble is not None and state.seen.is_due(state.retry_s):
        state = replace(state, trouble=None, retry_s=inf)
        if state.owed is not None:
            state = _take_back(state, journal, state.owed)
    return state


def carried_out(state: State, journal: JournalPort, asked: BoardRequest) -> State:
    """What somebody asks for is done, if it is possible. Raises NotPossibleError; where the journal
    refuses, the state has its ``trouble``.
    """
    play = state.play
    match asked:
        case TakeBack(to):
            _check_take_back(state, to)
            return replace(_take_back(state, journal, to), owed=None)  # who asks is told, and asks
        case Answer(value):
            state.asking.check(value)
            return _answered(state, state.asking, state.asking.named(value))
        case MakeMove(move):
            if not state.may_make(move):
                raise NotPossibleError("{move} is not a legal move now.", move=move)
            return _ask_for(state, play.line.position.play(move))
        case Swap():
            if play.swap is None or play.line.outcome is not None:
                raise NotPossibleError("A swap is not possible now.")
            return _ask_for(state, play.swap)
        case Resign(player) | TimeUp(player):
            _check_going_on(state, player)
            reason = RESIGNED if isinstance(asked, Resign) else TIME_UP
            return record.agree(state, journal, resignation(play.line.game, player, reason))
        case OfferDraw(player):
            _check_going_on(state, player)
            return _offer_draw(state, journal, player)
    assert_never(asked)


def _check_take_back(state: State, to: int | None) -> None:
    line = state.play.line
    if not (state.made or line.moves or line.agreed is not None):
        raise NotPossibleError("There is no move to take back.")
    if to is not None and to >= len(line.moves) + state.made:
        raise NotPossibleError("There is no move after move {to} to take back.", to=to)


def _check_going_on(state: State, player: str) -> None:
    """Raises NotPossibleError where ``player`` cannot end the game now."""
    if state.play.line.outcome is not None:
        raise NotPossibleError("There is no game to end.")
    if state.made:
        raise NotPossibleError("A move is being carried out.", remedy="Finish it first.")
    side_of(state.play.line.game, player)


def _confirm(state: State, _journal: JournalPort, press: Press) -> State:
    """Answers what is asked; else a long press swaps, and a short one ends the end of a game."""
    asking, play = state.asking, state.play
    asked, paused = asking.question, state.view.phase is Phase.PAUSED
    if asked is not None and paused:
        return state  # the choice does not show
    if asked is not None and not (asked.offer and press.long and play.swap):
        return _answered(state, *asking.pressed(press, state.seen.now_s))
    if press.long:
        return _swap(state)
    if play.line.outcome is not None:
        return replace(state, wish=AGAIN)
    if state.silent_failures and state.view.phase is Phase.TURN:
        empty = frozenset(play.line.game.board.keys() - state.seen.sight.cells.keys())
        return state.playing(replace(play, missed=empty))
    return state


def _back(state: State, journal: JournalPort, press: Press) -> State:
    """Out of what is asked, or the last move back; a long press opens the menu."""
    asking, play = state.asking, state.play
    if press.long and state.menu is not None:
        seen = state.seen
        menu = asking.browse(state.menu, play.line.game, seen.sight.cells, seen.now_s)
        return replace(state, asking=menu)
    if asking.menu:
        return replace(state, asking=Asking())
    if play.missed:
        return state.playing(replace(play, missed=frozenset()))
    if asking.opened:
        return replace(state, asking=asking.folded())
    return _take_back(state, journal)


def _answered(state: State, asking: Asking[Meaning], choice: Choice | None) -> State:
    """What is asked is answered, if ``choice`` does."""
    if choice is None:
        return replace(state, asking=asking)
    meant = asking.meaning(choice)
    state = replace(state, asking=Asking())
    if isinstance(meant, str):
        return replace(state, wish=meant)
    if isinstance(meant, Pending):
        return made(state, meant)
    said = {place: piece for place, piece in meant if piece is not None}
    return state.claimed(said, {place for place, _ in meant}, confirmed=True)


def _take_back(state: State, journal: JournalPort, to: int | None = None) -> State:
    """Leave ``to`` moves (None: all but the last, or all where one is made that is not on disk or
    the players have ended it);
    then the board is guided. Where the journal refuses, that is tried again.
    """
    count, agreed = len(state.play.line.moves), state.play.line.agreed is not None
    to = count - (not state.made and not agreed) if to is None else to
    if to < 0:
        return state.noticed(troubles.nothing_to_take_back())
    state = replace(state, trouble=None, retry_s=inf, owed=to)
    fewer = count > to or agreed
    state = record.take_back(state, journal, to) if fewer else record.drop(state, journal)
    if state.trouble is not None:
        return state
    guided = replace(state.play, guide=Guide.TAKEBACK, taken_back=None)
    return replace(state, play=guided, owed=None)


def _offer_draw(state: State, journal: JournalPort, player: str) -> State:
    """The offer stands until the next move; the last side's makes it a draw."""
    play = state.play
    offers = (*play.draw_offers, player)
    if all(any(each in offers for each in side) for side in sides(play.line.game)):
        return record.agree(state, journal, agreed_draw())
    return state.playing(replace(play, draw_offers=offers))


def _swap(state: State) -> State:
    swap = state.play.swap
    return state.noticed(troubles.no_swap()) if swap is None else _ask_for(state, swap)


def _ask_for(state: State, turn: Turn) -> State:
    """Somebody says that ``turn`` is the move; all of it is still to be done."""
    pending = Pending.asked(state.play.line.position, turn)
    return state.playing(state.play.settled(pending))
