"""All that the referee knows, as one value: each stage of a step makes the next one from it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from firmware_host.config.errors import JournalError
from firmware_host.guidance import troubles
from firmware_host.messages import Message
from firmware_host.referee.book import Pending
from firmware_host.referee.play import Play
from firmware_host.referee.seen import SLACK_S, TILTING, Seen
from firmware_host.referee.sensors import SensorsTold
from firmware_host.referee.unseen import Claims
from firmware_host.referee.view import NOT_READY, Meaning, Problems, View
from firmware_host.table.asking import Asking
from firmware_host.table.observation import Stillness
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Phase, Question, Sound

RETRY_S = 1.0  # between attempts to write a journal that refuses
NOTICE_S = 3.0


class State(Struct, frozen=True):
    """Of one game. ``menu``: None where it cannot be asked. ``silent_failures``, ``tilts``: as in
    Referee.

    ``cells``: what stands where, with what people have said over what is ``seen``. ``found``: moves
    that explain the board, of which none can be taken for made yet. ``view``: what was told last;
    ``problems``: what was wrong when play was last not paused. ``sounds``: new in this step.
    ``notice``: something past, and until when it is told. ``trouble``: why nothing can be confirmed
    now; ``retry_s``: when that is tried again; ``owed``: how many moves are to be left then, if
    some are to be taken back. ``wish``: as in Arbiter. ``wake_s``: when to look again although
    nothing changes.
    """

    play: Play
    menu: Question | None = None
    silent_failures: bool = False
    tilts: bool = False
    seen: Seen = field(default_factory=Seen)
    claims: Claims = field(default_factory=Claims)
    cells: Mapping[str, str] = field(default_factory=dict)
    found: tuple[Pending, ...] = ()
    asking: Asking[Meaning] = field(default_factory=Asking)
    sensors: SensorsTold = field(default_factory=SensorsTold)
    view: View = NOT_READY
    problems: Problems = frozenset()
    sounds: tuple[Sound, ...] = ()
    notice: tuple[Message, float] | None = None
    trouble: JournalError | None = None
    retry_s: float = inf
    owed: int | None = None
    wish: str | None = None
    wake_s: float = -inf

    def seeing(self, sight: Sight, now_s: float) -> State:
        """A new step begins: what is seen."""
        mending = self.view.phase is Phase.FIX
        seen = self.seen.then(sight, now_s, self.play.line.game.board, mending=mending)
        claims = self.claims.left(sight, now_s)
        cells = claims.over(sight.cells)
        return replace(self, seen=seen, claims=claims, cells=cells, found=())

    def rests(self, sight: Sight, now_s: float) -> bool:
        """Whether a step could tell nothing new: nothing has changed, and it is not time yet."""
        leans = self.asking.question is not None or self.view.lean_rad is not None
        may_lean = leans and sight.stillness is not Stillness.STILL
        return now_s < self.wake_s and not may_lean and self.seen.shows(sight)

    def until_next(self) -> State:
        """A step ends: when to look again."""
        if self.sounds or self.claims.fresh:  # they are told once
            return replace(self, sounds=(), claims=self.claims.told(), wake_s=-inf)
        notice = () if self.notice is None else (self.notice[1],)
        alarms_s = (self.retry_s, *notice, *self.seen.alarms_s())
        wake_s = min((at_s for at_s in alarms_s if not self.seen.is_due(at_s)), default=inf)
        return replace(self, wake_s=wake_s - SLACK_S)

    # What is asked of it

    @property
    def why_paused(self) -> Message | None:
        """What play waits for; None where it goes on."""
        if self.trouble is not None and not self.seen.sight.faults:
            return troubles.part_missing([self.trouble])
        return why_unread(self.seen.sight)

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
        """Whether the board is the position."""
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
        if play.guide is not None or not play.stands_as_before(self.cells):
            return False
        return not play.book.unseen(self.cells, self.hidden)

    @property
    def made(self) -> bool:
        """A move stands on the board that is not on disk."""
        return self.play.pending is not None or self.asking.move

    def may_make(self, move: str) -> bool:
        """Whether ``move`` is legal, and the board shows none yet."""
        line = self.play.line
        return not self.made and line.outcome is None and move in line.position.legal()

    @property
    def step(self) -> int:
        """As ``Standing.step``: another number with every move, and with one that is made and not
        on disk.
        """
        return 2 * len(self.play.line.moves) + self.made

    # How it changes

    def playing(self, play: Play, *sounds: Sound) -> State:
        """The game has come so far, with ``sounds``."""
        return replace(self, play=play, sounds=(*self.sounds, *sounds))

    def noticed(self, notice: Message | None) -> State:
        """Something is to be told for a moment."""
        if notice is None:
            return self
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
        claims = self.claims
        for place in sorted(places):
            if confirmed or self.cells.get(place) != board.get(place):
                claims = claims.made(place, board.get(place), self.seen.now_s)
        return replace(self, claims=claims, cells=claims.over(self.seen.sight.cells))


def why_unread(sight: Sight) -> Message | None:
    """What the board waits for until it can be read; None where it can."""
    if sight.faults:
        return troubles.part_missing(sight.faults)
    if not sight.ready:
        return troubles.not_ready()
    if sight.stillness is not Stillness.STILL:
        return troubles.not_still(sight.stillness)
    return None
