"""A simulated player's seat at the table: eyes, slow hands, and the buttons."""

from __future__ import annotations

import math

from tests.campaigns.soak.eyes import Eyes
from tests.campaigns.soak.judge import Judge
from tests.campaigns.soak.totals import Totals
from tests.campaigns.soak.trouble import Trouble
from tiltboard.firmware_host.table.status import GameStatus
from tiltboard.games.base import Position
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.hands import Action
from tiltboard.hw_sim.rng import Stream
from tiltboard.hw_sim.session import SimSession

# Maximum distance of a piece from the centre of its place; more would let neighbours touch.
OFF_CENTRE_MM = 3.4


class Seat:
    """The robot's seat. ``deed_s``: time of the last action of the hands. ``moved_s``: time of the
    last change of the list of moves.
    """

    def __init__(self, session: SimSession, stream: Stream, totals: Totals) -> None:
        self._session = session
        self.stream = stream
        self.totals = totals
        self.eyes = Eyes(session)
        self.judge = Judge(session, self.eyes)
        self.trouble = Trouble(session, stream, totals, self.eyes, self.judge)
        self.deed_s = self.moved_s = self.now()

    @property
    def status(self) -> GameStatus:
        """The standing that lights and page show."""
        return self._session.host.status

    @property
    def session(self) -> SimSession:
        """The session of the simulated table."""
        return self._session

    @property
    def position(self) -> Position:
        """The position by the rules."""
        return self.judge.position

    def pieces(self) -> dict[str, str]:
        """Return the physical piece on each occupied place."""
        return self.eyes.pieces()

    # Methods for time.

    def now(self) -> float:
        """Return the virtual time in seconds."""
        return self._session.clock.now()

    def wait(self, duration_s: float) -> None:
        """Let the table run without an action of the hands."""
        self.until(self.now() + duration_s)

    def until(self, time_s: float) -> None:
        """Let the table run, with random trouble, until ``time_s``."""
        while self.now() < time_s:
            self.trouble.tick()
            self._session.tick()
            if self.judge.look():
                self.moved_s = self.now()

    # Methods for the hands.

    def put(
        self,
        piece: str,
        place: str,
        *,
        off_mm: float = OFF_CENTRE_MM,
        turned_over: bool = False,
    ) -> bool:
        """Put a piece from its tray on ``place``, and return whether there was space."""
        hands, index = self._session.hands, self.index_of(place)
        radius, angle = off_mm * self.stream.random(), math.tau * self.stream.random()
        offset = radius * math.cos(angle), radius * math.sin(angle)
        for where in (offset, (0.0, 0.0)):
            try:
                return self._done(hands.put(piece, index, where, turned_over=turned_over))
            except HandsError:
                continue
        return False

    def take(self, place: str) -> bool:
        """Take the piece from ``place``, and return whether there was a piece."""
        try:
            return self._done(self._session.hands.take(self.index_of(place)))
        except HandsError:
            return False

    def move(self, source: str, target: str) -> bool:
        """Carry a piece to another place, and return whether that was possible."""
        try:
            return self._done(
                self._session.hands.move(self.index_of(source), self.index_of(target))
            )
        except HandsError:
            return False

    def press(self, button: str, held_s: float = 0.2) -> None:
        """Press a button for ``held_s`` seconds."""
        if button == "back" and held_s < 2.0:
            self.judge.asked_back()
        self._done(self._session.hands.press(button, held_s))

    def index_of(self, place: str) -> int:
        """Return the index of a place on the plate."""
        return self._session.host.overlay.index_of(place)

    def _done(self, action: Action) -> bool:
        self.until(action.end_s)
        self.deed_s = self.now()
        return True
