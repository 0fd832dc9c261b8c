"""The referee: from what stands where to how the game stands."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import inf

from firmware_host.buttons import BACK, CONFIRM, Press
from firmware_host.commands import TakeBack
from firmware_host.errors import JournalError, NotPossibleError
from firmware_host.guidance import troubles, turns
from firmware_host.messages import Message
from firmware_host.perception.observation import Stillness
from firmware_host.referee.book import Book, Pending
from firmware_host.referee.explain import Case, fix_say
from firmware_host.referee.line import Line
from firmware_host.referee.plan import Finding, Plan
from firmware_host.referee.port import JournalPort, Request
from firmware_host.referee.view import (
    Problems,
    View,
    fix_view,
    lifted_view,
    moved_places,
    over_view,
    settle_view,
    setup_view,
    turn_view,
    unclear_say,
)
from firmware_host.sight import Sight, SightEvent
from firmware_host.standing import Phase, Sound, Standing
from games.base import Game, Turn

TAKE_BACK_S = 3.0  # the board of before the move, standing for so long, takes it back
UNSURE_SAY_S = 0.4  # a hand passes by faster
UNSURE_FIX_S = 1.0
RETRY_S = 1.0  # between attempts to write a journal that refuses
NOTICE_S = 3.0
CAUSE_S = 1.0  # how long before a fix an event may have caused it
_SLACK_S = 1e-9  # so that sums of scan periods reach their limits


_NO_GAME = View(Phase.SETUP, turns.no_game())


class _Guide(Enum):
    """Until the board is exactly the position, nothing on it counts as a move."""

    SETUP = "setup"
    TAKEBACK = "takeback"


class Referee:
    """One table's referee. It judges whole boards, never single events, so that any way of getting
    to a board is as good as another; all its times are differences of the ``now_s`` it is given.
    """

    def __init__(self, journal: JournalPort) -> None:
        self._journal = journal
        self._line: Line | None = None
        self._reset()

    def _reset(self) -> None:
        self._pending: Pending | None = None
        self._guide: _Guide | None = None
        self._matched = False  # the board has been the position since the game was begun
        self._ended_here = False  # not replayed from the journal
        self._settling = False  # the pending move was seen unfinished
        self._undone: tuple[Turn, Turn] | None = None  # taken back by hand, and its exchange
        self._take_back_owed = False
        self._trouble: JournalError | None = None
        self._retry_s = -inf
        self._notice: Message | None = None
        self._notice_until_s = -inf
        self._cause: SightEvent | None = None
        self._cause_s = -inf
        self._quiet = False
        self._problems: Problems = frozenset()
        self._unsure_since: dict[str, float] = {}
        self._same_since_s = -inf
        self._sight: Sight | None = None
        self._view = _NO_GAME
        self._standing: Standing | None = None
        self._wake_s = -inf
        self._sounds: list[Sound] = []
        self.wants_new_game = False
        """Confirm was pressed at the end of a game; until ``begin``."""

    def begin(
        self,
        game: Game,
        game_id: int,
        moves: Sequence[str] = (),
        *,
        resumed: bool = False,
    ) -> None:
        """A new game, or one from the journal: ``moves`` are replayed, then the board is checked.

        ``resumed``: the game was begun earlier; what stands on the board may be a move that was not
        confirmed any more. Raises IllegalMoveError.
        """
        self._line = Line(self._journal, game, game_id, moves)
        self._reset()
        self._rebook(self._line)
        if not resumed and not moves:
            self._guide = _Guide.SETUP

    def check(self, request: Request) -> None:
        """Raises NotPossibleError where ``request`` could not be carried out now."""
        if isinstance(request, TakeBack):
            if self._line is None or (self._pending is None and self._line.last is None):
                raise NotPossibleError("There is no move to take back.")
        elif self._line is None or self._pending is not None or self._book.exchange is None:
            raise NotPossibleError("A swap is not possible now.")

    def step(
        self,
        sight: Sight,
        now_s: float,
        presses: Sequence[Press] = (),
        requests: Sequence[Request] = (),
    ) -> Standing:
        """Judge one scan. ``presses``: debounced and timed (firmware_host.buttons)."""
        if self._unchanged(sight, now_s) and not presses and not requests:
            return self._standing or self._stand()
        self._sounds = []
        self._wake_s = inf
        self._note(sight, now_s)
        before = self._view
        if self._line is not None:
            self._view = self._looked(self._line, sight, now_s, presses, requests)
        else:
            paused = self._paused(sight)
            self._view = View(Phase.PAUSED, paused) if paused else _NO_GAME
        self._sound_change(before, self._view)
        self._standing = standing = self._stand()
        if self._sounds:
            self._wake_s = -inf  # the next standing has no new sounds
        return standing

    def _unchanged(self, sight: Sight, now_s: float) -> bool:
        seen = self._sight
        return (
            seen is not None
            and now_s < self._wake_s
            and not sight.events
            and seen.ready == sight.ready
            and seen.stillness is sight.stillness
            and seen.faults == sight.faults
            and seen.unsure == sight.unsure
            and seen.cells == sight.cells
        )

    def _note(self, sight: Sight, now_s: float) -> None:
        """Remember since when what is seen has been so."""
        if self._sight is None or self._sight.cells != sight.cells:
            self._same_since_s = now_s
        self._sight = sight
        board = self._line.game.board if self._line else {}
        self._unsure_since = {
            place: self._unsure_since.get(place, now_s) for place in sight.unsure if place in board
        }
        for event in sight.events:
            if troubles.happened(event.happening) is not None:
                self._cause, self._cause_s = event, now_s

    def _looked(
        self,
        line: Line,
        sight: Sight,
        now_s: float,
        presses: Sequence[Press],
        requests: Sequence[Request],
    ) -> View:
        try:
            self._answer(line, now_s, presses, requests)
            if self._trouble is not None and self._due(self._retry_s, now_s):
                self._trouble = None
                if self._take_back_owed:
                    self._take_back(line, now_s)
            paused = self._paused(sight)
            if paused is not None:
                return View(Phase.PAUSED, paused)
            if self._view.phase is Phase.PAUSED:
                self._same_since_s = now_s
                self._unsure_since = dict.fromkeys(self._unsure_since, now_s)
            view = self._judge(line, sight, now_s)
        except JournalError as error:
            self._trouble = error
            self._retry_s = self._wake_s = now_s + RETRY_S
            return View(Phase.PAUSED, troubles.part_missing([error]))
        if self._notice is not None and not self._due(self._notice_until_s, now_s):
            return View(
                view.phase, self._notice, view.roles, view.piece_for, view.shifts, view.problems
            )
        self._notice = None
        return view

    def _due(self, at_s: float, now_s: float) -> bool:
        """Whether the time has come; if not, the table looks again then."""
        if now_s >= at_s - _SLACK_S:
            return True
        self._wake_s = min(self._wake_s, at_s - _SLACK_S)
        return False

    def _paused(self, sight: Sight) -> Message | None:
        if sight.faults:
            return troubles.part_missing(sight.faults)
        if self._trouble is not None:
            return troubles.part_missing([self._trouble])
        if not sight.ready:
            return troubles.not_ready()
        if sight.stillness is not Stillness.STILL:
            return troubles.not_still(sight.stillness)
        return None

    # --- buttons and requests

    def _answer(
        self, line: Line, now_s: float, presses: Sequence[Press], requests: Sequence[Request]
    ) -> None:
        for press in presses:
            if press.button == BACK:
                self._take_back(line, now_s)
            elif press.button == CONFIRM and press.long:
                self._swap(line, now_s)
            elif press.button == CONFIRM and line.position.outcome is not None:
                self.wants_new_game = True
        for request in requests:
            if isinstance(request, TakeBack):
                self._take_back(line, now_s)
            else:
                self._swap(line, now_s)

    def _take_back(self, line: Line, now_s: float) -> None:
        """By button or page: at once in the journal, then the board is guided."""
        if self._pending is None:
            if line.last is None:
                self._say_for_a_while(troubles.nothing_to_take_back(), now_s)
                return
            self._take_back_owed = True
            line.take_back()
            self._take_back_owed = False
        self._trouble = None
        self._rebook(line)
        self._guide = _Guide.TAKEBACK
        self._sounds.append(Sound.TAKEBACK)

    def _swap(self, line: Line, now_s: float) -> None:
        if self._pending is not None or self._book.exchange is None:
            self._say_for_a_while(troubles.no_swap(), now_s)
            return
        self._guide = None
        self._pending = Pending.asked(line.position, self._book.exchange)

    def _say_for_a_while(self, notice: Message, now_s: float) -> None:
        self._notice = notice
        self._notice_until_s = now_s + NOTICE_S

    # --- the board

    def _rebook(self, line: Line) -> None:
        """The position is another one, or the pending move was dropped."""
        self._book = Book(line.game, line.position)
        self._still = Plan(line.position.cells, line.position.cells)
        self._pending = None
        self._settling = False
        self._undone = None

    def _judge(self, line: Line, sight: Sight, now_s: float) -> View:
        """Hold the board against what is expected until that no longer changes anything."""
        while True:
            outcome = line.position.outcome
            if outcome is not None:
                if line.finish_owed:
                    line.finish()
                    if self._ended_here:
                        draw = outcome.winner is None
                        self._sounds.append(Sound.DRAW if draw else Sound.WIN)
                return over_view(line.game, line.position, outcome, line.last)
            if self._pending is not None:
                view = self._judge_pending(line, self._pending, sight, now_s)
            elif sight.cells == line.position.cells:
                view = self._judge_equal(line, sight, now_s)
            else:
                view = self._judge_other(line, sight, now_s)
            if view is not None:
                return view

    def _judge_equal(self, line: Line, sight: Sight, now_s: float) -> View:
        """The board is the position."""
        blurred = self._blurred(now_s)
        if self._guide is not None:
            blurred = sorted(self._unsure_since)  # a guided board must be seen to be right
        if blurred:
            if self._guide is _Guide.SETUP:
                return setup_view(line.game, Finding(), blurred)
            return self._fix(line, Finding(), blurred, sight, now_s)
        if self._guide is _Guide.SETUP:
            self._sounds.append(Sound.START)
        self._guide = None
        self._matched = True
        return self._unless_unclear(turn_view(line.game, self._book, line.last), line, sight, now_s)

    def _judge_other(self, line: Line, sight: Sight, now_s: float) -> View | None:
        """The board is not the position: a move, a takeback, or wrong. None: look again."""
        game, cells = line.game, sight.cells
        finding = self._still.hold(cells)
        blurred = self._blurred(now_s)
        if self._guide is None:
            if self._undone is not None and cells == self._undone[1].position.cells:
                self._confirm(line, self._undone[0])
                return None
            changed = finding.strays.keys() | finding.missing.keys()
            found = self._book.match(cells, changed)
            if found is not None and not blurred:
                if changed & sight.unsure:
                    view = turn_view(game, self._book, line.last)
                    return self._unless_unclear(view, line, sight, now_s)
                self._pending = found
                return None
            before = line.before
            undone = before is not None and self._matched and cells == before.cells
            if undone and self._due(self._same_since_s + TAKE_BACK_S, now_s):
                self._take_back_by_hand(line)
                return None
            choices = self._book.lifted(finding)
            if choices and not blurred:
                return lifted_view(game, line.position, choices)
            if not self._matched and line.last is None:
                self._guide = _Guide.SETUP
        if self._guide is _Guide.SETUP:
            return setup_view(game, finding, blurred)
        return self._fix(line, finding, blurred, sight, now_s)

    def _judge_pending(
        self, line: Line, pending: Pending, sight: Sight, now_s: float
    ) -> View | None:
        """A move is being carried out. None: look again."""
        finding = pending.plan.hold(sight.cells)
        blurred = self._blurred(now_s)
        if not finding.right or blurred:
            undone = not pending.requested and sight.cells == line.position.cells
            if undone and self._due(self._same_since_s + TAKE_BACK_S, now_s):
                self._rebook(line)
                self._sounds.append(Sound.TAKEBACK)
                return None
            return self._fix(line, finding, blurred, sight, now_s)
        if finding.done and not moved_places(pending) & sight.unsure:
            self._confirm(line, pending.turn)
            return None
        if not self._settling:
            self._settling = True
            self._sounds.append(Sound.MOVE)
        return self._unless_unclear(settle_view(line.game, finding), line, sight, now_s)

    def _confirm(self, line: Line, turn: Turn) -> None:
        """Make ``turn`` final. Raises JournalError; then it stays pending."""
        before = line.position.reserve
        line.confirm(turn)
        self._sounds.append(Sound.SETTLED if self._settling else Sound.MOVE)
        self._rebook(line)
        self._ended_here = line.position.outcome is not None
        after = line.position.reserve
        if any(left == 1 and before.get(owner) != 1 for owner, left in after.items()):
            self._sounds.append(Sound.LAST_MARBLE)

    def _take_back_by_hand(self, line: Line) -> None:
        exchange = self._book.exchange
        turn = line.take_back()
        self._rebook(line)
        self._sounds.append(Sound.TAKEBACK)
        # A slow swap looks like a takeback first: the other colour may still come.
        self._undone = (turn, exchange) if exchange is not None else None

    # --- what is wrong

    def _blurred(self, now_s: float) -> list[str]:
        """Places of the board that have been unreadable for long."""
        return sorted(
            place
            for place, since_s in self._unsure_since.items()
            if self._due(since_s + UNSURE_FIX_S, now_s)
        )

    def _unless_unclear(self, view: View, line: Line, sight: Sight, now_s: float) -> View:
        """``view``, but asking to centre a piece where a place has been unclear for a moment."""
        for place, since_s in sorted(self._unsure_since.items()):
            if self._due(since_s + UNSURE_SAY_S, now_s):
                say = unclear_say(place, line.position.cells, sight.cells)
                return View(view.phase, say, view.roles, view.piece_for, view.shifts)
        return view

    def _fix(
        self, line: Line, finding: Finding, blurred: Sequence[str], sight: Sight, now_s: float
    ) -> View:
        entering = self._view.phase is not Phase.FIX
        if self._cause is not None and entering and now_s - self._cause_s > CAUSE_S:
            self._cause = None
        case = Case(
            line=line,
            pending=self._pending,
            taking_back=self._guide is _Guide.TAKEBACK,
            matched=self._matched,
            cells=sight.cells,
            cause=self._cause,
        )
        self._quiet = case.taking_back or not case.matched or case.may_be_takeback
        return fix_view(finding, blurred, fix_say(case, finding, blurred))

    def _sound_change(self, before: View, after: View) -> None:
        """Sounds of getting into a phase; a fix sounds again for each new thing wrong."""
        if after.phase is Phase.PAUSED:
            if before.phase not in (Phase.PAUSED, Phase.OVER):
                self._sounds.append(Sound.PAUSED)
            return
        if after.problems - self._problems and not self._quiet:
            self._sounds.append(Sound.WRONG)
        self._problems = after.problems

    def _stand(self) -> Standing:
        line, view = self._line, self._view
        position = line.position if line else None
        pending = self._pending is not None
        return Standing(
            phase=view.phase,
            to_move=position.to_move if position else None,
            game=line.game if line else None,
            game_id=line.game_id if line else None,
            position=position,
            moves=line.moves if line else (),
            roles=view.roles,
            piece_for=view.piece_for,
            shifts=view.shifts,
            say=view.say,
            outcome=position.outcome if position else None,
            swap_legal=line is not None and not pending and self._book.exchange is not None,
            can_take_back=pending or (line is not None and line.last is not None),
            sounds=tuple(self._sounds),
        )
