"""All that the referee knows, as one value: each stage of a step makes the next one from it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from enum import Enum
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.book import Book, Pending, said_over
from tiltboard.firmware_host.referee.view import NOT_READY, Meaning, Problems, View
from tiltboard.firmware_host.table import troubles
from tiltboard.firmware_host.table.line import Line, PendingMove
from tiltboard.firmware_host.table.referee_protocol import Menu
from tiltboard.firmware_host.table.sight import Sight, SightEvent, Stillness
from tiltboard.firmware_host.table.standing import Asking, Phase, Sound
from tiltboard.games.base import Turn

UNSURE_SAY_S = 0.4  # a hand passes by faster
APPEARS_S = 0.8  # and a weak magnet off its middle has come to rest where nothing was
UNSURE_FIX_S = 1.0
TAKE_BACK_S = 3.0  # the board of before the move, standing for so long, takes it back
WAITED_S = 5.0  # what was asked for has not been seen for so long: it may be the sensor
CAUSE_S = 1.0  # how long before a fix an event may have caused it
SLACK_S = 1e-9  # so that sums of scan periods reach their limits
TILTING = (Stillness.TILTED, Stillness.MOVING)
_NOTHING = Sight(-inf, False, {}, frozenset(), Stillness.UNKNOWN, (0.0, 0.0))


class Seen(Struct, frozen=True):
    """``same_since_s``: since when the board has been as it is; ``sure_since_s``: and nothing on it
    in doubt. ``unsure_since_s``: places of the board whose readings rest and cannot be read.
    ``doubtful``: those, and the ones with failed or restless sensors. ``cause``: what perception
    saw last that may explain a fix. ``levelled``: the plate was tilted and lies still again, and
    has yet to be read.
    """

    sight: Sight = _NOTHING
    now_s: float = -inf
    same_since_s: float = -inf
    sure_since_s: float = -inf
    unsure_since_s: Mapping[str, float] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    cause: SightEvent | None = None
    levelled: bool = False

    def then(self, sight: Sight, now_s: float, board: Container[str], *, mending: bool) -> Seen:
        """After one sight more. Places outside ``board`` may be unreadable. ``mending``: while a
        fix goes on, what caused it still does.
        """
        same = self.now_s > -inf and self.sight.cells == sight.cells
        doubtful = frozenset(place for place in sight.unsure if place in board)
        unsure = doubtful - sight.masked.keys() - sight.restless
        sure = same and not doubtful and not self.doubtful
        old = self.cause is None or (not mending and now_s - self.cause.time_s > CAUSE_S)
        causes = [e for e in sight.events if e.happening in troubles.HAPPENED]
        return Seen(
            sight,
            now_s,
            same_since_s=self.same_since_s if same else now_s,
            sure_since_s=self.sure_since_s if sure else now_s,
            unsure_since_s={p: self.unsure_since_s.get(p, now_s) for p in sorted(unsure)},
            doubtful=doubtful,
            cause=causes[-1] if causes else None if old else self.cause,
            levelled=not sight.ready
            and sight.stillness is Stillness.STILL
            and (self.levelled or self.sight.stillness in TILTING),
        )

    def anew(self) -> Seen:
        """Play was paused: what stands now has stood only from now on."""
        unsure = dict.fromkeys(self.unsure_since_s, self.now_s)
        return replace(
            self, same_since_s=self.now_s, sure_since_s=self.now_s, unsure_since_s=unsure
        )

    def is_due(self, at_s: float) -> bool:
        """Whether that time has come."""
        return self.now_s >= at_s - SLACK_S

    def stood(self, duration_s: float) -> bool:
        """Whether the board has been as it is for so long."""
        return self.is_due(self.same_since_s + duration_s)

    def surely_stood(self, duration_s: float) -> bool:
        """Whether the board has stood for that long, with nothing on it in doubt meanwhile."""
        return not self.doubtful and self.is_due(self.sure_since_s + duration_s)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Places of the board that cannot be read now."""
        return tuple(self.unsure_since_s)

    def unclear(self, stands: Container[str]) -> tuple[str, ...]:
        """Places that have been unreadable for longer than a hand takes to pass, or a piece to come
        to rest where none ``stands``.
        """
        since_s = self.unsure_since_s.items()
        waits_s = {p: UNSURE_SAY_S if p in stands else APPEARS_S for p, _ in since_s}
        return tuple(p for p, s in since_s if self.is_due(s + waits_s[p]))

    @property
    def blurred(self) -> tuple[str, ...]:
        """Places that have been unreadable for long."""
        return tuple(p for p, s in self.unsure_since_s.items() if self.is_due(s + UNSURE_FIX_S))

    def shows(self, sight: Sight) -> bool:
        """Whether ``sight`` tells nothing new."""
        seen = self.sight
        now = replace(sight, time_s=seen.time_s, tilt_rad=seen.tilt_rad, events=seen.events)
        return not sight.events and now == seen


