"""Holds the board against what the rules allow: a move, its consequences, a takeback, or wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from firmware_host.guidance import troubles
from firmware_host.referee.asking import Asking
from firmware_host.referee.book import Pending
from firmware_host.referee.carries import carries
from firmware_host.referee.choices import which_move
from firmware_host.referee.explain import Case, fix_say
from firmware_host.referee.offers import Offers
from firmware_host.referee.plan import Finding
from firmware_host.referee.play import Guide, Play
from firmware_host.referee.unseen import Claims, answered, ends
from firmware_host.referee.view import (
    View,
    fix_view,
    landing_view,
    lifted_view,
    over_view,
    question_view,
    settle_view,
    setup_view,
    turn_view,
    unclear_say,
)
from firmware_host.referee.watch import Watch
from firmware_host.table.sight import Sight, SightEvent
from firmware_host.table.standing import Phase, Sound
from games.base import Outcome, Turn

TAKE_BACK_S = 3.0  # the board of before the move, standing for so long, takes it back


class Judge:
    """Of one game. Judges whole boards; ``watch`` has seen the same sights."""

    def __init__(self, play: Play, watch: Watch, asking: Asking, claims: Claims) -> None:
        self._play = play
        self._watch = watch
        self._asking = asking
        self._claims = claims
        self._before = Phase.PAUSED
        self._offers = Offers(play, watch, asking)
        self._hidden: frozenset[str] = frozenset()
        self._told: Sight

    def judge(self, sight: Sight, before: Phase) -> View:
        """How the game stands; ``before``: the phase until now. Raises JournalError.

        Looks until nothing changes any more.
        """
        play = self._play
        board = play.line.game.board
        self._before = before
        self._hidden = frozenset(place for place in sight.blind if place in board)
        while True:
            self._told = told = self._claims.over(sight, self._watch.now_s)
            if told.cells != play.line.position.cells:
                play.missed = frozenset()
            outcome = play.line.position.outcome
            if outcome is not None:
                view = self._judge_over(outcome, told)
            elif play.pending is not None:
                view = self._judge_pending(play.pending, told)
            elif told.cells == play.line.position.cells:
                view = self._judge_equal(told)
            elif play.guide is not None:
                finding = play.still.hold(told.cells)
                view = self._guided(finding, self._watch.blurred, told)
            else:
                view = self._judge_other(play.still.hold(told.cells), told)
            if view is not None:
                return self._offers.over(view, told, self._hidden)

    def settle(self, pending: Pending, sight: Sight) -> None:
        """``pending`` has been made: it is seen, or somebody says so."""
        self._told = told = self._claims.over(sight, self._watch.now_s)
        missed = self._play.missed.intersection(*ends(pending.turn).values())
        unread = pending.touched & (sight.blind | sight.masked.keys() | missed)
        position = self._play.line.position.cells
        self._claim(answered(pending.turn, pending.plan, told.cells, position, unread), unread)
        self._play.settle(pending)

    def _claim(
        self, board: Mapping[str, str], places: Set[str], *, confirmed: bool = False
    ) -> None:
        """What ``board`` has on ``places`` stands there. ``confirmed``: that is news even where it
        was believed before.
        """
        for place in sorted(places):
            if confirmed or self._told.cells.get(place) != board.get(place):
                self._claims.make(place, board.get(place), self._watch.now_s)

    # What stands on the board

    def _judge_over(self, outcome: Outcome, sight: Sight) -> View | None:
        """The last move too can be taken back by hand. None: look again."""
        play, line = self._play, self._play.line
        play.matched = play.matched or sight.cells == line.position.cells
        if play.stands_as_before(sight.cells) and self._watch.surely_stood(TAKE_BACK_S):
            self._take_back()
            return None
        play.finish()
        return over_view(line.game, line.position, outcome, line.last)

    def _judge_equal(self, sight: Sight) -> View:
        """The board is the position."""
        play, watch = self._play, self._watch
        if play.guide is not None and watch.unsure:  # it must be seen to be right
            return self._guided(Finding(), watch.unsure, sight)
        if watch.blurred:
            return self._fix(Finding(), watch.blurred, sight)
        if play.guide is Guide.SETUP:
            play.sounds.append(Sound.START)
        play.guide = None
        play.matched = True
        if self._before is Phase.FIX:
            watch.forget_cause()
        return self._unless_unclear(self._turn_view(), sight)

    def _judge_other(self, finding: Finding, sight: Sight) -> View | None:
        """The board is not the position: a move, a takeback, or wrong. None: look again."""
        play, line, cells = self._play, self._play.line, sight.cells
        blurred = self._watch.blurred
        if play.undone is not None and cells == play.undone[1].position.cells:
            self._confirm(play.undone[0])
            return None
        if play.leftover is not None and not play.matched:
            leftover, play.leftover = play.leftover, None
            # A new one would be on disk; but not while it is asked from which side it came.
            whole = cells == leftover.turn.position.cells
            asked = leftover.turn.entrance is not None
            if whole or (leftover.plan.hold(cells).right and not asked):
                play.guide = Guide.TAKEBACK
                return None
        taking_back = play.stands_as_before(cells) and not self._may_be_unseen(finding, sight)
        if taking_back and self._watch.surely_stood(TAKE_BACK_S):
            self._take_back()
            return None
        lifted = None if blurred else self._lifted(finding)
        if not taking_back and not blurred:
            found = play.book.match(cells, finding, hand_empty=play.matched, hidden=self._hidden)
            if any(each.touched & sight.unsure for each in found):
                turn = self._turn_view()
                lit = {p: role for p, role in turn.roles.items() if p not in finding.strays}
                return self._unless_unclear(replace(turn, roles=lit), sight)
            if any(play.book.is_seen(each, cells, self._hidden) for each in found):
                return self._made(found)
        if lifted is not None:
            return lifted
        if not play.matched and line.last is None:
            play.guide = Guide.SETUP
            return None
        return self._fix(finding, blurred, sight)

    def _may_be_unseen(self, finding: Finding, sight: Sight) -> bool:
        """Whether a move that nobody has seen explains what is seen."""
        play, cells = self._play, sight.cells
        if not self._hidden or play.pending is not None or play.guide is not None:
            return False
        found = play.book.match(cells, finding, hand_empty=False, hidden=self._hidden)
        return any(not play.book.is_seen(each, cells, self._hidden) for each in found)

    @property
    def _cause(self) -> SightEvent | None:
        return self._watch.cause(fresh=self._before is not Phase.FIX)

    def _made(self, found: Sequence[Pending]) -> View | None:
        """One of ``found`` has been made. None: look again."""
        game, last = self._play.line.game, self._play.line.last
        if len(found) > 1:
            question = which_move(game, found, self._hidden)
            meant = {c.value: each for c, each in zip(question.choices, found, strict=True)}
            return question_view(self._asking.ask(question, meant), Phase.TURN, last)
        self.settle(found[0], self._told)
        return None

    def _lifted(self, finding: Finding) -> View | None:
        """A piece is in the hand, as a legal move asks for."""
        play, line = self._play, self._play.line
        landing = play.book.landing(finding, self._hidden)
        if landing is not None:
            return landing_view(line.game, landing)
        choices = play.book.lifted(finding)
        return lifted_view(line.game, line.position, choices) if choices else None

    def _judge_pending(self, pending: Pending, sight: Sight) -> View | None:
        """A move is being carried out. None: look again."""
        play = self._play
        finding = pending.plan.hold(sight.cells)
        blurred = self._watch.blurred
        undone = not pending.requested and sight.cells == play.line.position.cells
        if undone and self._watch.surely_stood(TAKE_BACK_S):
            play.drop()
            return None
        doubtful = sorted(pending.touched & sight.unsure)
        if finding.done and not doubtful and not blurred:
            self._confirm(pending.turn)
            return None
        if not undone:
            play.hold()
        if not finding.right or blurred:
            return self._fix(finding, blurred, sight)
        if not play.settling:
            play.settling = True
            play.sounds.append(Sound.MOVE)
        if finding.done:
            first = doubtful[0]
            say = troubles.not_ready() if first in sight.masked else troubles.unclear(first)
            return View(Phase.SETTLE, say)
        return self._unless_unclear(settle_view(play.line.game, finding, pending.turn), sight)

    def _confirm(self, turn: Turn) -> None:
        """Make ``turn`` final. Raises JournalError; then it stays pending."""
        self._play.confirm(turn)
        self._watch.forget_cause()
        self._claim(turn.position.cells, self._hidden, confirmed=True)

    def _take_back(self) -> None:
        """By hand. Raises JournalError."""
        self._play.take_back_by_hand()
        self._claim(self._play.line.position.cells, self._hidden, confirmed=True)

    # What people see of it

    def _turn_view(self) -> View:
        play = self._play
        return turn_view(play.line.game, play.book, play.line.last, self._hidden)

    def _unless_unclear(self, view: View, sight: Sight) -> View:
        """``view``, but asking to centre a piece where a place has been unclear for a moment."""
        unclear = self._watch.unclear
        if not unclear:
            return view
        expected = self._play.line.position.cells
        return replace(view, say=unclear_say(unclear[0], expected, sight.cells))

    def _guided(self, finding: Finding, unread: Sequence[str], sight: Sight) -> View:
        if self._play.guide is Guide.SETUP:
            return setup_view(self._play.line.game, finding, unread)
        return self._fix(finding, unread, sight)

    def _fix(self, finding: Finding, blurred: Sequence[str], sight: Sight) -> View:
        play = self._play
        acting = play.guide is None and play.pending is None
        unseen = self._may_be_unseen(finding, sight)
        if acting:
            finding = play.book.without_the_move(sight.cells, finding)
        case = Case(
            line=play.line,
            pending=play.pending,
            taking_back=play.guide is Guide.TAKEBACK,
            matched=play.matched,
            cells=sight.cells,
            cause=self._cause,
            unseen=unseen,
            captures=play.book.captures_first(finding) if acting else (),
            moving=bool(play.book.movers),
        )
        quiet = case.taking_back or not case.matched or case.may_be_takeback or bool(case.captures)
        steps = carries(play.line.game, finding, flips=not case.taking_back)
        say = fix_say(case, steps, blurred)
        return replace(fix_view(play.line.game, finding, steps, blurred, say), quiet=quiet)
