"""What people may tell the table of places that it cannot see."""

from __future__ import annotations

from msgspec.structs import replace

from firmware_host.guidance import sensors as words
from firmware_host.guidance import troubles
from firmware_host.referee.choices import landings, perhaps_done, perhaps_moved, unseen
from firmware_host.referee.seen import WAITED_S
from firmware_host.referee.state import State
from firmware_host.referee.view import View
from firmware_host.table.standing import Phase, Role

_ASKED = {Role.PUT, Role.LIFT, Role.REMOVE, Role.WRONG}
_MENDING = (Phase.SETUP, Phase.SETTLE, Phase.FIX)


def offered(state: State, view: View) -> View:
    """``view``, and what could be so without anybody having seen it."""
    for place in sorted(state.seen.sight.weak):
        if view.say in (troubles.unclear(place), troubles.unreadable(place)):
            return replace(view, say=words.weak_magnet(place))
    if view.question is not None:
        return view
    may_move = state.play.free and view.phase in (Phase.TURN, Phase.FIX)
    offer = _perhaps_moved(state, view) if may_move else None
    return offer or (_perhaps_done(state, view) if view.phase in _MENDING else view)


def _perhaps_moved(state: State, view: View) -> View | None:
    """A move whose piece nobody sees."""
    play, missed = state.play, state.play.missed
    unread = state.hidden | missed
    found = play.book.unseen(state.cells, unread)
    if not found:
        return None
    question, meant = perhaps_moved(play.line.game, found, unread, missed=bool(missed))
    if missed:
        say = words.confirm_missed(view.say)
    elif landings(found, unread):
        say = words.confirm_put(view.say, landings(found, unread))
    else:
        say = words.confirm_move(view.say, unseen(found, unread))
    return replace(view, say=say, question=question, meant=meant, expected=True)


def _perhaps_done(state: State, view: View) -> View:
    """All that is left to do is where nobody sees it; or the last of it has not been seen."""
    todo = sorted(place for place, role in view.roles.items() if role in _ASKED)
    seen = [place for place in todo if place not in state.hidden]
    if not todo or len(seen) > 1 or (seen and not state.seen.stood(WAITED_S)):
        return view
    done = [(place, _wanted(state, view, place)) for place in todo]
    question, meant = perhaps_done(done, state.hidden)
    say = words.if_done(view.say) if seen else words.confirm_done(view.say, todo)
    return replace(view, say=say, question=question, meant=meant)


def _wanted(state: State, view: View, place: str) -> str | None:
    """What stands there when it is done; a piece that cannot be read stays, only better."""
    wrong = {what for where, what in view.problems if where == place}
    if "blurred" not in wrong or any(what.startswith("stray") for what in wrong):
        return view.piece_for.get(place)
    pending, line = state.play.pending, state.play.line
    position = line.position if pending is None else pending.turn.position
    return position.cells.get(place)
