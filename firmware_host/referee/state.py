"""The referee's whole state as one value: each stage of a step derives the next one from it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from enum import Enum
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.move_matching import AwaitedMove, MoveMatcher, said_over
from tiltboard.firmware_host.referee.view import NOT_READY, Meaning, Problems, View
from tiltboard.firmware_host.table import problem_messages
from tiltboard.firmware_host.table.move_line import Line, PendingMove
from tiltboard.firmware_host.table.referee_protocol import Menu
from tiltboard.firmware_host.table.sight import Sight, SightEvent, Stillness
from tiltboard.firmware_host.table.standing import Asking, Phase, Sound
from tiltboard.games.base import Turn

UNSURE_SAY_S = 0.4  # Longer than a hand needs to pass over a place.
APPEARS_S = 0.8  # Longer than a weak, off-centre magnet needs to come to rest on an empty place.
UNSURE_FIX_S = 1.0
TAKE_BACK_S = 3.0  # Seen again for this long, the board before a move takes the move back.
WAITED_S = 5.0  # A requested step that is not seen within this time may be the sensor's fault.
CAUSE_S = 1.0  # An event may have caused a mistake that is seen within this time.
SLACK_S = 1e-9  # Rounding tolerance, so that sums of scan periods reach their limits.
TILTING = (Stillness.TILTED, Stillness.MOVING)
_NOTHING = Sight(-inf, False, {}, frozenset(), Stillness.UNKNOWN, (0.0, 0.0))


class SeenBoard(Struct, frozen=True):
    """The readings so far, and their times in s."""

    sight: Sight = _NOTHING
    now_s: float = -inf
    same_since_s: float = -inf
    """The time of the board's last change."""
    sure_since_s: float = -inf
    """The same, with no doubtful place since."""
    unsure_since_s: Mapping[str, float] = field(default_factory=dict)
    """Places of the board with steady but unreadable sensors -> since when."""
    doubtful: frozenset[str] = frozenset()
    """Those places, and ones with failed or unsteady sensors."""
    cause: SightEvent | None = None
    """The last event that may explain a mistake."""
    levelled: bool = False
    """The plate was tilted, is still again, and is not read yet."""

    def then(
        self, sight: Sight, now_s: float, board: Container[str], *, mending: bool
    ) -> SeenBoard:
        """Return the readings with one more sight. Places outside ``board`` may be unreadable.
        ``mending``: keep the cause of the mistake that is being corrected.
        """
        same = self.now_s > -inf and self.sight.cells == sight.cells
        doubtful = frozenset(place for place in sight.unsure if place in board)
        unsure = doubtful - sight.masked.keys() - sight.restless
        sure = same and not doubtful and not self.doubtful
        old = self.cause is None or (not mending and now_s - self.cause.time_s > CAUSE_S)
        causes = [e for e in sight.events if e.happening in problem_messages.HAPPENED]
        return SeenBoard(
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

    def anew(self) -> SeenBoard:
        """Return the readings after a pause: every duration begins now."""
        unsure = dict.fromkeys(self.unsure_since_s, self.now_s)
        return replace(
            self, same_since_s=self.now_s, sure_since_s=self.now_s, unsure_since_s=unsure
        )

    def is_due(self, at_s: float) -> bool:
        """Return whether the time ``at_s`` has come."""
        return self.now_s >= at_s - SLACK_S

    def stood(self, duration_s: float) -> bool:
        """Return whether the board has been the same for ``duration_s``."""
        return self.is_due(self.same_since_s + duration_s)

    def surely_stood(self, duration_s: float) -> bool:
        """Return whether the board has been the same for ``duration_s``, with no doubtful place
        since.
        """
        return not self.doubtful and self.is_due(self.sure_since_s + duration_s)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Places of the board that cannot be read now."""
        return tuple(self.unsure_since_s)

    def unclear(self, stands: Container[str]) -> tuple[str, ...]:
        """Return the places that have been unreadable for longer than a hand needs to pass, or,
        where ``stands`` has no piece, for longer than one needs to come to rest.
        """
        since_s = self.unsure_since_s.items()
        waits_s = {p: UNSURE_SAY_S if p in stands else APPEARS_S for p, _ in since_s}
        return tuple(p for p, s in since_s if self.is_due(s + waits_s[p]))

    @property
    def blurred(self) -> tuple[str, ...]:
        """Places that have been unreadable for at least UNSURE_FIX_S."""
        return tuple(p for p, s in self.unsure_since_s.items() if self.is_due(s + UNSURE_FIX_S))

    def shows(self, sight: Sight) -> bool:
        """Return whether ``sight`` contains nothing new."""
        seen = self.sight
        now = replace(sight, time_s=seen.time_s, tilt_rad=seen.tilt_rad, events=seen.events)
        return not sight.events and now == seen


class Guide(Enum):
    """The goal to which people are guided; nothing on the board counts as a move until it is
    reached.
    """

    SETUP = "setup"
    TAKEBACK = "takeback"


class Play(Struct, frozen=True):
    """One game and its unfinished business."""

    line: Line
    book: MoveMatcher
    """The legal moves."""
    guide: Guide | None = None
    matched: bool = False
    """Whether the board has shown the game's position at least once since the game began."""
    pending: AwaitedMove | None = None
    """A move that is not confirmed yet."""
    held: PendingMove | None = None
    """That move as the journal has it; ``settling``: it was seen unfinished."""
    settling: bool = False
    taken_back: Turn | None = None
    """The last undone move, by hand or before a restart, if nothing has happened since."""
    missed: frozenset[str] = frozenset()
    """Empty places of which a person says that one has an unseen piece."""
    finished: bool = False
    """The result is in the journal."""
    draw_offers: tuple[str, ...] = ()
    """Players who have offered a draw since the last move."""

    def on(self, line: Line, *, taken_back: Turn | None = None) -> Play:
        """Return the game with another position, or without its pending move."""
        same = line.position is self.line.position
        book = self.book if same else MoveMatcher(line.game, line.position)
        return Play(line, book, self.guide, self.matched, taken_back=taken_back)

    @property
    def free(self) -> bool:
        """True if no move is being carried out and no mistake corrected."""
        return self.guide is None and self.pending is None

    @property
    def swap(self) -> Turn | None:
        """The move of the pie rule while it is possible, else None."""
        return self.book.swap if self.pending is None else None


RETRY_S = 1.0  # Pause between attempts to write the journal after an error.
NOTICE_S = 3.0


class RefereeState(Struct, frozen=True):
    """The state of one game. ``silent_failures``, ``tilts``: see Referee."""

    play: Play
    menu: Menu | None = None
    """Index of the selected choice, or None if nothing can be chosen."""
    silent_failures: bool = False
    tilts: bool = False
    seen: SeenBoard = field(default_factory=SeenBoard)
    claims: Mapping[str, str | None] = field(default_factory=dict)
    """Place -> the piece that people have said is there in this step."""
    cells: Mapping[str, str] = field(default_factory=dict)
    """Place -> piece, by what is ``seen`` and what people have said."""
    found: tuple[AwaitedMove, ...] = ()
    """Moves that explain the board, none of them certain yet."""
    asking: Asking[Meaning] = field(default_factory=Asking)
    failed: frozenset[str] = frozenset()
    """Sensors whose failure has been announced."""
    todo: tuple[str, ...] = ()
    """Places where something is to be done, requested since ``todo_s``."""
    todo_s: float = -inf
    view: View = NOT_READY
    """The last one shown."""
    problems: Problems = frozenset()
    """Those when play was last not paused."""
    sounds: tuple[Sound, ...] = ()
    """New in this step."""
    notice: tuple[Message, float] | None = None
    """A past event, and until when it is shown."""
    trouble: JournalError | None = None
    """The reason why nothing can be confirmed now."""
    retry_s: float = inf
    """Time of the next try to confirm."""
    owed: int | None = None
    """Number of moves that an undo leaves then, or None."""
    menu_choice: str | None = None
    """The game that is selected in the menu, as ``GameReferee`` has it."""
    wake_s: float = -inf
    """The time of the next judgement if nothing changes."""

    def seeing(self, sight: Sight, now_s: float) -> RefereeState:
        """Return the state at the beginning of a step, with the new readings."""
        mending = self.view.phase is Phase.FIX
        seen = self.seen.then(sight, now_s, self.play.line.game.board, mending=mending)
        return replace(self, seen=seen, cells=said_over(sight.cells, self.claims), found=())

    def rests(self, sight: Sight, now_s: float) -> bool:
        """Return whether a step could change nothing: no news, and no time limit has come."""
        leans = self.asking.question is not None or self.view.lean_rad is not None
        may_lean = leans and sight.stillness is not Stillness.STILL
        return now_s < self.wake_s and not may_lean and self.seen.shows(sight)

    def until_next(self) -> RefereeState:
        """Return the state at the end of a step, with the time at which to look again."""
        if self.sounds or self.claims:  # Both are passed on once, in the step that made them.
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
        """The reason why play is paused, or None."""
        sight = self.seen.sight
        if sight.faults:
            return problem_messages.part_missing(sight.faults)
        if self.trouble is not None:
            return problem_messages.part_missing([self.trouble])
        if not sight.ready:
            return problem_messages.NOT_READY
        if sight.stillness is Stillness.TILTED:
            return text("Level the plate.")
        still = sight.stillness is Stillness.STILL
        return None if still else text("Wait until the plate is still.")

    @property
    def waits_until_s(self) -> float:
        """The time by which a requested step should have been seen, if it has been done."""
        return max(self.seen.same_since_s, self.todo_s) + WAITED_S

    @property
    def may_answer(self) -> bool:
        """True if the plate is, or just was, tilted only as far as an answer needs."""
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
        """True if the board shows the position."""
        return self.cells == self.play.line.position.cells

    @property
    def may_be_undone(self) -> bool:
        """True if the board is as before the pending or the last move, which is then taken back if
        the board stays so. An unseen move may explain such a board, too.
        """
        play = self.play
        if play.pending is not None:
            return self.stands and not play.pending.requested
        if play.line.agreed is not None:  # People only clear the board.
            return False
        before = play.line.before
        if play.guide is not None or before is None or self.cells != before.cells:
            return False
        if self.stands:  # A pass has changed nothing, so the board says nothing of it.
            return False
        # An empty board that never matched is a resumed game that is not set up yet.
        set_up = play.matched or bool(self.cells)
        return set_up and not play.book.unseen(self.cells, self.hidden)

    @property
    def made(self) -> bool:
        """True if the board shows a move that is not in the journal, or people are asked which."""
        asking = self.asking
        asked = asking.question is not None and not asking.offered and asking.board is None
        return asked or self.play.pending is not None

    @property
    def step(self) -> int:
        """Number for ``Standing.step``: it changes with every move, and with every one not in the
        journal.
        """
        return 2 * len(self.play.line.moves) + self.made

    # How it changes

    def playing(self, play: Play, *sounds: Sound) -> RefereeState:
        """Return the state with the game ``play``, and the sounds of that change."""
        return replace(self, play=play, sounds=(*self.sounds, *sounds))

    def noticed(self, notice: Message) -> RefereeState:
        """Return the state with ``notice``, which is shown for NOTICE_S."""
        return replace(self, notice=(notice, self.seen.now_s + NOTICE_S))

    def refused(self, error: JournalError) -> RefereeState:
        """Return the state after the journal could not be written."""
        return replace(self, trouble=error, retry_s=self.seen.now_s + RETRY_S)

    def claimed(
        self, board: Mapping[str, str], places: Set[str], *, confirmed: bool = False
    ) -> RefereeState:
        """Return the state with ``board``'s pieces on ``places``. ``confirmed``: perception is told
        them even if they were assumed before.
        """
        news = {
            place: board.get(place)
            for place in sorted(places)
            if confirmed or self.cells.get(place) != board.get(place)
        }
        return replace(self, claims={**self.claims, **news}, cells=said_over(self.cells, news))