class Guide(Enum):
    """Until the board is exactly the position, nothing on it counts as a move."""

    SETUP = "setup"
    TAKEBACK = "takeback"


class Play(Struct, frozen=True):
    """``book``: of the position. ``matched``: the board has been the position since the game was
    begun. ``pending``: a move that is not confirmed yet, ``held``: as it is on disk, ``settling``:
    it was seen unfinished. ``taken_back``: the move that was taken back last, by hand or before the
    game was begun again, if nothing has happened since. ``missed``: empty places, on one of which a
    piece stands that nobody sees, as somebody says. ``finished``: the result is on disk.
    ``draw_offers``: players who have offered a draw since the last move.
    """

    line: Line
    book: Book
    guide: Guide | None = None
    matched: bool = False
    pending: Pending | None = None
    held: PendingMove | None = None
    settling: bool = False
    taken_back: Turn | None = None
    missed: frozenset[str] = frozenset()
    finished: bool = False
    draw_offers: tuple[str, ...] = ()

    def on(self, line: Line, *, taken_back: Turn | None = None) -> Play:
        """The position is another one, or no move is pending any more."""
        same = line.position is self.line.position
        book = self.book if same else Book(line.game, line.position)
        return Play(line, book, self.guide, self.matched, taken_back=taken_back)

    @property
    def free(self) -> bool:
        """Whether nothing is being carried out or mended."""
        return self.guide is None and self.pending is None

    @property
    def swap(self) -> Turn | None:
        """The pie rule's move, while it is possible."""
        return self.book.swap if self.pending is None else None


RETRY_S = 1.0  # between attempts to write a journal that refuses
NOTICE_S = 3.0


