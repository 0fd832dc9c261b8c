"""What people may tell the table of places that it cannot see."""

from __future__ import annotations

from dataclasses import replace

from firmware_host.guidance import sensors as words
from firmware_host.guidance import troubles
from firmware_host.referee.asking import Asking
from firmware_host.referee.choices import DONE, landings, perhaps_done, perhaps_moved, unseen
from firmware_host.referee.play import Play
from firmware_host.referee.view import View, question_view
from firmware_host.referee.watch import Watch
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Phase, Role

WAITED_S = 5.0  # what was asked for has not been seen for so long: it may be the sensor
_ASKED = {Role.PUT, Role.LIFT, Role.REMOVE, Role.WRONG}
_MENDING = (Phase.SETUP, Phase.SETTLE, Phase.FIX)


class Offers:
    """Of one game. ``over`` adds to a view what could be so without anybody having seen it."""

    def __init__(self, play: Play, watch: Watch, asking: Asking) -> None:
        self._play = play
        self._watch = watch
        self._asking = asking

    def over(self, view: View, sight: Sight, hidden: frozenset[str]) -> View:
        """``view``, and what a person may say. ``hidden``: as in unseen."""
        play = self._play
        for place in sorted(sight.weak):
            if view.say in (troubles.unclear(place), troubles.unreadable(place)):
                return replace(view, say=words.weak_magnet(place))
        if view.question is not None:
            return view
        acting = view.phase is Phase.TURN or (view.phase is Phase.FIX and play.guide is None)
        if acting and play.pending is None:
            offered = self._perhaps_moved(view, sight, hidden)
            if offered is not None:
                return offered
        return self._perhaps_done(view, hidden) if view.phase in _MENDING else view

    def _perhaps_moved(self, view: View, sight: Sight, hidden: frozenset[str]) -> View | None:
        """A move whose piece nobody sees."""
        play, game, cells = self._play, self._play.line.game, sight.cells
        unread = hidden | play.missed
        if not unread:
            return None
        found = play.book.match(cells, play.still.hold(cells), hand_empty=False, hidden=unread)
        found = tuple(each for each in found if not play.book.is_seen(each, cells, unread))
        if not found:
            return None
        question = perhaps_moved(game, found, unread, missed=bool(play.missed))
        meant = {c.value: each for c, each in zip(question.choices, found, strict=True)}
        asked = self._asking.ask(question, meant)
        if not asked.offer:
            return question_view(asked, view.phase, play.line.last)
        if play.missed:
            say = words.confirm_missed(view.say)
        elif landings(found, unread):
            say = words.confirm_put(view.say, landings(found, unread))
        else:
            say = words.confirm_move(view.say, unseen(found, unread))
        return replace(view, say=say, question=asked, quiet=True)

    def _perhaps_done(self, view: View, hidden: frozenset[str]) -> View:
        """All that is left to do is where nobody sees it; or the last of it has not been seen."""
        todo = sorted(place for place, role in view.roles.items() if role in _ASKED)
        seen = [place for place in todo if place not in hidden]
        if not todo or len(seen) > 1 or (seen and not self._watch.stood(WAITED_S)):
            return view
        meant = {DONE: tuple((place, self._wanted(place, view)) for place in todo)}
        question = self._asking.ask(perhaps_done(todo, hidden), meant)
        say = words.if_done(view.say) if seen else words.confirm_done(view.say, todo)
        return replace(view, say=say, question=question)

    def _wanted(self, place: str, view: View) -> str | None:
        """What stands there when it is done; a piece that cannot be read stays, only better."""
        wrong = {what for where, what in view.problems if where == place}
        if "blurred" not in wrong or any(what.startswith("stray") for what in wrong):
            return view.piece_for.get(place)
        pending, line = self._play.pending, self._play.line
        position = line.position if pending is None else pending.turn.position
        return position.cells.get(place)
