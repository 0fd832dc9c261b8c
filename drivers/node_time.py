"""Two clocks that must agree: when a node's reading was taken, and when it should be here."""

from __future__ import annotations

from typing import Final

CREEP: Final = 100e-6  # the clocks drift apart by at most this share (two crystals of 50 ppm)
BITS_PER_BYTE: Final = 10  # with start and stop
PING_BYTES: Final = 10  # on the line
WRAP_US: Final = 1 << 32

IN_A_ROW: Final = 10  # readings that must all be early, or all late: any one may have been held up
NUDGE_S: Final = 0.001  # less than there is between early and late
GOAL_S: Final = 0.0007  # the first of so many should come so long after the first look
LATE_S: Final = 0.0015


class NodeTime:
    """The node's clock, microseconds modulo 2 ** 32, on this computer's."""

    def __init__(self, baud: int) -> None:
        self._byte_s = BITS_PER_BYTE / baud
        self._node_us: int | None = None  # of the last reading, counted on over the wrap
        self._most: tuple[float, float] | None = None
        self._least: tuple[float, float] | None = None
        self._last_s = 0.0

    def reading(self, time_us: int, now_s: float, size: int) -> float:
        """When a reading of ``size`` bytes on the line, here at ``now_s``, was taken; never goes
        back.
        """
        last = self._node_us
        self._node_us = node_us = time_us if last is None else last + _ahead(time_us - last)
        # It came no earlier than it was taken.
        most_s = now_s - node_us / 1e6 - size * self._byte_s
        if self._most is not None:
            known_s, at_s = self._most
            most_s = min(most_s, known_s + CREEP * (now_s - at_s))
        self._most = (most_s, now_s)
        self._last_s = max(self._last_s, min(now_s, node_us / 1e6 + self._offset_s))
        return self._last_s

    def pong(self, token: int, time_us: int, now_s: float) -> None:
        """A ping, said at ``token`` microseconds of our clock, was read at the node's ``time_us``,
        and not before it could have got there.
        """
        if self._node_us is None:
            return
        sent_s = now_s - ((round(now_s * 1e6) - token) % WRAP_US) / 1e6
        node_us = self._node_us + _ahead(time_us - self._node_us)
        least_s = sent_s + PING_BYTES * self._byte_s - node_us / 1e6
        if self._least is not None:
            known_s, at_s = self._least
            least_s = max(least_s, known_s - CREEP * (now_s - at_s))
        self._least = (least_s, now_s)

    def to_node_us(self, time_s: float) -> int:
        """A time of this computer's as the node counts."""
        return round((time_s - self._offset_s) * 1e6) % WRAP_US

    @property
    def _offset_s(self) -> float:
        """Our clock minus the node's: the lower bound, which is the tighter one, once there is."""
        bound = self._least or self._most
        return 0.0 if bound is None else bound[0]


class Step:
    """Has the node scan so that its readings come just after they are first looked for.

    Who waits for a reading knows when it came; how long one has lain there is known to nobody. So
    where they are always there already they are put off little by little, until they are waited
    for. Where a whole period does not bring that, there is no step to find.

    A microcontroller's readings do not come evenly: by docs/node-protocol.md up to 4 ms apart from
    their time. So it is the first of many that counts, and while some are early and some are waited
    for nothing is done: whoever mends that chases what changes by itself.
    """

    def __init__(self) -> None:
        self._early = 0
        self._late: list[float] = []  # how long the last readings were waited for
        self._nudged_s = 0.0

    def shift_s(self, count: int, waited_s: float, period_s: float) -> float | None:
        """After each look: how many readings it brought, and how long the first was waited for.
        By how much to put the next scan off; None: not at all.
        """
        # Two at once: the host looks more seldom than the node scans, and there is no step.
        self._early = self._early + 1 if count == 1 and waited_s == 0.0 else 0
        self._late = [*self._late, waited_s] if count == 1 and waited_s > LATE_S else []
        if waited_s:
            self._nudged_s = 0.0
        if self._early >= IN_A_ROW and self._nudged_s < period_s:
            self._early = 0
            self._nudged_s += NUDGE_S
            return NUDGE_S
        if len(self._late) >= IN_A_ROW:
            first_s = min(self._late)
            self._late = []
            return period_s + GOAL_S - first_s
        return None


def _ahead(difference_us: int) -> int:
    """A difference modulo 2 ** 32, in the range around 0."""
    return (difference_us + WRAP_US // 2) % WRAP_US - WRAP_US // 2
