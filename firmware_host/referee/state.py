"""The whole state of a board game's referee as one immutable value. Each stage of a step returns a
new value.
"""

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
from tiltboard.firmware_host.table.status import OpenQuestion, Phase, Sound
from tiltboard.games.base import Turn

# Delay in seconds before people are asked to centre a piece. A hand that passes over a place takes
# less time.
UNSURE_SAY_S = 0.4
# Delay in seconds before people are asked about a piece on a place that should be empty. A weak
# magnet that is put down off-centre is readable before this time.
APPEARS_S = 0.8
UNSURE_FIX_S = 1.0
# Time in seconds for which the board must look as it did before a move. After this time, the move
# is taken back.
TAKE_BACK_S = 3.0
# Time to wait for a sensor to detect a requested step, in seconds. After this time, the sensor has
# probably missed the step.
WAITED_S = 5.0
CAUSE_S = 1.0  # Maximum time between an event and a mistake that the event can explain, in seconds.
SLACK_S = 1e-9  # Rounding tolerance in seconds, so that sums of scan periods reach their limits.
TILTING = (Stillness.TILTED, Stillness.MOVING)
_NOTHING = Sight(-inf, False, {}, frozenset(), Stillness.UNKNOWN, (0.0, 0.0))


class SeenBoard(Struct, frozen=True):
    """The last readings of the plate, and the times of their last changes."""

    sight: Sight = _NOTHING
    now_s: float = -inf
    same_since_s: float = -inf
    """Time of the last change to the board, in seconds."""
    sure_since_s: float = -inf
    """Time since which the board has not changed and every place has been readable, in seconds."""
    unsure_since_s: Mapping[str, float] = field(default_factory=dict)
    """Unreadable place whose sensor is steady -> time since which the place has been unreadable, in
    seconds.
    """
    doubtful: frozenset[str] = frozenset()
    """Places of the board that cannot be read now, including those with failed or unsteady
    sensors.
    """
    cause: SightEvent | None = None
    """The last event that can explain a mistake, or None."""
    levelled: bool = False
    """True if the plate was tilted and is still again, and the sensors have not been read since the
    plate became still.
    """

    def then(
        self, sight: Sight, now_s: float, board: Container[str], *, mending: bool
    ) -> SeenBoard:
        """Return the readings after one more scan. ``board``: the places of the game; unreadable
        places outside the board are ignored. ``mending``: True while people correct a mistake, so
        that the cause of the mistake is kept.
        """
        same = self.now_s > -inf and self.sight.cells == sight.cells
        doubtful = frozenset(place for place in sight.unsure if place in board)
        unsure = doubtful - sight.faulty.keys() - sight.unstable
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
        """Return the readings after a pause. All durations are counted from now on."""
        unsure = dict.fromkeys(self.unsure_since_s, self.now_s)
        return replace(
            self, same_since_s=self.now_s, sure_since_s=self.now_s, unsure_since_s=unsure
        )

    def is_due(self, at_s: float) -> bool:
        """Return whether the time ``at_s`` has been reached."""
        return self.now_s >= at_s - SLACK_S

    def is_unchanged_for(self, duration_s: float) -> bool:
        """Return whether the board has not changed for ``duration_s`` seconds."""
        return self.is_due(self.same_since_s + duration_s)

    def stable_for(self, duration_s: float) -> bool:
        """Return whether the board has not changed and every place has been readable for
        ``duration_s`` seconds.
        """
        return not self.doubtful and self.is_due(self.sure_since_s + duration_s)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Places of the board that cannot be read now, although the sensor there is steady."""
        return tuple(self.unsure_since_s)

    def unclear(self, stands: Container[str]) -> tuple[str, ...]:
        """Return the places that have been unreadable for at least ``UNSURE_SAY_S`` seconds.
        ``stands``: places where a piece is expected. Any other place counts only after
        ``APPEARS_S`` seconds.
        """
        since_s = self.unsure_since_s.items()
        waits_s = {p: UNSURE_SAY_S if p in stands else APPEARS_S for p, _ in since_s}
        return tuple(p for p, s in since_s if self.is_due(s + waits_s[p]))

    @property
    def unreadable_places(self) -> tuple[str, ...]:
        """Places that have been unreadable for at least ``UNSURE_FIX_S`` seconds."""
        return tuple(p for p, s in self.unsure_since_s.items() if self.is_due(s + UNSURE_FIX_S))

    def shows(self, sight: Sight) -> bool:
        """Return whether ``sight`` has no events and the same readings as the last scan. The time
        and the tilt can differ.
        """
        seen = self.sight
        now = replace(sight, time_s=seen.time_s, tilt_rad=seen.tilt_rad, events=seen.events)
        return not sight.events and now == seen


class Guide(Enum):
    """The position that people are guided to set up. Until the board matches that position, no
    change of the board counts as a move.
    """

    SETUP = "setup"
    TAKEBACK = "takeback"


class Play(Struct, frozen=True):
    """One game, with its legal moves and its unfinished move."""

    line: Line
    book: MoveMatcher
    """Finds the legal moves of the position that lead to a given board."""
    guide: Guide | None = None
    matched: bool = False
    """True if the board has shown the game's position at least once since the game began or was
    resumed.
    """
    pending: AwaitedMove | None = None
    """The move that is being carried out and is not confirmed yet, or None."""
    held: PendingMove | None = None
    """The pending move as the journal stores it, or None. ``settling``: True once the move has been
    detected without a mistake but is not complete.
    """
    settling: bool = False
    taken_back: Turn | None = None
    """The last move that was undone, by hand or before a restart, or None if the game has changed
    since the undo.
    """
    missed: frozenset[str] = frozenset()
    """Empty places on which a person may have put a piece that no sensor detects. The person has
    reported that one of these places has a piece.
    """
    finished: bool = False
    """True if the result of the game is in the journal."""
    draw_offers: tuple[str, ...] = ()
    """Players who have offered a draw since the last move."""

    def on(self, line: Line, *, taken_back: Turn | None = None) -> Play:
        """Return the game at the position of ``line``, without a pending move. ``taken_back``: the
        move that was just undone, or None.
        """
        same = line.position is self.line.position
        book = self.book if same else MoveMatcher(line.game, line.position)
        return Play(line, book, self.guide, self.matched, taken_back=taken_back)

    @property
    def free(self) -> bool:
        """True if no move is being carried out and people are not guided to a position."""
        return self.guide is None and self.pending is None

    @property
    def swap(self) -> Turn | None:
        """The swap move of the pie rule while a swap is possible, or None."""
        return self.book.swap if self.pending is None else None


RETRY_S = 1.0  # Delay between attempts to write the journal after an error, in seconds.
NOTICE_S = 3.0


class RefereeState(Struct, frozen=True):
    """The state of one game on a board, as one immutable value."""

    play: Play
    menu: Menu | None = None
    """Function that returns the menu for a long press of the *Back* button, or None if there is no
    menu.
    """
    silent_failures: bool = False
    """True if sensors can fail undetected, as switches do."""
    tilts: bool = False
    """True if people can tilt the plate so that tiles slide."""
    seen: SeenBoard = field(default_factory=SeenBoard)
    claims: Mapping[str, str | None] = field(default_factory=dict)
    """Place -> piece that people have reported on that place in this step, or None if people
    reported an empty place.
    """
    cells: Mapping[str, str] = field(default_factory=dict)
    """Place -> piece on that place, from the sensors and from reports by people."""
    found: tuple[AwaitedMove, ...] = ()
    """Legal moves that can explain the board, none of which is certain yet."""
    asking: OpenQuestion[Meaning] = field(default_factory=OpenQuestion)
    failed: frozenset[str] = frozenset()
    """Places whose sensor failure has been announced to the players."""
    todo: tuple[str, ...] = ()
    """Places where people must still carry out a step. ``todo_s``: time at which people were asked
    to carry out the step, in seconds.
    """
    todo_s: float = -inf
    view: View = NOT_READY
    """The view that was shown last."""
    problems: Problems = frozenset()
    """The problems shown in the last view, not counting views of a pause."""
    sounds: tuple[Sound, ...] = ()
    """Sounds that start in this step."""
    notice: tuple[Message, float] | None = None
    """A message about a past event and the time until which it is shown, in seconds, or None."""
    trouble: JournalError | None = None
    """The error that prevents writing the journal, so that nothing can be confirmed, or None."""
    retry_s: float = inf
    """Time of the next attempt to write the journal, in seconds."""
    unsaved: int | None = None
    """Number of moves that remain after a failed undo succeeds on its next attempt, or None if no
    undo failed.
    """
    menu_choice: str | None = None
    """The menu entry that a player has chosen and the host must start, or None."""
    wake_s: float = -inf
    """Time at which the board is judged again even if nothing changes earlier, in seconds."""

    def seeing(self, sight: Sight, now_s: float) -> RefereeState:
        """Return the state at the start of a step, with the new readings ``sight``."""
        mending = self.view.phase is Phase.FIX
        seen = self.seen.then(sight, now_s, self.play.line.game.board, mending=mending)
        return replace(self, seen=seen, cells=said_over(sight.cells, self.claims), found=())

    def is_idle(self, sight: Sight, now_s: float) -> bool:
        """Return whether a step would change nothing, because ``sight`` shows no change and no time
        limit has been reached.
        """
        leans = self.asking.question is not None or self.view.lean_rad is not None
        may_lean = leans and sight.stillness is not Stillness.STILL
        return now_s < self.wake_s and not may_lean and self.seen.shows(sight)

    def until_next(self) -> RefereeState:
        """Return the state at the end of a step, with the time at which the board must be judged
        again.
        """
        # Sounds and claims are passed on once, in the step that created them.
        if self.sounds or self.claims:
            return replace(self, sounds=(), claims={}, wake_s=-inf)
        notice = () if self.notice is None else (self.notice[1],)
        seen, waits_s = self.seen, (UNSURE_SAY_S, APPEARS_S, UNSURE_FIX_S)
        unsure = [at_s + wait_s for at_s in seen.unsure_since_s.values() for wait_s in waits_s]
        stood = (seen.sure_since_s + TAKE_BACK_S, self.waits_until_s)
        alarms_s = (self.retry_s, *notice, *stood, *unsure)
        wake_s = min((at_s for at_s in alarms_s if not seen.is_due(at_s)), default=inf)
        return replace(self, wake_s=wake_s - SLACK_S)

    # Properties that the stages of a step read

    @property
    def why_paused(self) -> Message | None:
        """The reason for the pause in play, or None if play is not paused."""
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
        """Time by which the sensors should have detected a requested step, in seconds."""
        return max(self.seen.same_since_s, self.todo_s) + WAITED_S

    @property
    def may_answer(self) -> bool:
        """True if the plate's tilt, now or a moment ago, can answer the open question."""
        sight, levelled = self.seen.sight, self.seen.levelled
        tilted = levelled or (sight.ready and sight.stillness in TILTING)
        waits = sight.faults or self.trouble is not None
        return tilted and not waits and self.asking.may_lean(sight.tilt_rad)

    @property
    def unobserved(self) -> frozenset[str]:
        """Places of the board that no working sensor can read."""
        return self.seen.sight.unobservable & self.play.line.game.board.keys()

    @property
    def stands(self) -> bool:
        """True if the board shows exactly the game's position."""
        return self.cells == self.play.line.position.cells

    @property
    def matches_position_before(self) -> bool:
        """True if the board looks as it did before the pending move, or before the last move if no
        move is pending. If the board stays like this, that move is taken back. False if a move that
        no sensor detects can also explain the board.
        """
        play = self.play
        if play.pending is not None:
            return self.stands and not play.pending.requested
        # After an agreed end, people clear the board, so an earlier position on the board is not an
        # undo.
        if play.line.agreed is not None:
            return False
        before = play.line.before
        if play.guide is not None or before is None or self.cells != before.cells:
            return False
        # A pass changes no piece, so the board cannot show that people take a pass back.
        if self.stands:
            return False
        # An empty board that has never shown the position means that the resumed game is not set up
        # yet.
        set_up = play.matched or bool(self.cells)
        return set_up and not play.book.unseen(self.cells, self.unobserved)

    @property
    def made(self) -> bool:
        """True if the board shows an unconfirmed move, or people are being asked which move was
        made.
        """
        asking = self.asking
        asked = asking.question is not None and not asking.offered and asking.board is None
        return asked or self.play.pending is not None

    @property
    def step(self) -> int:
        """Number used as ``GameStatus.step``. It changes when a move is made, confirmed or taken
        back.
        """
        return 2 * len(self.play.line.moves) + self.made

    # Methods that return a changed state

    def playing(self, play: Play, *sounds: Sound) -> RefereeState:
        """Return the state with ``play`` as the game, and with ``sounds`` added."""
        return replace(self, play=play, sounds=(*self.sounds, *sounds))

    def with_notice(self, notice: Message) -> RefereeState:
        """Return the state with ``notice``, which is shown for ``NOTICE_S`` seconds."""
        return replace(self, notice=(notice, self.seen.now_s + NOTICE_S))

    def with_write_error(self, error: JournalError) -> RefereeState:
        """Return the state after ``error`` prevented writing the journal, with the time of the next
        attempt.
        """
        return replace(self, trouble=error, retry_s=self.seen.now_s + RETRY_S)

    def with_claimed(
        self, board: Mapping[str, str], places: Set[str], *, confirmed: bool = False
    ) -> RefereeState:
        """Return the state with the pieces of ``board`` on ``places``. ``confirmed``: True to
        report all ``places`` to perception, not only the changed ones.
        """
        news = {
            place: board.get(place)
            for place in sorted(places)
            if confirmed or self.cells.get(place) != board.get(place)
        }
        return replace(self, claims={**self.claims, **news}, cells=said_over(self.cells, news))
