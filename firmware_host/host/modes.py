"""Calibration and free play, during which the game waits."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from tiltboard.firmware_host.commissioning.progress import PROGRESS_NAME, Progress, write_progress
from tiltboard.firmware_host.commissioning.sweep import Sweep, begin, unfinished_sweep
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.sensing import ScanResult, Sensing
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.commands import Calibrate
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE, Happening, Sight, SightEvent
from tiltboard.firmware_host.table.status import Asked, GameStatus, Phase, Role, Sound
from tiltboard.games.base import Game
from tiltboard.ground.clock import Clock

KEPT = 12
MAX_NAMED = 8  # Maximum number of places that a sentence lists by name.
DONE_S = 5.0  # Duration for which the end of a calibration is announced, in seconds.
# Light colours for a magnet with its north pole at the sensor, a magnet with its south pole at the
# sensor, and an unknown magnet.
NORTH, SOUTH, STRANGE = "orange", "blue", "gray"
WELCOME = text("Play freely: tilt, stack, knock. Nothing counts.")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Happened:
    """One event in free play, with a running number, its kind, its places and a sentence."""

    number: int
    happening: Happening
    places: tuple[str, ...]
    say: Message


class FreePlay:
    """Free play, during which the referee gets no scans."""

    def __init__(self) -> None:
        self.happened: deque[Happened] = deque(maxlen=KEPT)
        """The last events, oldest first."""

    def status(self, before: GameStatus, sight: Sight, game: Game, overlay: Overlay) -> GameStatus:
        """Return the state of free play, with a light under each detected magnet in the colour of
        the magnet's pole.
        """
        for event in sight.events:
            last = self.happened[-1].number if self.happened else 0
            say = _sentence_of(event, game)
            self.happened.append(Happened(last + 1, event.happening, event.places, say))
        say = self.happened[-1].say if self.happened else WELCOME
        tint = dict.fromkeys(sight.cells, (STRANGE,))
        for place, piece in sight.cells.items():
            if piece != UNKNOWN_PIECE:
                north = overlay.magnet_of(piece).value.startswith("N")
                tint[place] = (NORTH if north else SOUTH,)
        over = Asked(say, dict.fromkeys(tint, Role.LEGAL)).over(before)
        return replace(over, phase=Phase.FREE, tint=tint, path_colour=None, sounds=())


def _sentence_of(event: SightEvent, game: Game) -> Message:
    places, pieces = event.places, [phrases.piece(game.name, each or "") for each in event.pieces]
    match event.happening:
        case Happening.TILTED:
            return text("The plate is tilted.")
        case Happening.SETTLED:
            return text("The plate is at rest.")
        case Happening.BUMPED:
            return text("Somebody knocked against the table.")
        case Happening.KNOCKED if len(places) > MAX_NAMED:
            return text("Many pieces moved together.")
        case Happening.KNOCKED:
            return text("Several pieces moved together: {places}.", places=", ".join(places))
        case Happening.LIFTED:
            return text("{place} is empty.", place=places[0])
        case Happening.SLID:
            ends = {"source": places[0], "target": places[1]}
            return text("From {source} to {target}: {piece}.", piece=pieces[-1], **ends)
    return text("On {place}: {piece}.", place=places[0], piece=pieces[0])


class Modes:
    """Calibration and free play of one table."""

    def __init__(self, profile: Profile, folder: Path, clock: Clock) -> None:
        self._profile = profile
        self._folder = folder
        self._clock = clock
        self.sweep: Sweep | None = None
        """The running calibration, or None. If an earlier calibration was interrupted, the field
        ``left`` has the number of completed steps and the total number of steps; otherwise ``left``
        is None.
        """
        self._done_since_s: float | None = None
        self.left = unfinished_sweep(profile, folder)
        self.free: FreePlay | None = None
        """The free play in progress, or None."""
        self.asked: Asked | None = None
        """An instruction that people see instead of the game's instruction, or None. Other parts of
        the program can set this field.
        """
        self.power_off: Callable[[], None] | None = None
        """Function that switches off the Pi, or None. Other parts of the program can set this
        field.
        """

    @property
    def happened(self) -> Iterable[Happened]:
        """The last events in free play, oldest first; empty while a game is played."""
        return () if self.free is None else self.free.happened

    @property
    def waits(self) -> bool:
        """True if the game waits for calibration or free play."""
        return self.sweep is not None or self.free is not None

    def calibrate(self, command: Calibrate, sensing: Sensing) -> None:
        """Start a calibration, or measure a place or part again in the running calibration."""
        self.free = None
        if self.sweep is not None and command.again is not None:
            self.sweep.measure_again(command.again)
        elif self.sweep is None or command.fresh:
            known = sensing.calibration.loaded
            again, fresh = command.again, command.fresh
            progress = begin(self._profile, self._folder, again=again, fresh=fresh)
            self.sweep = Sweep(self._profile, progress, before=known, keep=self._keep)

    def _keep(self, progress: Progress) -> None:
        try:
            write_progress(self._folder / PROGRESS_NAME, progress)
        except OSError as error:
            _log.warning("The sweep's progress cannot be saved: %s", error)

    def stop_calibrating(self) -> None:
        """Stop the calibration, and keep its measurements so that the next calibration can
        continue.
        """
        self.sweep = self.asked = self._done_since_s = None
        self.left = unfinished_sweep(self._profile, self._folder)

    def step(
        self, look: ScanResult, status: GameStatus, game: Game, overlay: Overlay
    ) -> tuple[GameStatus, Calibration | None]:
        """Process one scan. Return the state of the game, and the calibration that has just been
        completed, or None. The end of a calibration is announced for ``DONE_S`` seconds before the
        game continues.
        """
        if self.sweep is not None:
            accepted, found = self.sweep.update(look.frame).accepted, None
            self.asked = self.sweep.request_shown(overlay)
            if not self.sweep.done:
                self._done_since_s = None
            elif self._done_since_s is None:
                self._done_since_s = look.now_s
                found = self.sweep.calibration(self._clock.calendar())
            elif look.now_s >= self._done_since_s + DONE_S:
                self.stop_calibrating()
            return replace(status, sounds=(Sound.MOVE,) if accepted else ()), found
        if self.free is not None:
            return self.free.status(status, look.sight, game, overlay), None
        return status, None
