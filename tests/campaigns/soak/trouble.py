"""Random trouble for a table during a soak: faulty parts, moved pieces, a tilted plate, a killed
service, power failures. It happens at any moment, whatever the hands are doing.
"""

from __future__ import annotations

import math
from collections import deque

from tests.campaigns.soak.eyes import Eyes
from tests.campaigns.soak.judge import ANY, Judge
from tests.campaigns.soak.totals import Totals
from tiltboard.firmware_host.config.errors import JournalError
from tiltboard.hw_sim.errors import FaultError, HandsError
from tiltboard.hw_sim.rng import Stream
from tiltboard.hw_sim.session import SimSession

PAUSE_S = 5.0  # Mean time between two disturbances, in seconds.
MAX_FAULTS = 3
# Play continues during these faults, so they can last long; other faults pause the game.
LASTING = frozenset(
    {
        "sensor-dead",
        "sensor-stuck",
        "sensor-drift",
        "sensor-noisy",
        "weak-magnet",
        "button-bounce",
        "ground-shift",
        "supply-sag",
        "lights-heat",
        "lights-level",
        "line-noise",
        "scan-pauses",
    }
)
# These faults are made when a table or its pieces are built, and do not start during a game.
BUILT = frozenset(
    {"sensor-swapped", "magnet-turned", "rails-field", "lights-pulsed", "lights-gaps"}
)
LASTING_S = 2.0, 25.0
PAUSING_S = 0.3, 3.0
SENSORS = ("sensor", "weak")
OF_SENSORS = 0.35  # Minimum fraction of sensor faults among all faults.
ON_BOARD = 0.85  # Fraction of sensor faults on the game's board.


class Trouble:
    """Random trouble for one table. ``calm``: True to start no new trouble. ``mended_s``: time when
    play could last continue. ``lately``: the last events, for a report.
    """

    def __init__(
        self, session: SimSession, stream: Stream, totals: Totals, eyes: Eyes, judge: Judge
    ) -> None:
        self._session = session
        self._stream = stream
        self._totals = totals
        self._eyes = eyes
        self._judge = judge
        self._heal: list[tuple[float, str, tuple[str, ...]]] = []
        self._next_s = self._now() + stream.uniform(1.0, PAUSE_S)
        self._kinds = ["fault", "fault", "fault", "knock", "knock", "kill", "power-cut"]
        if session.profile.imu is not None:
            self._kinds += ["tilt", "bump"]
        self.calm = False
        self.mended_s = 0.0
        self.lately: deque[str] = deque(maxlen=8)

    @property
    def active(self) -> str:
        """The present faults as text."""
        return ", ".join(" ".join((name, *targets)) for _, name, targets in self._heal)

    def tick(self) -> None:
        """Start and end random trouble; called before each scan."""
        now_s = self._now()
        if self._heal:
            for entry in [entry for entry in self._heal if entry[0] <= now_s]:
                self._heal.remove(entry)
                self._session.faults.heal(entry[1], entry[2])
                self._note("heal", *entry[1:2], *entry[2])
            if any(name not in LASTING for _, name, _ in self._heal):
                self.mended_s = now_s
        if now_s >= self._next_s and not self.calm:
            self._disturb()
            self._next_s = self._now() + self._stream.expovariate(1 / PAUSE_S)

    def heal_all(self) -> None:
        """End all faults, and start no new trouble."""
        for _, name, targets in self._heal:
            self._session.faults.heal(name, targets)
        self._heal.clear()
        self.calm = True

    def _note(self, *words: str) -> None:
        self.lately.append(f"{self._now():.2f} {' '.join(words)}")

    def _now(self) -> float:
        return self._session.clock.now()

    def _disturb(self) -> None:
        session, stream = self._session, self._stream
        kind = stream.choice(self._kinds)
        self._note(kind)
        match kind:
            case "fault":
                self._break()
                return
            case "knock":
                if not self._knock():
                    return
            case "tilt":
                x_rad, y_rad = (math.radians(stream.uniform(-9, 9)) for _ in range(2))
                session.hands.tilt(x_rad, y_rad, for_s=stream.uniform(0.5, 2.0))
                self._judge.meant = ANY  # A tilt answers questions.
            case "bump":
                session.hands.bump()
            case _:
                self._restart(kind)
        self._totals.disturbances[kind] += 1

    def _knock(self) -> bool:
        places = sorted(self._eyes.pieces())
        if not places:
            return False
        count = 2 if len(places) > 2 and self._stream.random() < 0.2 else 1
        index_of = self._session.host.overlay.index_of
        knocked = self._stream.sample(places, count)
        try:
            self._session.hands.knock([index_of(place) for place in knocked])
        except HandsError:
            return False
        self._note("knocked", *knocked)
        return True

    def _restart(self, kind: str) -> None:
        """Kill and restart the service. If the disk is full, the service starts after the fault has
        ended.
        """
        try:
            self._session.kill() if kind == "kill" else self._session.power_cut()
        except JournalError:
            self._session.faults.heal("disk-full")
            self._heal = [entry for entry in self._heal if entry[1] != "disk-full"]
            self._session.start()

    def _break(self) -> None:
        if len(self._heal) >= MAX_FAULTS:
            return
        stream, faults, session = self._stream, self._session.faults, self._session
        names = sorted(name for name in faults.names if name not in BUILT)
        sensors = [name for name in names if name.startswith(SENSORS)]
        name = stream.choice(sensors if stream.random() < OF_SENSORS else names)
        known = faults.targets_of(name)
        targets = tuple(stream.choice(list(each)) for each in known)
        if name in sensors:
            board = sorted(session.host.game.board)
            plate = [session.profile.places[session.host.overlay.index_of(p)] for p in board]
            if name == "weak-magnet":
                status = [p for p in self._eyes.pieces() if p in board]
                if not status:
                    return
                plate = [session.profile.places[session.host.overlay.index_of(p)] for p in status]
            if stream.random() < ON_BOARD:
                targets = tuple(stream.sample(plate, min(len(plate), len(known))))
        if len(targets) < len(known):
            return
        try:
            faults.inject(name, targets)
        except FaultError:
            return  # There is no piece, or the part is faulty already.
        self._totals.faults[name] += 1
        self._note(name, *targets)
        if (name, targets) in faults.active:
            lasts = LASTING_S if name in LASTING else PAUSING_S
            self._heal.append((self._now() + stream.uniform(*lasts), name, targets))
