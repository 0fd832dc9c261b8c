"""Buttons as their pins see them: contacts bounce when they close and when they open."""

from __future__ import annotations

from bisect import bisect_right

from hw_sim.rng import Stream

BOUNCE_S = 0.004  # typical of small tactile switches: a few ms
WORN_BOUNCE_S = 0.040
BOUNCES = 3
WORN_BOUNCES = 8


class Button:
    """One contact. ``worn``: it chatters ten times as long (the fault button-bounce)."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._edges_s: list[float] = []  # the contact closes, opens, closes, ...
        self.worn = False

    @property
    def chatter_s(self) -> float:
        """How long the contact bounces after each edge."""
        return WORN_BOUNCE_S if self.worn else BOUNCE_S

    def press(self, now_s: float, held_s: float) -> tuple[float, float]:
        """Held down from now on for ``held_s``; a press still going on is let go first.

        Returns the first and the last change of the contact.
        """
        self._edges_s = [edge for edge in self._edges_s if edge <= now_s]
        if len(self._edges_s) % 2 == 1:
            self._edges_s.append(now_s)
        first = len(self._edges_s)
        self._edges_s += [now_s, *self._chatter(now_s, held_s)]
        self._edges_s += [now_s + held_s, *self._chatter(now_s + held_s, self.chatter_s)]
        return self._edges_s[first], self._edges_s[-1]

    def closed(self, now_s: float) -> bool:
        """Whether the contact conducts at this instant."""
        return bisect_right(self._edges_s, now_s) % 2 == 1

    def changes(self, start_s: float, end_s: float) -> int:
        """How often the contact changes in that time."""
        return bisect_right(self._edges_s, end_s) - bisect_right(self._edges_s, start_s)

    def _chatter(self, start_s: float, room_s: float) -> list[float]:
        """An even number of changes after an edge, within the bounce time and the room."""
        length = min(self.chatter_s, room_s * 0.9)
        count = 2 * (WORN_BOUNCES if self.worn else BOUNCES)
        return sorted(start_s + length * self._stream.uniform(0.02, 1.0) for _ in range(count))
