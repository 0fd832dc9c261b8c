"""A wired table with the host on it, for scenarios that a person carries out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from drivers.buses import Buses
from drivers.clock import Clock
from firmware_host.config.profile import Profile
from firmware_host.config.settings import Settings
from firmware_host.host.assemble import open_host
from firmware_host.host.host import Host
from firmware_host.service.pacer import Pacer


class RealTable:
    """The parts of ``profile`` on ``buses``, open inside the context.

    ``state``: the directory of journal and calibration; it outlives ``restart``. ``stepped`` is
    called with the host after each step; may be set.
    """

    def __init__(
        self, profile: Profile, buses: Buses, state: Path, settings: Settings | None = None
    ) -> None:
        self.profile = profile
        self.clock: Clock = buses.clock
        self.stepped: Callable[[Host], None] = lambda _: None
        self._buses = buses
        self._state = state
        self._settings = settings or Settings()

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.host.close()

    def tick(self) -> None:
        """One scan, and the wait until the next is due."""
        self.host.step()
        self.stepped(self.host)
        self._pacer.wait()

    def restart(self) -> None:
        """Everything in memory is dropped; a new host goes on where the journal ends."""
        self.host.close()
        self._start()

    def _start(self) -> None:
        self.host: Host = open_host(self.profile, self._buses, self._state, self._settings)
        self._pacer = Pacer(self.clock, self.profile.scans_per_s)
