"""Simulated hands as the actor of a scenario: everything can be done, in virtual time."""

from __future__ import annotations

import math

from drivers.clock import Clock
from firmware_host.host.host import Host
from firmware_host.scenario import steps as s
from firmware_host.scenario.actor import Deed, Tick
from firmware_host.table.standing import Phase
from hw_sim.hands import Action as HandAction
from hw_sim.session import SimSession

PATIENCE_S = 5.0
LEAVE_BUTTON_S = 0.1  # between two presses a finger lets go


class SimulatedHands:
    """Implements ``Actor`` on a simulated table."""

    patience_s = PATIENCE_S

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._heal_at: list[tuple[float, str, tuple[str, ...]]] = []
        self._mended = False  # something works again, and play may not have gone on yet

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
        return self._mended or self._session.hands.busy_until_s > self._session.clock.now()

    def tick(self) -> None:
        """One scan; faults whose time is over are mended before it."""
        now_s = self._session.clock.now()
        for entry in [entry for entry in self._heal_at if entry[0] <= now_s]:
            self._heal_at.remove(entry)
            self._session.faults.heal(entry[1], entry[2])
            self._mended = True
        self._session.tick()
        self._mended = self._mended and self.host.standing.phase is Phase.PAUSED

    def set_up(self, tick: Tick) -> None:
        """Nothing stands on the plate, at once."""
        self._session.hands.clear()

    def act(self, deed: Deed, tick: Tick) -> None:
        """Do it, and wait until the hand has left."""
        hands = self._session.hands
        index = self._session.host.overlay.index_of
        now_s = self._session.clock.now()
        end_s = now_s
        match deed:
            case s.Put(piece, place, offset_mm):
                self._session.host.overlay.magnet_of(piece)
                end_s = hands.put(piece, index(place), offset_mm).end_s
            case s.Take(place):
                end_s = hands.take(index(place)).end_s
            case s.Move(source, target):
                end_s = hands.move(index(source), index(target)).end_s
            case s.Slide(source, target):
                end_s = hands.slide(index(source), index(target)).end_s
            case s.Knock(places):
                end_s = hands.knock([index(place) for place in places]).end_s
            case s.Tilt():
                tilted = self._tilt(deed)
                end_s = now_s if deed.for_s is not None else tilted.end_s
            case s.Press(button, held_s):
                end_s = hands.press(button, held_s).end_s + LEAVE_BUTTON_S
            case s.Bump():
                end_s = hands.bump().end_s
            case s.Wait(duration_s):
                end_s = now_s + duration_s
            case s.Kill():
                self._session.kill()
            case s.PowerCut():
                self._session.power_cut()
            case s.Fault(name, named, for_s):
                targets = self._on_the_plate(name, named)
                self._session.faults.inject(name, targets)
                if for_s is not None:
                    self._heal_at.append((now_s + for_s, name, targets))
            case s.Heal(name, named):
                self._session.faults.heal(name, self._on_the_plate(name, named))
                self._mended = True
        while self._session.clock.now() < end_s:
            tick()

    def _on_the_plate(self, fault: str, targets: tuple[str, ...]) -> tuple[str, ...]:
        """Places by their names on the plate; a scenario may use the game's."""
        places, overlay = self._session.profile.places, self.host.overlay
        if places not in self._session.faults.targets_of(fault):
            return targets
        index_of = overlay.index_of_game_place
        return tuple(places[index_of[t]] if t in index_of else t for t in targets)

    def _tilt(self, tilt: s.Tilt) -> HandAction:
        x_rad, y_rad = math.radians(tilt.x_deg), math.radians(tilt.y_deg)
        return self._session.hands.tilt(x_rad, y_rad, for_s=tilt.for_s)