class State(Struct, frozen=True):
    """The state of one game. ``menu``: None where nothing can be chosen; ``silent_failures``,
    ``tilts``: as in Referee.

    ``cells``: what stands where, with what people have said over what is ``seen``. ``claims``:
    place -> what they have said in this step that stands there. ``found``: moves that explain the
    board, of which none can be taken for made yet. ``todo``: places where something is to be done,
    asked for since ``todo_s``. ``view``: what was told last; ``problems``: what was wrong when play
    was last not paused. ``sounds``: new in this step. ``failed``: sensors of which that was told.
    ``notice``: something past, and until when it is told. ``trouble``: why nothing can be confirmed
    now; ``retry_s``: when that is tried again; ``owed``: how many moves are to be left then, if
    some are to be taken back. ``menu_choice``: as in GameReferee. ``wake_s``: when to look again
    although nothing changes.
    """

    play: Play
    menu: Menu | None = None
    silent_failures: bool = False
    tilts: bool = False
    seen: Seen = field(default_factory=Seen)
    claims: Mapping[str, str | None] = field(default_factory=dict)
    cells: Mapping[str, str] = field(default_factory=dict)
    found: tuple[Pending, ...] = ()
    asking: Asking[Meaning] = field(default_factory=Asking)
    failed: frozenset[str] = frozenset()
    todo: tuple[str, ...] = ()
    todo_s: float = -inf
    view: View = NOT_READY
    problems: Problems = frozenset()
    sounds: tuple[Sound, ...] = ()
    notice: tuple[Message, float] | None = None
    trouble: JournalError | None = None
    retry_s: float = inf
    owed: int | None = None
    menu_choice: str | None = None
    wake_s: float = -inf

    def seeing(self, sight: Sight, now_s: float) -> State:
        """The state as a step begins, with what is seen now."""
        mending = self.view.phase is Phase.FIX
        seen = self.seen.then(sight, now_s, self.play.line.game.board, mending=mending)
        return replace(self, seen=seen, cells=said_over(sight.cells, self.claims), found=())

    def rests(self, sight: Sight, now_s: float) -> bool:
        """Whether a step could tell nothing new: nothing has changed, and it is not time yet."""
        leans = self.asking.question is not None or self.view.lean_rad is not None
        may_lean = leans and sight.stillness is not Stillness.STILL
        return now_s < self.wake_s and not may_lean and self.seen.shows(sight)

    def until_next(self) -> State:
        """The state as a step ends, with the time at which to look again."""
        if self.sounds or self.claims:  # they are told once; perception believes them at once
            return replace(self, sounds=(), claims={}, wake_s=-inf)
        notice = () if self.notice is None else (self.notice[1],)
        seen, waits_s = self.seen, (UNSURE_SAY_S, APPEARS_S, UNSURE_FIX_S)
        unsure = [at_s + wait_s for at_s in seen.unsure_since_s.values() for wait_s in waits_s]
        stood = (seen.sure_since_s + TAKE_BACK_S, self.waits_until_s)
        alarms_s = (self.retry_s, *notice, *stood, *unsure)
        wake_s = min((at_s for at_s in alarms_s if not seen.is_due(at_s)), default=inf)
        return replace(self, wake_s=wake_s - SLACK_S)

    # What is asked of it

    @property
    def why_paused(self) -> Message | None:
        """What play waits for; None where it goes on."""
        sight = self.seen.sight
        if sight.faults:
            return troubles.part_missing(sight.faults)
        if self.trouble is not None:
            return troubles.part_missing([self.trouble])
        if not sight.ready:
            return troubles.NOT_READY
        if sight.stillness is Stillness.TILTED:
            return text("Level the plate.")
        still = sight.stillness is Stillness.STILL
        return None if still else text("Wait until the plate lies still.")

    @property
    def waits_until_s(self) -> float:
        """When what is asked for should have been seen, if it has been done."""
        return max(self.seen.same_since_s, self.todo_s) + WAITED_S

    @property
    def may_answer(self) -> bool:
        """Whether the plate is only tilted as much as answers the question that is asked, or was
        just now.
        """
        sight, levelled = self.seen.sight, self.seen.levelled
        tilted = levelled or (sight.ready and sight.stillness in TILTING)
        waits = sight.faults or self.trouble is not None
        return tilted and not waits and self.asking.may_lean(sight.tilt_rad)

    @property
    def hidden(self) -> frozenset[str]:
        """Places of the board that no sensor sees."""
        return self.seen.sight.blind & self.play.line.game.board.keys()

    @property
    def stands(self) -> bool:
        """Whether the board shows the position."""
        return self.cells == self.play.line.position.cells

    @property
    def may_be_undone(self) -> bool:
        """Whether the board is as it was before the pending move, or before the last one: if it
        stays so, that is taken back. A move that nobody has seen may explain that, too.
        """
        play = self.play
        if play.pending is not None:
            return self.stands and not play.pending.requested
        if play.line.agreed is not None:  # pieces are only cleared away
            return False
        before = play.line.before
        if play.guide is not None or before is None or self.cells != before.cells:
            return False
        if self.stands:  # A pass has changed nothing, so the board says nothing of it.
            return False
        # An empty board was never right: a game goes on, and nothing is set up yet
        set_up = play.matched or bool(self.cells)
        return set_up and not play.book.unseen(self.cells, self.hidden)

    @property
    def made(self) -> bool:
        """A move stands on the board that is not on disk; or it is asked which one does."""
        asking = self.asking
        asked = asking.question is not None and not asking.offered and asking.board is None
        return asked or self.play.pending is not None

    @property
    def step(self) -> int:
        """As ``Standing.step``: another number with every move, and with one that is made and not
        on disk.
        """
        return 2 * len(self.play.line.moves) + self.made

    # How it changes

    def playing(self, play: Play, *sounds: Sound) -> State:
        """With the game as far as ``play``, and the sounds of how it got there."""
        return replace(self, play=play, sounds=(*self.sounds, *sounds))

    def noticed(self, notice: Message) -> State:
        """Something is to be told for a moment."""
        return replace(self, notice=(notice, self.seen.now_s + NOTICE_S))

    def refused(self, error: JournalError) -> State:
        """The journal could not be written."""
        return replace(self, trouble=error, retry_s=self.seen.now_s + RETRY_S)

    def claimed(
        self, board: Mapping[str, str], places: Set[str], *, confirmed: bool = False
    ) -> State:
        """What ``board`` has on ``places`` stands there. ``confirmed``: that is news even where it
        was believed before.
        """
        news = {
            place: board.get(place)
            for place in sorted(places)
            if confirmed or self.cells.get(place) != board.get(place)
        }
        return replace(self, claims={**self.claims, **news}, cells=said_over(self.cells, news))
