"""Sensors that fail: what people are told of them, and what they tell the table instead."""

from __future__ import annotations

from dataclasses import replace

from firmware_host.guidance import sensors as words
from firmware_host.guidance import troubles
from firmware_host.messages import Message
from firmware_host.referee.book import Book
from firmware_host.referee.line import Line
from firmware_host.referee.view import View
from firmware_host.referee.watch import Watch
from firmware_host.sight import Sight
from firmware_host.standing import Phase, Role

WAITED_S = 5.0  # what was asked for has not been seen for so long: it may be the sensor
_DONE = {Role.PUT, Role.LIFT, Role.REMOVE, Role.WRONG}
_MENDING = (Phase.SETUP, Phase.SETTLE, Phase.FIX)

Claim = tuple[str, str | None]  # place, and what a person says stands there


class SensorTalk:
    """``claims``: to be believed by perception; whoever reads them empties the list."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._told: frozenset[str] = frozenset()

    def news(self, line: Line, sight: Sight) -> Message | None:
        """A sensor of the board that has just failed."""
        fresh = sorted(p for p in sight.masked if p not in self._told and p in line.game.board)
        self._told = frozenset(sight.masked)
        return words.failed(sight.masked[fresh[0]], fresh[0]) if fresh else None

    def spoken(self, view: View, line: Line, book: Book, sight: Sight, watch: Watch) -> View:
        """``view``, also saying what to do about sensors that do not tell."""
        for place in sorted(sight.weak):
            if view.say in (troubles.unclear(place), troubles.unreadable(place)):
                return replace(view, say=words.weak_magnet(place))
        if view.question is not None:
            return view
        offered = _offered(view, line, book, sight, watch)
        if not offered:
            return view
        if len(offered) > 1 and view.phase is Phase.TURN:
            return replace(view, say=words.one_of(view.say, sorted(place for place, _ in offered)))
        say = words.confirm_done if view.phase in _MENDING else words.confirm_put
        return replace(view, say=say(view.say, offered[0][0]))

    def confirmed(self, view: View, line: Line, book: Book, sight: Sight, watch: Watch) -> None:
        """A short press of confirm: what was offered is so."""
        offered = _offered(view, line, book, sight, watch)
        if len(offered) == 1 or view.phase is not Phase.TURN:
            self.claims.extend(offered)


def _offered(view: View, line: Line, book: Book, sight: Sight, watch: Watch) -> list[Claim]:
    """What confirm would mean now."""
    if view.phase is Phase.TURN:
        return [
            (place, shift.piece)
            for place in sorted(book.drops & sight.blind)
            for shift in line.position.play(place).act
            if shift.target == place
        ]
    if view.phase not in _MENDING:
        return []
    todo = [place for place, role in view.roles.items() if role in _DONE]
    unseen = sight.blind.issuperset(todo) or (len(todo) == 1 and watch.stood(WAITED_S))
    return [(place, view.piece_for.get(place)) for place in todo] if todo and unseen else []
