"""The simulated table in real time, for the page: virtual time is held back to the clock's pace."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from drivers.clock import Clock, SystemClock
from firmware_host.config.profile import Profile
from firmware_host.config.settings import Settings
from firmware_host.host.host import Host
from firmware_host.service.table import Table
from hw_sim.kept_plate import KeptPlate
from hw_sim.page_hands import PageHands
from hw_sim.session import SimSession
from hw_sim.world.world import World

CATCH_UP_S = 0.5  # further behind than this, the lost time is given up


class LiveTable:
    """A simulated table that a page can play on. ``seed``: another table, other hands.

    What lies on its plate is there again when it is opened anew.
    """

    def __init__(
        self,
        profile: Profile,
        state: Path,
        settings: Settings,
        *,
        seed: int = 1,
        real: Clock | None = None,
        world: type[World] = World,
    ) -> None:
        self._session = SimSession(profile, state, seed=seed, settings=settings, world=world)
        self._real = real or SystemClock()
        self._session.clock.start_calendar_s = self._real.calendar()
        self._plate = KeptPlate(state)
        self._hands = PageHands(self._session, self._call)
        self._ahead_s = 0.0  # the real clock minus the virtual one
        self.table = Table(
            self._open,
            self._wait,
            self._real,
            hands=self._hands,
            close=self._close,
        )

    def _call(self, work: Callable[[], None]) -> Future[None]:
        return self.table.call(work)

    def _open(self) -> Host:
        self._plate.lay_out(self._session.table.world)
        self._session.__enter__()
        self._ahead_s = self._real.now() - self._session.clock.now()
        return self._session.host

    def _wait(self) -> None:
        self._session.wait()
        self._hands.settle()
        self._plate.keep(self._session.table.world)
        delay_s = self._session.clock.now() + self._ahead_s - self._real.now()
        if delay_s < -CATCH_UP_S:
            self._ahead_s -= delay_s
        self._real.sleep(delay_s)

    def _close(self) -> None:
        self._session.__exit__(None, None, None)
