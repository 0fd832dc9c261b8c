"""Actions of simulated hands on the simulated table, requested by a page or a scenario."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.scenario import parse as s
from tiltboard.firmware_host.scenario.run import Act, Tick
from tiltboard.firmware_host.table import hands as h
from tiltboard.firmware_host.table.status import Phase
from tiltboard.ground.clock import Clock
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.hands import Action
from tiltboard.hw_sim.session.session import SimSession


class Deeds:
    """Begins the requested actions, which continue as the clock advances."""

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._heal_at: list[tuple[float, str, tuple[str, ...]]] = []
        self.mended = False
        """True after a fault was repaired. The code that reads this flag also clears it."""

    def mend_due(self) -> None:
        """Repair the faults whose duration is over. Call this method before each scan."""
        now_s = self._session.clock.now()
        for entry in [entry for entry in self._heal_at if entry[0] <= now_s]:
            self._heal_at.remove(entry)
            self._session.faults.heal(entry[1], entry[2])
            self.mended = True

    def begin(self, action: h.HandsCommand) -> float:
        """Begin an action and return the virtual time at which the hand has finished and left.

        For an action with its own duration, such as a tilt for some seconds, return the present
        time. If the action is impossible, raise HandsError, FaultError or NotPossibleError without
        changing anything.
        """
        hands, overlay = self._session.hands, self._session.host.overlay
        index, now_s = overlay.index_of, self._session.clock.now()
        if isinstance(action, h.Put | h.Drop | h.Stack):
            overlay.magnet_of(
                action.piece
            )  # The lookup raises NotPossibleError if this game has no such piece.
        match action:
            case h.Put(piece, place, offset_mm):
                return hands.put(piece, index(place), offset_mm).end_s
            case h.Take(str(place)):
                return hands.take(index(place)).end_s
            case h.Take(int(number)):
                return self._or_back(number, partial(hands.throw_off, number))
            case h.Move(source, target):
                return hands.move(index(source), index(target)).end_s
            case h.Slide(source, target):
                return hands.slide(index(source), index(target)).end_s
            case h.Scatter(places):
                return hands.knock([index(place) for place in places]).end_s
            case h.Drop(piece, place, offset_mm, from_mm, tremble_mm):
                return hands.drop(
                    piece, index(place), offset_mm, from_mm=from_mm, tremble_mm=tremble_mm
                ).end_s
            case h.Stack(piece, place, offset_mm, tremble_mm):
                return hands.stack(piece, index(place), offset_mm, tremble_mm=tremble_mm).end_s
            case h.Push(source, target, speed_mm_s):
                return hands.push(index(source), index(target), speed_mm_s).end_s
            case h.Spin(place, deg_s):
                return hands.spin(index(place), math.radians(deg_s)).end_s
            case h.Chopsticks(source, target, tremble_mm):
                return hands.chopsticks(index(source), index(target), tremble_mm=tremble_mm).end_s
            case h.Grab(what, at_mm, sticks):
                return hands.grab(what, at_mm, sticks=sticks).end_s
            case h.Carry(number, at_mm):
                return hands.carry(number, at_mm).end_s
            case h.LetGo(number):
                return hands.let_go(number).end_s
            case h.PickUp(number):
                return hands.pick_up(number).end_s
            case h.SetDown(number, None):
                return hands.put_back(number)
            case h.SetDown(number, str(place), (east_mm, north_mm)):
                x_mm, y_mm = self._session.profile.centre_mm(index(place))
                goal = x_mm + east_mm, y_mm + north_mm
                return self._or_back(number, partial(hands.set_down, number, *goal))
            case h.Tilt(x_deg, y_deg, for_s):
                x_rad, y_rad = math.radians(x_deg), math.radians(y_deg)
                tilted = hands.tilt(x_rad, y_rad, for_s=for_s)
                return tilted.end_s if for_s is None else now_s
            case h.SpinPlate(turns):
                return hands.spin_plate(turns * math.tau).end_s
            case h.Press(button, held_s):
                return hands.press(button, held_s).end_s
            case h.Bump():
                return hands.bump().end_s
            case h.Fault(name, named, for_s):
                targets = self._on_the_plate(name, named)
                self._session.faults.inject(name, targets)
                if for_s is not None:
                    self._heal_at.append((now_s + for_s, name, targets))
            case h.ClearFault(name, named):
                self._session.faults.heal(name, self._on_the_plate(name, named))
                self.mended = True
        return now_s

    def _or_back(self, number: int, do: Callable[[], Action]) -> float:
        """Set a piece down or throw it off with ``do``. If ``do`` fails, put the piece back and
        raise HandsError.
        """
        try:
            return do().end_s
        except HandsError:
            self._session.hands.put_back(number)
            raise

    def _on_the_plate(self, fault: str, targets: tuple[str, ...]) -> tuple[str, ...]:
        """Return ``targets`` with the game's place names replaced by the plate's place names."""
        places, overlay = self._session.profile.places, self._session.host.overlay
        if places not in self._session.faults.targets_of(fault):
            return targets
        index_of = overlay.index_of_game_place
        return tuple(places[index_of[t]] if t in index_of else t for t in targets)


PATIENCE_S = 5.0
LEAVE_BUTTON_S = 0.1  # Time in seconds for which a finger releases the button between two presses.


class SimulatedHands:
    """Performs the acts of a scenario on a simulated table (implements ``Actor``)."""

    patience_s = PATIENCE_S

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._deeds = Deeds(session)

    @property
    def host(self) -> Host:
        """The host that is running now."""
        return self._session.host

    @property
    def clock(self) -> Clock:
        """The virtual clock."""
        return self._session.clock

    @property
    def busy(self) -> bool:
        """True if a hand is still at the table, or if the host has not noticed a repaired fault
        yet.
        """
        return self._deeds.mended or self._session.hands.busy_until_s > self._session.clock.now()

    def tick(self) -> None:
        """Repair the faults whose duration is over, then run one scan."""
        self._deeds.mend_due()
        self._session.tick()
        if self.host.status.phase is not Phase.PAUSED:
            # The host has noticed the repaired part, and play continues.
            self._deeds.mended = False

    def set_up(self, tick: Tick) -> None:
        """Put the pieces with which the game starts on the plate immediately, and remove all other
        pieces.
        """
        index, begun = self.host.overlay.index_of, self.host.game.start().cells
        self._session.hands.set_up({index(place): piece for place, piece in begun.items()})

    def act(self, action: Act, tick: Tick) -> None:
        """Perform one act of the scenario, and scan until the hand has left."""
        now_s = self._session.clock.now()
        match action:
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
                end_s = self._deeds.begin(action)
                if isinstance(action, h.Press):
                    end_s += LEAVE_BUTTON_S
        while self._session.clock.now() < end_s:
            tick()
