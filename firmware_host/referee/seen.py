"""What is seen, and since when."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from math import inf

from msgspec import Struct, field
from msgspec.structs import replace

from firmware_host.guidance import troubles
from firmware_host.table.observation import Stillness
from firmware_host.table.sight import Sight, SightEvent

UNSURE_SAY_S = 0.4  # a hand passes by faster
UNSURE_FIX_S = 1.0
TAKE_BACK_S = 3.0  # the board of before the move, standing for so long, takes it back
WAITED_S = 5.0  # what was asked for has not been seen for so long: it may be the sensor
CAUSE_S = 1.0  # how long before a fix an event may have caused it
SLACK_S = 1e-9  # so that sums of scan periods reach their limits
TILTING = (Stillness.TILTED, Stillness.MOVING)
_NOTHING = Sight(-inf, False, {}, frozenset(), Stillness.UNKNOWN, (0.0, 0.0))


class Seen(Struct, frozen=True):
    """``same_since_s``: since when the board has been as it is; ``sure_since_s``: and nothing on it
    in doubt. ``unsure_since_s``: places of the board that cannot be read now. ``doubtful``: those,
    and the ones with failed sensors. ``cause``: what perception saw last that may explain a fix.
    ``levelled``: the plate was tilted and lies still again, and has yet to be read.
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
        """With one sight more. Places outside ``board`` may be unreadable. ``mending``: while a fix
        goes on, what caused it still does.
        """
        same = self.now_s > -inf and self.sight.cells == sight.cells
        doubtful = frozenset(place for place in sight.unsure if place in board)
        unsure = doubtful - sight.masked.keys()
        sure = same and not doubtful and not self.doubtful
        old = self.cause is None or (not mending and now_s - self.cause.time_s > CAUSE_S)
        causes = [e for e in sight.events if troubles.happened(e.happening) is not None]
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
        """The same, and nothing on it has been in doubt meanwhile."""
        return not self.doubtful and self.is_due(self.sure_since_s + duration_s)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Places of the board that cannot be read now."""
        return tuple(self.unsure_since_s)

    @property
    def unclear(self) -> tuple[str, ...]:
        """Places that have been unreadable for longer than a hand takes to pass."""
        return tuple(p for p, s in self.unsure_since_s.items() if self.is_due(s + UNSURE_SAY_S))

    @property
    def blurred(self) -> tuple[str, ...]:
        """Places that have been unreadable for long."""
        return tuple(p for p, s in self.unsure_since_s.items() if self.is_due(s + UNSURE_FIX_S))

    def alarms_s(self) -> Iterator[float]:
        """When to look again although nothing changes."""
        yield self.sure_since_s + TAKE_BACK_S
        yield self.same_since_s + WAITED_S
        for since_s in self.unsure_since_s.values():
            yield since_s + UNSURE_SAY_S
            yield since_s + UNSURE_FIX_S

    def shows(self, sight: Sight) -> bool:
        """Whether ``sight`` tells nothing new."""
        seen = self.sight
        now = replace(sight, time_s=seen.time_s, tilt_rad=seen.tilt_rad, events=seen.events)
        return not sight.events and now == seen
