"""The referee: from what stands where to how the game stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmware_host.config.errors import JournalError, NotPossibleError
from firmware_host.guidance import troubles, turns
from firmware_host.messages import Message
from firmware_host.perception.observation import Stillness
from firmware_host.referee.asking import Asking
from firmware_host.referee.book import Pending
from firmware_host.referee.judge import Judge
from firmware_host.referee.line import Line
from firmware_host.referee.pauses import may_answer, why_paused
from firmware_host.referee.play import Guide, Play
from firmware_host.referee.port import JournalPort
from firmware_host.referee.sensors import SensorNews
from firmware_host.referee.unseen import Claim, Claims
from firmware_host.referee.view import Problems, View, question_view, standing
from firmware_host.referee.watch import Watch
from firmware_host.table.buttons import BACK, Press
from firmware_host.table.commands import Answer, MakeMove, Request, Swap, TakeBack
from firmware_host.table.pending import PendingMove
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Choice, Phase, Question, Sound, Standing
from games.base import Game, Position

RETRY_S = 1.0  # between attempts to write a journal that refuses
NOTICE_S = 3.0


class Referee:
    """One table's referee. It judges whole boards, never single events, so that any way of getting
    to a board is as good as another; all its times are differences of the ``now_s`` it is given.
    """

    def __init__(
        self, journal: JournalPort, menu: Question | None = None, *, silent_failures: bool = False
    ) -> None:
        """``menu``: as for ``set_menu``. ``silent_failures``: sensors can fail without anything
        telling, as switches do; confirm then asks for a piece that nobody sees.
        """
        self._journal = journal
        self._silent_failures = silent_failures
        self._menu = menu
        self._standing: Standing | None = None
        self._seat(None)

    def _seat(self, line: Line | None) -> None:
        """Forget everything about the game before."""
        self._play = None if line is None else Play(line)
        self._watch = Watch()
        self._asking = Asking(self._menu, self._watch)
        self._claims = Claims()
        self._news = SensorNews()
        self._take_back_owed: int | None = None  # how many moves are to be left
        self._trouble: JournalError | None = None
        self._retry_s = 0.0
        self._notice: tuple[Message, float] | None = None
        self._problems: Problems = frozenset()
        self._sounds: list[Sound] = []
        self._view = View(Phase.PAUSED, troubles.not_ready())
        self._judge = (
            None
            if self._play is None
            else Judge(self._play, self._watch, self._asking, self._claims)
        )
        self.wants_new_game = False
        """Confirm was pressed at the end of a game; until ``begin``."""
        self.wants_game: str | None = None
        """The name that was chosen in the menu; until ``begin`` or ``refuse``."""

    def set_menu(self, menu: Question) -> None:
        """What is asked for at the table where there is no page; its answer is ``wants_game``."""
        self._menu = menu
        self._asking.set_menu(menu)

    def begin(
        self,
        game: Game,
        game_id: int,
        moves: Sequence[str] = (),
        *,
        resumed: bool = False,
        reached: Sequence[Position] = (),
        taken_back: str | None = None,
        pending: PendingMove | None = None,
    ) -> None:
        """A new game, or one from the journal, of which the board is then checked: ``moves``, and
        ``reached``, the positions from the start through all of them, else they are replayed.

        ``resumed``: the game was begun earlier, so what stands on the board may be a move that was
        not confirmed any more; with ``moves`` that is understood. ``taken_back``: the move that was
        taken back last; if it still stands there, that is no new one. ``pending``: the move
        that was being carried out. Raises IllegalMoveError.
        """
        self._seat(Line(self._journal, game, game_id, moves, reached))
        if self._play is not None and taken_back is not None:
            self._play.remember_taken_back(taken_back)
        if self._play is not None and pending is not None:
            self._play.go_on_with(pending)
        if self._play is not None and not resumed and not moves:
            self._play.guide = Guide.SETUP

    def check(self, request: Request) -> None:
        """Raises NotPossibleError where ``request`` could not be carried out now."""
        play = self._play
        if isinstance(request, TakeBack):
            made = self._made
            if play is None or (not made and play.line.last is None):
                raise NotPossibleError("There is no move to take back.")
            if request.to is not None and request.to >= len(play.line.moves) + made:
                raise NotPossibleError(
                    "There is no move after move {to} to take back.", to=request.to
                )
        elif isinstance(request, Answer):
            self._asking.check(request.value)
        elif isinstance(request, MakeMove):
            if play is None or self._made or request.move not in play.line.position.legal():
                raise NotPossibleError("{move} is not a legal move now.", move=request.move)
        elif play is None or play.exchange is None:
            raise NotPossibleError("A swap is not possible now.")

    @property
    def trouble(self) -> JournalError | None:
        """Why nothing can be confirmed now: what the last step was asked for was not done."""
        return self._trouble

    def take_claims(self) -> Sequence[Claim]:
        """What is known of places that no sensor sees since this was asked last."""
        return self._claims.take()

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
        """Judge one scan. ``presses``: debounced and timed (firmware_host.table.buttons)."""
        idle = self._watch.idle(sight, now_s) and not presses and not requests
        idle = idle and (self._asking.question is None or sight.stillness is Stillness.STILL)
        if idle and not self._claims and self._standing is not None:
            return self._standing
        self._watch.note(sight, now_s, self._play.line.game.board if self._play else ())
        before, self._view = self._view, self._looked(sight, presses, requests)
        if self._view.phase is Phase.PAUSED and not self._asking.menu:
            self._asking.rest()
        elif self._view.question is None:
            self._asking.close()
        self._sound_change(before, self._view)
        self._standing = self._stand()
        if self._sounds:
            self._sounds.clear()
            self._watch.wake()  # sounds are told once
        return self._standing

    def _looked(self, sight: Sight, presses: Sequence[Press], requests: Sequence[Request]) -> View:
        play, judge = self._play, self._judge
        try:
            if play is not None and judge is not None:
                self._heed(play, judge, sight, presses, requests)
                self._retry(play)
            paused = why_paused(sight, self._trouble)
            asked = self._asking.question
            leaning = may_answer(sight, self._trouble, self._asking)
            leaning = leaning and self._view.phase is not Phase.PAUSED
            if leaning and asked is not None and play is not None:
                return question_view(asked, self._view.phase, play.line.last)
            if paused is not None:
                return View(Phase.PAUSED, paused)
            if play is None or judge is None:
                return View(Phase.SETUP, turns.no_game())
            if self._view.phase is Phase.PAUSED:
                self._watch.restart()
            self._notify(self._news.fresh(play.line, sight))
            view = judge.judge(sight, self._view.phase)
            menu = self._asking.browsing(sight.cells)
            if menu is not None:
                view = question_view(menu, view.phase, play.line.last)
            return self._unless_noticed(view)
        except JournalError as error:
            self._trouble = error
            self._retry_s = self._watch.now_s + RETRY_S
            self._watch.due(self._retry_s)
            return View(Phase.PAUSED, troubles.part_missing([error]))
        finally:
            self._hear(play)

    # Buttons and requests

    def _heed(
        self,
        play: Play,
        judge: Judge,
        sight: Sight,
        presses: Sequence[Press],
        requests: Sequence[Request],
    ) -> None:
        asking = self._asking
        if may_answer(sight, self._trouble, asking):
            self._decide(judge, sight, asking.lean(sight.tilt_rad, self._watch.now_s))
        for press in presses:
            asked = asking.question
            if press.button == BACK and press.long and self._menu is not None:
                asking.browse(play.line.game, sight.cells)
            elif press.button == BACK and asking.menu:
                asking.close()
            elif press.button == BACK and play.missed:
                play.missed = frozenset()
            elif press.button == BACK and asking.opened:
                asking.fold()
            elif press.button == BACK:
                self._take_back(play)
            elif asked is not None and self._view.phase is Phase.PAUSED:
                pass  # the choice does not show
            elif asked is not None and not (asked.offer and press.long and play.exchange):
                self._decide(judge, sight, asking.press(press))
            elif press.long:
                self._swap(play)
            elif play.line.position.outcome is not None:
                self.wants_new_game = True
            elif self._silent_failures and self._view.phase is Phase.TURN:
                play.missed = frozenset(play.line.game.board.keys() - sight.cells.keys())
        for request in requests:
            if isinstance(request, TakeBack):
                self._take_back(play, request.to, insist=False)
            elif isinstance(request, Swap):
                self._swap(play)
            elif isinstance(request, MakeMove):
                self._make(play, request.move)
            else:
                self._decide(judge, sight, asking.named(request.value))

    def _decide(self, judge: Judge, sight: Sight, choice: Choice | None) -> None:
        """The open question is answered."""
        if choice is None:
            return
        meant = self._asking.answered(choice)
        if isinstance(meant, str):
            self.wants_game = meant
        elif isinstance(meant, Pending):
            judge.settle(meant, sight)
        else:
            for place, piece in meant:
                self._claims.make(place, piece, self._watch.now_s)

    def _take_back(self, play: Play, to: int | None = None, *, insist: bool = True) -> None:
        """At once in the journal; then the board is guided. ``to``: how many moves
        are left; None: all but the last, or all where one is made that is not in the journal.
        ``insist``: where the journal refuses, try again; who asks through a page is told instead.
        """
        if to is None:
            to = len(play.line.moves) - (not self._made)
            if to < 0:
                self._notify(troubles.nothing_to_take_back())
                return
        if insist:
            self._take_back_owed = to
        play.take_back(to)
        self._take_back_owed = None
        self._trouble = None

    def _retry(self, play: Play) -> None:
        """After a refusal of the journal: try again once a second."""
        if self._trouble is not None and self._watch.due(self._retry_s):
            self._trouble = None
            if self._take_back_owed is not None:
                self._take_back(play, self._take_back_owed)

    def _swap(self, play: Play) -> None:
        if play.exchange is None:
            self._notify(troubles.no_swap())
            return
        play.settle(Pending.asked(play.line.position, play.exchange))

    def _make(self, play: Play, move: str) -> None:
        """Unless the board has shown another one meanwhile."""
        position = play.line.position
        if not self._made and move in position.legal():
            play.settle(Pending.asked(position, position.play(move)))

    # What people see and hear

    @property
    def _made(self) -> bool:
        """A move stands on the board that is not on disk."""
        return self._play is not None and (self._play.pending is not None or self._asking.move)

    def _notify(self, notice: Message | None) -> None:
        if notice is not None:
            self._notice = notice, self._watch.now_s + NOTICE_S

    def _unless_noticed(self, view: View) -> View:
        if self._notice is None or self._watch.due(self._notice[1]):
            self._notice = None
            return view
        return replace(view, say=troubles.noticed(self._notice[0], view.say))

    def _hear(self, play: Play | None) -> None:
        """What the game has to tell."""
        if play is not None:
            self._sounds.extend(play.sounds)
            play.sounds.clear()

    def _sound_change(self, before: View, after: View) -> None:
        """Sounds of getting into a phase; a fix sounds again for each new thing wrong."""
        if after.phase is Phase.PAUSED:
            if before.phase not in (Phase.PAUSED, Phase.OVER):
                self._sounds.append(Sound.PAUSED)
            return
        if _must_be_answered(after) and not _must_be_answered(before):
            self._sounds.append(Sound.ASK)
        if after.problems - self._problems and not after.quiet:
            self._sounds.append(Sound.WRONG)
        self._problems = after.problems

    def _stand(self) -> Standing:
        play = self._play
        return standing(
            self._view,
            None if play is None else play.line,
            swap_legal=play is not None and play.exchange is not None,
            made=self._made,
            sounds=tuple(self._sounds),
        )


def _must_be_answered(view: View) -> bool:
    return view.question is not None and not view.question.offer
