"""Advances a board game in response to pieces on the board, buttons, tilt, and requests.

Each stage writes the journal before it changes the state. After a JournalError, the state is
therefore the same as before that stage, except that its field ``trouble`` holds the error.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import chain
from math import inf

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalError, NotPossibleError
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.referee.move_matching import AwaitedMove, MoveMatcher, ends
from tiltboard.firmware_host.referee.state import TAKE_BACK_S, Guide, RefereeState
from tiltboard.firmware_host.referee.view import Meaning
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import phrases as words
from tiltboard.firmware_host.table.buttons import BACK, ButtonPress
from tiltboard.firmware_host.table.move_line import (
    AGREED,
    AGREED_DRAW,
    RESIGNED,
    TIME_UP,
    JournalPort,
    resignation,
    side_of,
    sides,
)
from tiltboard.firmware_host.table.referee_protocol import AGAIN
from tiltboard.firmware_host.table.status import Choice, OpenQuestion, Phase, Sound
from tiltboard.games.base import Outcome, Turn


def confirm(state: RefereeState, journal: JournalPort, turn: Turn) -> RefereeState:
    """Write ``turn`` to the journal and make the move final. Raises JournalError."""
    line, before = state.play.line, state.play.line.position.reserve
    journal.append(line.game_id, len(line.moves) + 1, turn.move)
    position = turn.position
    sounds = [Sound.SETTLED if state.play.settling else Sound.MOVE]
    if any(left == 1 and before.get(owner) != 1 for owner, left in position.reserve.items()):
        sounds.append(Sound.LAST_MARBLE)
    if position.outcome is not None:
        sounds.append(Sound.DRAW if position.outcome.winner is None else Sound.WIN)
    state = state.playing(state.play.on(line.with_move(turn)), *sounds)
    state = replace(state, seen=replace(state.seen, cause=None))
    return state.with_claimed(position.cells, state.unobserved, confirmed=True)


def _agree(state: RefereeState, journal: JournalPort, outcome: Outcome) -> RefereeState:
    """End the game with ``outcome``, because the players agreed, a player resigned, or a player's
    time ran out. Raises JournalError.
    """
    line = dataclasses.replace(state.play.line, agreed=outcome)
    journal.finish(line.game_id, outcome.as_json())
    sound = Sound.DRAW if outcome.reason == AGREED else Sound.WIN
    return state.playing(replace(state.play.on(line), finished=True), sound)


def _leave(state: RefereeState, journal: JournalPort, to: int) -> RefereeState:
    """Take the game back to its first ``to`` moves, and cancel an agreed end. If there is neither a
    later move nor an agreed end, cancel the pending move instead. Raises JournalError.
    """
    play, line = state.play, state.play.line
    if len(line.moves) > to or line.agreed is not None:
        journal.take_back(line.game_id, len(line.moves), to)
        return state.playing(play.on(line.cut_to(to), taken_back=line.last), Sound.TAKEBACK)
    if play.held is not None:
        journal.hold(line.game_id, None)
    return state.playing(play.on(line), Sound.TAKEBACK)


def follow_board(state: RefereeState, journal: JournalPort) -> RefereeState:
    """Update the game from the board, running each stage at most once. A JournalError ends the
    update; the returned state contains this error.
    """
    if state.view.phase is Phase.PAUSED:
        state = replace(state, seen=state.seen.anew())
    if state.play.missed and not state.stands:
        state = state.playing(replace(state.play, missed=frozenset()))
    stages = _taken_back, _swapped_after_all, _find_moves, _carried_out, _stands, _write_result
    for stage in stages:
        try:
            state = stage(state, journal)
        except JournalError as error:
            return state.with_write_error(error)
    return state


def _taken_back(state: RefereeState, journal: JournalPort) -> RefereeState:
    """Take back the pending move, or else the last move, once the board has looked as it did before
    that move for ``TAKE_BACK_S`` seconds.
    """
    if not (state.seen.stable_for(TAKE_BACK_S) and state.matches_position_before):
        return state
    pending = state.play.pending is not None
    state = _leave(state, journal, len(state.play.line.moves) - (not pending))
    turn = state.play.taken_back
    if pending or turn is None:
        return state
    if state.silent_failures:
        # If a switch under a piece fails, the board looks as if a person had taken the piece away.
        state = state.playing(replace(state.play, missed=frozenset(chain(*ends(turn).values()))))
    return state.with_claimed(state.play.line.position.cells, state.unobserved, confirmed=True)


def _swapped_after_all(state: RefereeState, journal: JournalPort) -> RefereeState:
    """Confirm a taken-back move again if taking it back was a mistake, because the players were
    only swapping pieces slowly.
    """
    turn = state.play.taken_back
    if turn is None or not state.play.free or state.stands:
        return state
    swap = MoveMatcher(state.play.line.game, turn.position).swap
    swapped = swap is not None and state.cells == swap.position.cells
    return confirm(state, journal, turn) if swapped else state


def _find_moves(state: RefereeState, _journal: JournalPort) -> RefereeState:
    """Find the moves that lead to this board. A single certain move becomes the pending move. If
    several moves are possible, they are stored so that people can be asked which one was made.
    """
    play, cells, seen = state.play, state.cells, state.seen
    line = play.line
    if not play.free or state.stands or line.outcome is not None:
        return state
    if play.taken_back is not None and not play.matched:
        leftover = AwaitedMove.made(line.position, play.taken_back)
        whole = cells == play.taken_back.position.cells
        # If a move from a side is not in the journal yet, people must first say from which side the
        # piece came.
        asked = play.taken_back.entrance is not None
        if whole or (not asked and leftover.plan.allows(cells)):
            return state.playing(replace(play, guide=Guide.TAKEBACK))
    if state.matches_position_before:
        return state
    found = (
        ()
        if seen.unreadable_places
        else play.book.match(cells, state.unobserved, hand_empty=play.matched)
    )
    if any(each.touched & seen.sight.unsure for each in found):
        return replace(state, found=found)
    if any(play.book.is_seen(each, cells, state.unobserved) for each in found):
        return replace(state, found=found) if len(found) > 1 else _begin_move(state, found[0])
    in_hand = () if seen.unreadable_places else play.book.in_hand(cells, state.unobserved)
    if not play.matched and line.last is None and not in_hand:
        return state.playing(replace(play, guide=Guide.SETUP))
    return state


def _begin_move(state: RefereeState, pending: AwaitedMove) -> RefereeState:
    """Make ``pending`` the move that is being carried out, because the sensors show it or a person
    reported it.
    """
    play, sight = state.play, state.seen.sight
    missed = play.missed.intersection(*ends(pending.turn).values())
    unread = pending.touched & (sight.unobservable | sight.faulty.keys() | missed)
    board = pending.cells_after_answer(state.cells, play.line.position.cells, unread)
    return state.with_claimed(board, unread).playing(replace(play, guide=None, pending=pending))


def _carried_out(state: RefereeState, journal: JournalPort) -> RefereeState:
    """Confirm the pending move if people have completed it. Otherwise store the move in the journal
    as a pending move. Raises JournalError.
    """
    pending, seen = state.play.pending, state.seen
    if pending is None:
        return state
    finding = pending.plan.hold(state.cells)
    if finding.done and not pending.touched & seen.sight.unsure and not seen.unreadable_places:
        return confirm(state, journal, pending.turn)
    if not state.matches_position_before and pending.record != state.play.held:
        journal.hold(state.play.line.game_id, pending.record)
        state = state.playing(replace(state.play, held=pending.record))
    if finding.right and not seen.unreadable_places and not state.play.settling:
        return state.playing(replace(state.play, settling=True), Sound.MOVE)
    return state


def _stands(state: RefereeState, _journal: JournalPort) -> RefereeState:
    """End the set-up or the correction once the board shows the position."""
    play, seen = state.play, state.seen
    to_be_seen = seen.unreadable_places if play.guide is None else seen.unsure
    if play.pending is not None or not state.stands or to_be_seen:
        return state
    if state.view.phase is Phase.FIX:
        state = replace(state, seen=replace(seen, cause=None))
    sounds = (Sound.START,) if play.guide is Guide.SETUP else ()
    return state.playing(replace(play, guide=None, matched=True), *sounds)


def _write_result(state: RefereeState, journal: JournalPort) -> RefereeState:
    """Write the result of the game to the journal, once. Raises JournalError."""
    line = state.play.line
    if line.outcome is None or state.play.finished:
        return state
    journal.finish(line.game_id, line.outcome.as_json())
    return state.playing(replace(state.play, finished=True))


def handle_presses(
    state: RefereeState, journal: JournalPort, presses: Sequence[ButtonPress]
) -> RefereeState:
    """Carry out the answer that the plate's tilt gives, then the button presses in order, until the
    first JournalError. Also retry a failed undo when its next attempt is due.
    """
    before = state.trouble
    if state.may_answer:
        state = _carry_out_answer(
            state, *state.asking.leant(state.seen.sight.tilt_rad, state.seen.now_s)
        )
    for press in presses:
        if state.trouble is None or state.trouble is before:
            pressed = _back if press.button == BACK else _confirm
            state = pressed(state, journal, press)
    if state.trouble is not None and state.seen.is_due(state.retry_s):
        state = replace(state, trouble=None, retry_s=inf)
        if state.unsaved is not None:
            state = _take_back(state, journal, state.unsaved)
    return state


def carry_out(state: RefereeState, journal: JournalPort, asked: c.GameRequest) -> RefereeState:
    """Carry out the request ``asked``. Raises NotPossibleError if the request is not possible now,
    or JournalError if the journal cannot be written.
    """
    play = state.play
    match asked:
        case c.TakeBack(to, player=who):
            _check_own_move(state, who, to)
            left = _left_without_the_last(state)
            # An agreed end is not a move, so an undo of the last move also removes an agreed end.
            most = left if play.line.agreed is None else left - 1
            if left < 0:
                raise NotPossibleError("There is no move to take back.")
            if to is not None and to > most:
                raise NotPossibleError("There is no move after move {to} to take back.", to=to)
            return _guided_back(state, journal, left if to is None else to)
        case c.Answer(value):
            return _carry_out_answer(state, state.asking, state.asking.choice_named(value))
        case c.MakeMove(move, player=who):
            _check_turn(state, who)
            _check_nothing_made(state)
            if play.line.outcome is not None:
                raise NotPossibleError(
                    "The game is over.",
                    remedy="Begin another one: press confirm, or choose it on the page.",
                )
            if move not in play.line.position.legal():
                raise NotPossibleError("{move} is not a legal move now.", move=move)
            return _ask_for(state, play.line.position.play(move))
        case c.Swap(player=who):
            _check_turn(state, who)
            if play.swap is None or play.line.outcome is not None:
                raise NotPossibleError("A swap is not possible now.")
            return _ask_for(state, play.swap)
        case c.Resign(player) | c.TimeUp(player):
            _check_going_on(state, player)
            reason = RESIGNED if isinstance(asked, c.Resign) else TIME_UP
            return _agree(state, journal, resignation(play.line.game, player, reason))
        case c.OfferDraw(player):
            _check_going_on(state, player)
            offers = (*play.draw_offers, player)  # A draw offer is valid until the next move.
            if all(any(each in offers for each in side) for side in sides(play.line.game)):
                return _agree(state, journal, AGREED_DRAW)
            return state.playing(replace(play, draw_offers=offers))
    raise NotPossibleError("This game has no cards.", remedy="Play it on the board.")


def _check_going_on(state: RefereeState, player: str) -> None:
    """Raise NotPossibleError unless the game can be ended for ``player`` now, by resigning, a draw
    or time.
    """
    if state.play.line.outcome is not None:
        raise NotPossibleError("There is no game to end.")
    _check_nothing_made(state)
    side_of(state.play.line.game, player)


def _check_turn(state: RefereeState, player: str | None) -> None:
    """Check that it is the turn of ``player``. If ``player`` is None, the request comes from the
    people at this table and is always allowed. Raises NotPossibleError.
    """
    if player is not None and player != state.play.line.position.to_move:
        raise NotPossibleError(
            "It is not {player}'s turn.", remedy="Wait for your turn.", player=words.player(player)
        )


def _check_own_move(state: RefereeState, player: str | None, to: int | None) -> None:
    """Check that an undo only takes back the last move, and that ``player`` made this move. If
    ``player`` is None, the request comes from the people at this table, who can take back any move.
    Raises NotPossibleError.
    """
    line = state.play.line
    last = line.position.to_move if state.made else line.last and line.last.player
    if player is not None and (to is not None or line.agreed is not None or player != last):
        raise NotPossibleError(
            "Only your own last move can be taken back here.",
            remedy="Take others back at the table.",
        )


def _check_nothing_made(state: RefereeState) -> None:
    if state.made:
        raise NotPossibleError("A move is being carried out.", remedy="Finish it first.")


def _confirm(state: RefereeState, _journal: JournalPort, press: ButtonPress) -> RefereeState:
    """Handle a press of confirm. If a question is open, the press answers the question. Otherwise,
    a long press makes the swap move of the pie rule. A short press after the end of a game starts
    another game. A short press during a turn reports a piece that no sensor detects.
    """
    asking, play = state.asking, state.play
    asked, paused = asking.question, state.view.phase is Phase.PAUSED
    if asked is not None and paused:
        return state  # During a pause, the choices are not shown, so the press is ignored.
    if asked is not None and not (asked.offer and press.long and play.swap):
        return _carry_out_answer(state, *asking.after_press(press, state.seen.now_s))
    if press.long and play.swap is not None:
        return _ask_for(state, play.swap)
    if press.long:
        return state.with_notice(text("A swap is not possible now."))
    if play.line.outcome is not None:
        return replace(state, menu_choice=AGAIN)
    if state.silent_failures and state.view.phase is Phase.TURN:
        empty = frozenset(play.line.game.board.keys() - state.seen.sight.cells.keys())
        return state.playing(replace(play, missed=empty))
    return state


def _back(state: RefereeState, journal: JournalPort, press: ButtonPress) -> RefereeState:
    """Handle a press of back: close the question, or take back the last move. A long press opens
    the menu.
    """
    asking, play = state.asking, state.play
    if press.long and state.menu is not None:
        seen = state.seen
        menu = asking.browse(state.menu(), play.line.game, seen.sight.cells, seen.now_s)
        return replace(state, asking=menu)
    if asking.menu:
        return replace(state, asking=OpenQuestion())
    if play.missed:
        return state.playing(replace(play, missed=frozenset()))
    if asking.is_opened:
        return replace(state, asking=asking.fold())
    left = _left_without_the_last(state)
    if left < 0:
        return state.with_notice(text("There is no move to take back."))
    return _take_back(state, journal, left)


def _carry_out_answer(
    state: RefereeState, asking: OpenQuestion[Meaning], choice: Choice | None
) -> RefereeState:
    """Carry out the answer ``choice``, or keep asking if ``choice`` is None."""
    if choice is None:
        return replace(state, asking=asking)
    meant = asking.meaning(choice)
    state = replace(state, asking=OpenQuestion())
    if isinstance(meant, str):
        return replace(state, menu_choice=meant)
    if isinstance(meant, AwaitedMove):
        return _begin_move(state, meant)
    said = {place: piece for place, piece in meant if piece is not None}
    return state.with_claimed(said, {place for place, _ in meant}, confirmed=True)


def _left_without_the_last(state: RefereeState) -> int:
    """Return the number of moves that remain after an undo, or -1 if there is nothing to undo. All
    moves remain if the undo cancels an unconfirmed move or an agreed end.
    """
    line = state.play.line
    return len(line.moves) - (line.agreed is None and not state.made)


def _guided_back(state: RefereeState, journal: JournalPort, to: int) -> RefereeState:
    """Take the game back to its first ``to`` moves, and guide people until the pieces on the board
    match that position. Raises JournalError.
    """
    state = _leave(state, journal, to)
    return replace(state, play=replace(state.play, guide=Guide.TAKEBACK, taken_back=None))


def _take_back(state: RefereeState, journal: JournalPort, to: int) -> RefereeState:
    """Take the game back to its first ``to`` moves after a press of back. The person who presses
    gets no error message, so a JournalError is stored and the undo is retried later.
    """
    state = replace(state, trouble=None, retry_s=inf, unsaved=None)
    try:
        return _guided_back(state, journal, to)
    except JournalError as error:
        return replace(state.with_write_error(error), unsaved=to)


def _ask_for(state: RefereeState, turn: Turn) -> RefereeState:
    """Make ``turn`` the pending move because a person requested it. No step of the move has been
    done yet.
    """
    pending = AwaitedMove.asked(state.play.line.position, turn)
    return state.playing(replace(state.play, guide=None, pending=pending))
