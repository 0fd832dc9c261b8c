"""What has been seen since when, and when to look again although nothing changes."""

from __future__ import annotations

from collections.abc import Container
from math import inf

from firmware_host.guidance import troubles
from firmware_host.table.sight import Sight, SightEvent

UNSURE_SAY_S = 0.4  # a hand passes by faster
UNSURE_FIX_S = 1.0
CAUSE_S = 1.0  # how long before a fix an event may have caused it
_SLACK_S = 1e-9  # so that sums of scan periods reach their limits


class Watch:
    """The referee's memory of sights, and its alarm clock."""

    def __init__(self) -> None:
        self.now_s = -inf
        self._sight: Sight | None = None
        self._same_since_s = self._sure_since_s = -inf
        self._unsure_since: dict[str, float] = {}
        self._cause: tuple[SightEvent, float] | None = None
        self._wake_s = -inf
        self.doubtful: frozenset[str] = frozenset()
        """Places of the board of which nothing is sure now, those with failed sensors too."""

    def idle(self, sight: Sight, now_s: float) -> bool:
        """Nothing has changed and no alarm is due."""
        seen = self._sight
        return (
            seen is not None
            and now_s < self._wake_s
            and not sight.events
            and seen.ready == sight.ready
            and seen.stillness is sight.stillness
            and seen.faults == sight.faults
            and seen.unsure == sight.unsure
            and seen.masked == sight.masked
            and seen.blind == sight.blind
            and seen.weak == sight.weak
            and seen.contradicted == sight.contradicted
            and seen.cells == sight.cells
        )

    def note(self, sight: Sight, now_s: float, board: Container[str]) -> None:
        """Take in a sight; alarms are set anew. Places outside ``board`` may be unreadable."""
        self.now_s = now_s
        self._wake_s = inf
        if self._sight is None or self._sight.cells != sight.cells:
            self._same_since_s = now_s
        self._sight = sight
        doubted = self.doubtful
        self.doubtful = frozenset(place for place in sight.unsure if place in board)
        self._unsure_since = {
            place: self._unsure_since.get(place, now_s)
            for place in self.doubtful
            if place not in sight.masked
        }
        if self._same_since_s == now_s or doubted or self.doubtful:
            self._sure_since_s = now_s
        for event in sight.events:
            if troubles.happened(event.happening) is not None:
                self._cause = event, now_s

    def restart(self) -> None:
        """Play was paused: what stands now has stood only from now on."""
        self._same_since_s = self._sure_since_s = self.now_s
        self._unsure_since = dict.fromkeys(self._unsure_since, self.now_s)

    def wake(self) -> None:
        """Look again at the next scan."""
        self._wake_s = -inf

    def due(self, at_s: float) -> bool:
        """Whether the time has come; if not, the alarm is set."""
        if self.now_s >= at_s - _SLACK_S:
            return True
        self._wake_s = min(self._wake_s, at_s - _SLACK_S)
        return False

    def stood(self, duration_s: float) -> bool:
        """Whether the board has been as it is for so long."""
        return self.due(self._same_since_s + duration_s)

    def surely_stood(self, duration_s: float) -> bool:
        """The same, and nothing on it has been in doubt meanwhile."""
        return not self.doubtful and self.due(self._sure_since_s + duration_s)

    @property
    def unsure(self) -> list[str]:
        """Places of the board that cannot be read now."""
        return sorted(self._unsure_since)

    @property
    def unclear(self) -> list[str]:
        """Places that have been unreadable for longer than a hand takes to pass."""
        return [p for p in self.unsure if self.due(self._unsure_since[p] + UNSURE_SAY_S)]

    @property
    def blurred(self) -> list[str]:
        """Places that have been unreadable for long."""
        return [p for p in self.unsure if self.due(self._unsure_since[p] + UNSURE_FIX_S)]

    def cause(self, *, fresh: bool) -> SightEvent | None:
        """What happened, if it explains anything; ``fresh``: it must have been just now."""
        if self._cause is None or (fresh and self.now_s - self._cause[1] > CAUSE_S):
            self._cause = None
            return None
        return self._cause[0]

    def forget_cause(self) -> None:
        """The board is right again."""
        self._cause = None
