"""The referee: from what stands where to how the game stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum

from firmware_host.buttons import BACK, CONFIRM, Press
from firmware_host.commands import Answer, Swap, TakeBack
from firmware_host.errors import JournalError, NotPossibleError
from firmware_host.guidance import troubles, turns
from firmware_host.messages import Message
from firmware_host.perception.observation import Stillness
from firmware_host.referee.asking import Asking
from firmware_host.referee.book import Book, Pending
from firmware_host.referee.explain import Case, fix_say
from firmware_host.referee.line import Line
from firmware_host.referee.pauses import may_answer, why_paused
from firmware_host.referee.plan import Finding, Plan
from firmware_host.referee.port import JournalPort, Request
from firmware_host.referee.sensors import Claim, SensorTalk
from firmware_host.referee.view import (
    Problems,
    View,
    fix_view,
    landing_view,
    lifted_view,
    over_view,
    question_view,
    settle_view,
    setup_view,
    standing,
    turn_view,
    unclear_say,
)
from firmware_host.referee.watch import Watch
from firmware_host.sight import Sight
from firmware_host.standing import Choice, Phase, Question, Sound, Standing
from games.base import Game, Outcome, Turn

TAKE_BACK_S = 3.0  # the board of before the move, standing for so long, takes it back
RETRY_S = 1.0  # between attempts to write a journal that refuses
NOTICE_S = 3.0


class _Guide(Enum):
    """Until the board is exactly the position, nothing on it counts as a move."""

    SETUP = "setup"
    TAKEBACK = "takeback"


class Referee:
    """One table's referee. It judges whole boards, never single events, so that any way of getting
    to a board is as good as another; all its times are differences of the ``now_s`` it is given.
    """

    def __init__(self, journal: JournalPort, menu: Question | None = None) -> None:
        """``menu``: asks for another game where there is no page; its answer is ``wants_game``."""
        self._journal = journal
        self._menu = menu
        self._standing: Standing | None = None
        self._seat(None)

    def _seat(self, line: Line | None) -> None:
        """Forget everything about the game before."""
        self._line = line
        self._watch = Watch()
        self._sensors = SensorTalk()
        self._pending: Pending | None = None
        self._settling = False  # the pending move was seen unfinished
        self._undone: tuple[Turn, Turn] | None = None  # taken back by hand, and its exchange
        self._guide: _Guide | None = None
        self._matched = False  # the board has been the position since the game was begun
        self._ended_here = False  # not replayed from the journal
        self._take_back_owed: int | None = None  # how many moves are to be left
        self._trouble: JournalError | None = None
        self._retry_s = 0.0
        self._notice: tuple[Message, float] | None = None
        self._problems: Problems = frozenset()
        self._quiet = False  # what is wrong now was to be expected
        self._sounds: list[Sound] = []
        self._view = View(Phase.PAUSED, troubles.not_ready())
        self._asking = Asking(self._menu)
        self.wants_new_game = False
        """Confirm was pressed at the end of a game; until ``begin``."""
        self.wants_game: str | None = None
        """The name that was chosen in the menu; until ``begin`` or ``refuse``."""
        if line is not None:
            self._rebook(line)

    def begin(
        self, game: Game, game_id: int, moves: Sequence[str] = (), *, resumed: bool = False
    ) -> None:
        """A new game, or one from the journal: ``moves`` are replayed, then the board is checked.

        ``resumed``: the game was begun earlier, so what stands on the board may be a move that was
        not confirmed any more; with ``moves`` that is understood. Raises IllegalMoveError.
        """
        self._seat(Line(self._journal, game, game_id, moves))
        if not resumed and not moves:
            self._guide = _Guide.SETUP

    def check(self, request: Request) -> None:
        """Raises NotPossibleError where ``request`` could not be carried out now."""
        if isinstance(request, TakeBack):
            made = self._pending is not None or self._asking.side
            if self._line is None or (not made and self._line.last is None):
                raise NotPossibleError("There is no move to take back.")
            count = len(self._line.moves)
            if request.to is not None and request.to >= count + made:
                raise NotPossibleError(
                    "There is no move after move {to} to take back.", to=request.to
                )
        elif isinstance(request, Answer):
            self._asking.check(request.value)
        elif self._line is None or self._pending is not None or self._book.exchange is None:
            raise NotPossibleError("A swap is not possible now.")

    def take_claims(self) -> Sequence[Claim]:
        """What people have said of places that no sensor sees since this was asked last."""
        claims, self._sensors.claims = self._sensors.claims, []
        return claims

    def refuse(self, why: Message) -> None:
        """What was wanted of the host cannot be; say why for a moment."""
        self.wants_new_game = False
        self.wants_game = None
        self._notify(why)
        self._watch.wake()

    def step(
        self,
        sight: Sight,
        now_s: float,
        presses: Sequence[Press] = (),
        requests: Sequence[Request] = (),
    ) -> Standing:
        """Judge one scan. ``presses``: debounced and timed (firmware_host.buttons)."""
        idle = self._watch.idle(sight, now_s) and not presses and not requests
        idle = idle and (self._asking.question is None or sight.stillness is Stillness.STILL)
        if idle and self._standing is not None:
            return self._standing
        self._watch.note(sight, now_s, self._line.game.board if self._line else ())
        before, self._view = self._view, self._looked(sight, presses, requests)
        if self._view.question is None:
            self._asking.close()
        self._sound_change(before, self._view)
        self._standing = self._stand()
        if self._sounds:
            self._sounds.clear()
            self._watch.wake()  # sounds are told once
        return self._standing

    def _looked(self, sight: Sight, presses: Sequence[Press], requests: Sequence[Request]) -> View:
        line = self._line
        try:
            if line is not None:
                self._heed(line, sight, presses, requests)
                self._retry(line)
            paused = why_paused(sight, self._trouble)
            asked = self._asking.question
            leaning = may_answer(sight, self._trouble, self._asking)
            if leaning and asked is not None and line is not None:
                return question_view(asked, self._view.phase, line.last)
            if paused is not None:
                return View(Phase.PAUSED, paused)
            if line is None:
                return View(Phase.SETUP, turns.no_game())
            if self._view.phase is Phase.PAUSED:
                self._watch.restart()
            news = self._sensors.news(line, sight)
            if news is not None:
                self._notify(news)
            view = self._judge(line, sight)
            view = self._sensors.spoken(view, line, self._book, sight, self._watch)
            menu = self._asking.browsing(sight.cells)
            if menu is not None:
                view = question_view(menu, view.phase, line.last)
            return self._unless_noticed(view)
        except JournalError as error:
            self._trouble = error
            self._retry_s = self._watch.now_s + RETRY_S
            self._watch.due(self._retry_s)
            return View(Phase.PAUSED, troubles.part_missing([error]))

    # Buttons and requests

    def _heed(
        self,
        line: Line,
        sight: Sight,
        presses: Sequence[Press],
        requests: Sequence[Request],
    ) -> None:
        if may_answer(sight, self._trouble, self._asking):
            self._decide(self._asking.lean(sight.tilt_rad, self._watch.now_s))
        for press in presses:
            if press.button == BACK and press.long and self._menu is not None:
                self._asking.browse(line.game, sight.cells)
            elif press.button == BACK and self._asking.menu:
                self._asking.close()
            elif press.button == CONFIRM and self._asking.question is not None:
                self._decide(self._asking.press(press))
            elif press.button == BACK:
                self._take_back(line)
            elif press.button == CONFIRM and press.long:
                self._swap(line)
            elif press.button == CONFIRM and line.position.outcome is not None:
                self.wants_new_game = True
            elif press.button == CONFIRM:
                self._sensors.confirmed(self._view, line, self._book, sight, self._watch)
        for request in requests:
            if isinstance(request, TakeBack):
                self._take_back(line, request.to)
            elif isinstance(request, Swap):
                self._swap(line)
            else:
                self._decide(self._asking.named(request.value))

    def _decide(self, choice: Choice | None) -> None:
        """The open question is answered."""
        if choice is None:
            return
        meant = self._asking.answered(choice)
        if isinstance(meant, str):
            self.wants_game = meant
        else:
            self._guide = None
            self._pending = meant

    def _take_back(self, line: Line, to: int | None = None) -> None:
        """At once in the journal, move by move; then the board is guided. ``to``: how many moves
        are left; None: all but the last, or all where one is made that is not in the journal.
        """
        if to is None:
            made = self._pending is not None or self._asking.side
            to = len(line.moves) - (not made)
            if to < 0:
                self._notify(troubles.nothing_to_take_back())
                return
        self._take_back_owed = to
        while len(line.moves) > to:
            line.take_back()
        self._take_back_owed = None
        self._trouble = None
        self._rebook(line)
        self._guide = _Guide.TAKEBACK
        self._sounds.append(Sound.TAKEBACK)

    def _retry(self, line: Line) -> None:
        """After a refusal of the journal: try again once a second."""
        if self._trouble is not None and self._watch.due(self._retry_s):
            self._trouble = None
            if self._take_back_owed is not None:
                self._take_back(line, self._take_back_owed)

    def _swap(self, line: Line) -> None:
        if self._pending is not None or self._book.exchange is None:
            self._notify(troubles.no_swap())
            return
        self._guide = None
        self._pending = Pending.asked(line.position, self._book.exchange)

    def _notify(self, notice: Message) -> None:
        self._notice = notice, self._watch.now_s + NOTICE_S

    def _unless_noticed(self, view: View) -> View:
        if self._notice is None or self._watch.due(self._notice[1]):
            self._notice = None
            return view
        return replace(view, say=self._notice[0])

    # The board

    def _rebook(self, line: Line) -> None:
        """The position is another one, or the pending move was dropped."""
        self._book = Book(line.game, line.position)
        self._still = Plan(line.position.cells, line.position.cells)
        self._pending = None
        self._settling = False
        self._undone = None

    def _judge(self, line: Line, sight: Sight) -> View:
        """Hold the board against what is expected until that no longer changes anything."""
        while True:
            outcome = line.position.outcome
            if outcome is not None:
                view = self._judge_over(line, outcome, sight)
            elif self._pending is not None:
                view = self._judge_pending(line, self._pending, sight)
            elif sight.cells == line.position.cells:
                view = self._judge_equal(line, sight)
            elif self._guide is not None:
                view = self._guided(line, self._still.hold(sight.cells), self._watch.blurred, sight)
            else:
                view = self._judge_other(line, self._still.hold(sight.cells), sight)
            if view is not None:
                return view

    def _judge_over(self, line: Line, outcome: Outcome, sight: Sight) -> View | None:
        """The last move too can be taken back by hand. None: look again."""
        self._matched = self._matched or sight.cells == line.position.cells
        if self._stands_as_before(line, sight.cells) and self._watch.stood(TAKE_BACK_S):
            self._take_back_by_hand(line)
            return None
        if line.finish_owed:
            line.finish()
            if self._ended_here:
                self._sounds.append(Sound.DRAW if outcome.winner is None else Sound.WIN)
        return over_view(line.game, line.position, outcome, line.last)

    def _judge_equal(self, line: Line, sight: Sight) -> View:
        """The board is the position."""
        if self._guide is not None and self._watch.unsure:  # it must be seen to be right
            return self._guided(line, Finding(), self._watch.unsure, sight)
        if self._watch.blurred:
            return self._fix(line, Finding(), self._watch.blurred, sight)
        if self._guide is _Guide.SETUP:
            self._sounds.append(Sound.START)
        self._guide = None
        self._matched = True
        if self._view.phase is Phase.FIX:
            self._watch.forget_cause()
        return self._unless_unclear(turn_view(line.game, self._book, line.last), line, sight)

    def _judge_other(self, line: Line, finding: Finding, sight: Sight) -> View | None:
        """The board is not the position: a move, a takeback, or wrong. None: look again."""
        cells, blurred = sight.cells, self._watch.blurred
        if self._undone is not None and cells == self._undone[1].position.cells:
            self._confirm(line, self._undone[0])
            return None
        taking_back = self._stands_as_before(line, cells)
        if taking_back and self._watch.stood(TAKE_BACK_S):
            self._take_back_by_hand(line)
            return None
        if not taking_back and not blurred:
            found = self._book.match(cells, finding, hand_empty=self._matched)
            if any(each.touched & sight.unsure for each in found):
                turn = turn_view(line.game, self._book, line.last)
                lit = {p: role for p, role in turn.roles.items() if p not in finding.strays}
                return self._unless_unclear(replace(turn, roles=lit), line, sight)
            if len(found) > 1:
                return question_view(self._asking.ask_side(line.game, found), Phase.TURN, line.last)
            if found:
                self._pending = found[0]
                return None
        if not blurred:
            lifted = self._lifted(line, finding)
            if lifted is not None:
                return lifted
        if not self._matched and line.last is None:
            self._guide = _Guide.SETUP
            return None
        return self._fix(line, finding, blurred, sight)

    def _lifted(self, line: Line, finding: Finding) -> View | None:
        """A piece is in the hand, as a legal move asks for."""
        landing = self._book.landing(finding)
        if landing is not None:
            return landing_view(line.game, landing)
        choices = self._book.lifted(finding)
        return lifted_view(line.game, line.position, choices) if choices else None

    def _judge_pending(self, line: Line, pending: Pending, sight: Sight) -> View | None:
        """A move is being carried out. None: look again."""
        finding = pending.plan.hold(sight.cells)
        blurred = self._watch.blurred
        undone = not pending.requested and sight.cells == line.position.cells
        if undone and self._watch.stood(TAKE_BACK_S):
            self._rebook(line)
            self._sounds.append(Sound.TAKEBACK)
            return None
        if not finding.right or blurred:
            return self._fix(line, finding, blurred, sight)
        doubtful = sorted(pending.touched & sight.unsure)
        if finding.done and not doubtful:
            self._confirm(line, pending.turn)
            return None
        if not self._settling:
            self._settling = True
            self._sounds.append(Sound.MOVE)
        if finding.done:
            return View(Phase.SETTLE, troubles.unclear(doubtful[0]))
        view = settle_view(line.game, finding, pending.turn)
        return self._unless_unclear(view, line, sight)

    def _confirm(self, line: Line, turn: Turn) -> None:
        """Make ``turn`` final. Raises JournalError; then it stays pending."""
        before = line.position.reserve
        line.confirm(turn)
        self._sounds.append(Sound.SETTLED if self._settling else Sound.MOVE)
        self._rebook(line)
        self._watch.forget_cause()
        self._ended_here = line.position.outcome is not None
        after = line.position.reserve
        if any(left == 1 and before.get(owner) != 1 for owner, left in after.items()):
            self._sounds.append(Sound.LAST_MARBLE)

    def _stands_as_before(self, line: Line, cells: Mapping[str, str]) -> bool:
        before = line.before
        return before is not None and self._matched and cells == before.cells

    def _take_back_by_hand(self, line: Line) -> None:
        exchange = self._book.exchange
        turn = line.take_back()
        self._rebook(line)
        self._sounds.append(Sound.TAKEBACK)
        # A slow swap looks like a takeback first: the other colour may still come.
        self._undone = (turn, exchange) if exchange is not None else None

    # What is wrong

    def _unless_unclear(self, view: View, line: Line, sight: Sight) -> View:
        """``view``, but asking to centre a piece where a place has been unclear for a moment."""
        unclear = self._watch.unclear
        if not unclear:
            return view
        return replace(view, say=unclear_say(unclear[0], line.position.cells, sight.cells))

    def _guided(self, line: Line, finding: Finding, unread: Sequence[str], sight: Sight) -> View:
        if self._guide is _Guide.SETUP:
            return setup_view(line.game, finding, unread)
        return self._fix(line, finding, unread, sight)

    def _fix(self, line: Line, finding: Finding, blurred: Sequence[str], sight: Sight) -> View:
        case = Case(
            line=line,
            pending=self._pending,
            taking_back=self._guide is _Guide.TAKEBACK,
            matched=self._matched,
            cells=sight.cells,
            cause=self._watch.cause(fresh=self._view.phase is not Phase.FIX),
            captures=() if self._guide or self._pending else self._book.captures_first(finding),
            moving=bool(self._book.movers),
        )
        self._quiet = (
            case.taking_back or not case.matched or case.may_be_takeback or bool(case.captures)
        )
        return fix_view(finding, blurred, fix_say(case, finding, blurred))

    def _sound_change(self, before: View, after: View) -> None:
        """Sounds of getting into a phase; a fix sounds again for each new thing wrong."""
        if after.phase is Phase.PAUSED:
            if before.phase not in (Phase.PAUSED, Phase.OVER):
                self._sounds.append(Sound.PAUSED)
            return
        if after.question is not None and before.question is None:
            self._sounds.append(Sound.ASK)
        if after.problems - self._problems and not self._quiet:
            self._sounds.append(Sound.WRONG)
        self._problems = after.problems

    def _stand(self) -> Standing:
        pending = self._pending is not None
        return standing(
            self._view,
            self._line,
            swap_legal=self._line is not None and not pending and self._book.exchange is not None,
            made=pending or self._asking.side,
            sounds=tuple(self._sounds),
        )
