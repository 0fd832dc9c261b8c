"""Playing freely: no rules, the game waits, and lights and sentences tell what the sensors see."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from firmware_host.config.paths import sync_directory
from firmware_host.guidance import words
from firmware_host.journal.database import translated
from firmware_host.messages import Message, text
from firmware_host.table.observation import Happening
from firmware_host.table.overlay import Overlay
from firmware_host.table.sight import UNKNOWN_PIECE, Sight, SightEvent
from firmware_host.table.standing import Phase, Role, Standing
from games.base import Game

KEPT = 12
MARK_NAME = "free-play"
NORTH, SOUTH, STRANGE = "orange", "blue", "gray"  # lights of the pole that faces the sensor
WELCOME = text("Play freely: tilt, stack, knock. Nothing counts.")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Happened:
    """What the sensors saw happen, with a running number, and in a sentence."""

    number: int
    event: SightEvent
    say: Message


class FreeMark:
    """A file that stands from when free play begins until the board is the position again: what was
    left on the plate is no move after a kill, either.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / MARK_NAME
        self.stands = self._path.exists()

    def set(self) -> None:
        """On disk when this returns. Raises JournalFullError."""
        with translated(self._path):
            self._path.touch()
            sync_directory(self._path.parent)
        self.stands = True

    def clear(self) -> None:
        """The board is the position."""
        self.stands = False
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:  # then the board is asked for once more, after the next start
            _log.warning("%s cannot be removed: %s", self._path, error)


class FreePlay:
    """While it goes on the referee is not asked. ``happened``: the last things, oldest first."""

    def __init__(self) -> None:
        self.happened: deque[Happened] = deque(maxlen=KEPT)
        self._count = 0
        self._shown: Standing | None = None

    def standing(self, before: Standing, sight: Sight, game: Game, overlay: Overlay) -> Standing:
        """Each place on which a magnet is accepted glows in the colour of its pole."""
        for event in sight.events:
            self._count += 1
            self.happened.append(Happened(self._count, event, _told(event, game)))
        say = self.happened[-1].say if self.happened else WELCOME
        tint = {place: (_glow(piece, overlay),) for place, piece in sight.cells.items()}
        if self._shown is None or self._shown.say != say or self._shown.tint != tint:
            self._shown = replace(
                before,
                phase=Phase.FREE,
                roles=dict.fromkeys(tint, Role.LEGAL),
                piece_for={},
                shifts=(),
                say=say,
                question=None,
                tint=tint,
                path=(),
                path_colour=None,
                sounds=(),
            )
        return self._shown


def _glow(piece: str, overlay: Overlay) -> str:
    if piece == UNKNOWN_PIECE:
        return STRANGE
    return NORTH if overlay.magnet_of(piece).value.startswith("N") else SOUTH


def _told(event: SightEvent, game: Game) -> Message:
    places, pieces = event.places, [words.piece(game.name, each or "") for each in event.pieces]
    say: Mapping[Happening, Message] = {
        Happening.TILTED: text("The plate is tilted."),
        Happening.SETTLED: text("The plate is at rest."),
        Happening.BUMPED: text("Somebody knocked against the table."),
        Happening.KNOCKED: text("Several moved at once: {places}.", places=", ".join(places)),
    }
    if event.happening in say:
        return say[event.happening]
    if event.happening is Happening.LIFTED:
        return text("{place} is empty.", place=places[0])
    if event.happening is Happening.STACKED:
        return text("On {place}: more than one piece.", place=places[0])
    if event.happening is Happening.UNSTACKED:
        return text("On {place}: one piece less.", place=places[0])
    if event.happening is Happening.SLID:
        source, target = places
        return text(
            "From {source} to {target}: {piece}.", source=source, target=target, piece=pieces[-1]
        )
    return text("On {place}: {piece}.", place=places[0], piece=pieces[0])
