"""A rate limit for actions."""

from __future__ import annotations

from collections.abc import Callable


class TokenBucket:
    """A rate limit that allows ``burst`` actions immediately and ``per_s`` actions per second after
    that.
    """

    def __init__(self, per_s: float, burst: float, now: Callable[[], float]) -> None:
        self._per_s = per_s
        self._burst = burst
        self._now = now
        self._tokens = burst
        self._filled_s = now()

    def take(self) -> bool:
        """Return whether an action is allowed now. An allowed action is counted."""
        now = self._now()
        grown = self._tokens + (now - self._filled_s) * self._per_s
        self._tokens = min(self._burst, grown)
        self._filled_s = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
