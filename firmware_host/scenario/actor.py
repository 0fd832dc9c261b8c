"""Who carries out the steps of a scenario: simulated hands, or a person at a real table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from drivers.clock import Clock
from drivers.errors import TiltboardError
from firmware_host.host.host import Host
from firmware_host.scenario import steps as s
from firmware_host.table.commands import Deed

Act: TypeAlias = Deed | s.Meanwhile | s.Wait | s.Kill | s.PowerCut
Tick: TypeAlias = Callable[[], None]


class SkippedError(TiltboardError):
    """A step that is not done at this table, or that somebody leaves out: go on without it."""


class NotSeenError(TiltboardError):
    """The table did not see in time what it was to see."""


class Actor(Protocol):
    """Whoever acts, at a table with a host on it.

    ``tick`` in its methods is the runner's: it calls the actor's own and then looks what changed.
    """

    @property
    def host(self) -> Host:
        """The host on the table; another one after it was started again."""

    @property
    def clock(self) -> Clock:
        """The table's."""

    @property
    def busy(self) -> bool:
        """Whether something that was begun still goes on: a hand, a tilt that is to end."""

    @property
    def patience_s(self) -> float:
        """How long an expectation waits for the table to become quiet."""

    def tick(self) -> None:
        """One scan, and the wait until the next is due."""

    def act(self, deed: Act, tick: Tick) -> None:
        """Have it done, and return when it has been done.

        Raises SkippedError, NotSeenError, and TiltboardError for what no hand could do.
        """

    def set_up(self, tick: Tick) -> None:
        """Have the plate set up as the game begins that has just been started. Raises the same."""
