"""The port to other tables, lookers and the house, which a package beside the table brings.

``packages/online`` names the module with these functions by an entry point. Without it the table
plays, and the page offers nothing that needs it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.files import Tell
from tiltboard.firmware_host.config.players import EngineSeats
from tiltboard.firmware_host.config.settings import FarSettings, Settings
from tiltboard.firmware_host.messages import Catalogue, Message, text
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.standing import Standing
from tiltboard.games.base import Game
from tiltboard.ground.plugins import PluginError, loaded

NO_OTHERS = text("This table can't reach other tables yet. Ask whoever set it up.")
_log = logging.getLogger(__name__)
GROUP = "tiltboard.online"
"""Group of the entry point; it names a module that has the functions of ``Online``."""


class MatchGroup(msgspec.Struct, frozen=True):
    """The snapshot's group `match`: a match with other tables."""

    far: list[str]
    """The players at other tables."""
    code: str | None
    """The code with which another table joins, or None once all have joined."""
    asked: list[str]
    """Requests of the others (take-back, draw, new-game) that this table has not agreed to."""
    connected: bool
    """Whether the broker answers."""
    picture: str | None = None
    """The code as an SVG, or None."""
    names: dict[str, str] = {}
    """Player at another table -> names of the person and the table, as far as known."""


class FarMatch(Protocol):
    """A table's match with other tables. All methods run in the table's thread."""

    @property
    def notice(self) -> Message | None:
        """The notice about the match, or None."""

    @property
    def names(self) -> dict[str, str]:
        """Player at another table -> who plays, and the table's name, as far as they have names."""

    def seats(self, command: c.NewGame, game: Game) -> EngineSeats:
        """Return who plays in a new game with far players. Raises NotPossibleError."""

    def make(self, command: c.NewGame, game: Game, game_id: int) -> None:
        """Make a match of the game that has just begun here as ``command`` said."""

    def do(self, command: c.JoinMatch | c.LeaveMatch | c.SayPhrase) -> None:
        """Join a match, leave it, or say something. Raises NotPossibleError."""

    def take_over(self, request: c.GameRequest, standing: Standing) -> bool:
        """Return whether the other tables are asked first, so that nothing is carried out now."""

    def again(self, game_id: int | None) -> bool:
        """Ask for another game; return False if this table may begin one alone."""

    def plays(self, game_id: int | None) -> bool:
        """Return whether that game of the journal belongs to the match."""

    def step(
        self, standing: Standing, now_s: float, people: Mapping[str, str]
    ) -> c.GameRequest | None:
        """Continue the match, and return what was done at another table, or None."""

    def group(self, game_id: int, players: Iterable[str]) -> MatchGroup | None:
        """Return the snapshot's group, or None if that game of the journal does not belong to the
        match. ``players``: those at other tables.
        """

    def shown(self, standing: Standing) -> Standing:
        """Return ``standing`` with what the far players do and say."""

    def close(self) -> None:
        """Say goodbye; the match goes on when the table is back."""


class Teller(Protocol):
    """Tells lookers and the house how the table stands."""

    def start(self) -> None:
        """Connect, and tell from now on."""

    def close(self) -> None:
        """Say that the table is gone."""


class Online(Protocol):
    """The functions of the module. Each raises a TiltboardError for what is missing."""

    def open_match(
        self,
        folder: Path,
        settings: FarSettings,
        begin: Callable[[c.NewGame], int],
        tell: Tell | None,
    ) -> FarMatch:
        """Continue the match that is kept in ``folder``, if any; ``begin`` begins a game."""

    def read_code(self, typed: str) -> str:
        """Return a match's code as it is written. Raises NotPossibleError if it is none."""

    def why_unreachable(self, settings: FarSettings) -> Message | None:
        """Return why no other table can be reached, or None; looks it up, for some seconds."""

    def telling(self, table: Any, settings: Settings, state: Path, spoken: Catalogue) -> Teller:
        """Return what tells of ``table``, the service's, which this module does not know."""

    def look_key(self, state: Path) -> str:
        """Return the key of the link to look on at this table. Raises NotPossibleError."""


def online() -> Online:
    """Return the module that the package brings. Raises NotPossibleError if there is none."""
    why = ""
    for point in metadata.entry_points(group=GROUP):
        try:
            return cast(Online, loaded(point, lambda module: module))
        except PluginError as error:
            why = f" ({error.why})"
    raise NotPossibleError(
        "Playing with other tables needs the package tiltboard-online{why}.",
        remedy="In a clone of tiltboard run: {command}",
        why=why,
        command="pip install ./packages/online",
    )


def why_unreachable(settings: FarSettings) -> Message | None:
    """Return why this table cannot play with others, in a player's words, or None if it can.

    Not for the table's thread: it takes some seconds.
    """
    try:
        return online().why_unreachable(settings)
    except NotPossibleError as error:
        _log.info("%s", error)
        return NO_OTHERS
