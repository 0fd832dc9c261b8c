"""Simulated hands as the actor of a scenario: everything can be done, in virtual time."""

from __future__ import annotations

from drivers.clock import Clock
from firmware_host.host.host import Host
from firmware_host.scenario import steps as s
from firmware_host.scenario.actor import Act, Tick
from firmware_host.table.commands import Press
from firmware_host.table.standing import Phase
from hw_sim.deeds import Deeds
from hw_sim.session import SimSession

PATIENCE_S = 5.0
LEAVE_BUTTON_S = 0.1  # between two presses a finger lets go


class SimulatedHands:
    """Implements ``Actor`` on a simulated table."""

    patience_s = PATIENCE_S

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._deeds = Deeds(session)

    @property
    def host(self) -> Host:
        """The one that runs now."""
        return self._session.host

    @property
    def clock(self) -> Clock:
        """Virtual time."""
        return self._session.clock

    @property
    def busy(self) -> bool:
        """Whether a hand is still at the table, or the table has yet to find what was mended."""
        return self._deeds.mended or self._session.hands.busy_until_s > self._session.clock.now()

    def tick(self) -> None:
        """One scan; faults whose time is over are mended before it."""
        self._deeds.mend_due()
        self._session.tick()
        if self.host.standing.phase is not Phase.PAUSED:
            self._deeds.mended = False  # what works again has been found, and play goes on

    def set_up(self, tick: Tick) -> None:
        """Nothing stands on the plate, at once."""
        self._session.hands.clear()

    def act(self, deed: Act, tick: Tick) -> None:
        """Do it, and wait until the hand has left."""
        now_s = self._session.clock.now()
        match deed:
            case s.Wait(duration_s):
                end_s = now_s + duration_s
            case s.Kill():
                self._session.kill()
                end_s = now_s
            case s.PowerCut():
                self._session.power_cut()
                end_s = now_s
            case s.Meanwhile(begun):
                self._deeds.begin(begun)
                end_s = now_s
            case _:
                end_s = self._deeds.begin(deed)
                if isinstance(deed, Press):
                    end_s += LEAVE_BUTTON_S
        while self._session.clock.now() < end_s:
            tick()
