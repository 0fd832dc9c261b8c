"""The interface to other tables, onlookers and smart homes, which a separate package implements.

The package ``packages/online`` declares the module with these functions as an entry point. Without
that package the table still plays, and the page offers no online functions.
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
from tiltboard.firmware_host.table.status import GameStatus
from tiltboard.games.base import Game
from tiltboard.ground.plugins import PluginError, load_entry_point

NO_OTHERS = text("This table can't reach other tables yet. Ask whoever set it up.")
_log = logging.getLogger(__name__)
GROUP = "tiltboard.online"
"""Name of the entry-point group. The entry point in this group names a module with the functions of
``Online``.
"""


class MatchGroup(msgspec.Struct, frozen=True):
    """The snapshot's group `match`: a match with other tables."""

    far: list[str]
    """The players at other tables."""
    code: str | None
    """The code that another table enters to join, or None once all tables have joined."""
    asked: list[str]
    """Requests of other tables (take-back, draw, new-game) that this table has not accepted yet."""
    connected: bool
    """True if the broker, the server between the tables, answers."""
    picture: str | None = None
    """The code as a picture (SVG), or None."""
    names: dict[str, str] = {}
    """Player at another table -> names of the person and the table, if known."""


class FarMatch(Protocol):
    """A table's match with other tables. All methods run in the table's thread."""

    @property
    def notice(self) -> Message | None:
        """The notice about the match, or None."""

    @property
    def names(self) -> dict[str, str]:
        """Player at another table -> names of the person and the table, if set."""

    def seats(self, command: c.NewGame, game: Game) -> EngineSeats:
        """Return the bots and remote players of a new game with other tables. Raises
        NotPossibleError.
        """

    def make(self, command: c.NewGame, game: Game, game_id: int) -> None:
        """Start a match with the game that ``command`` has just started at this table."""

    def do(self, command: c.JoinMatch | c.LeaveMatch | c.SayPhrase) -> None:
        """Join a match, leave a match, or say a phrase. Raises NotPossibleError."""

    def take_over(self, request: c.GameRequest, status: GameStatus) -> bool:
        """Return whether the other tables must agree to ``request`` first. If so, ``request`` is
        not carried out now.
        """

    def again(self, game_id: int | None) -> bool:
        """Ask the other tables for another game. Return False if this table can start a game
        without asking.
        """

    def plays(self, game_id: int | None) -> bool:
        """Return whether the game with this number in the journal belongs to the match."""

    def step(
        self, status: GameStatus, now_s: float, people: Mapping[str, str]
    ) -> c.GameRequest | None:
        """Continue the match, and return a request from another table, or None. ``people``: player
        -> name of the person at this table.
        """

    def group(self, game_id: int, players: Iterable[str]) -> MatchGroup | None:
        """Return the snapshot's group, or None if the game with this number in the journal does not
        belong to the match. ``players``: players at other tables.
        """

    def shown(self, status: GameStatus) -> GameStatus:
        """Return ``status`` with the actions and phrases of players at other tables."""

    def close(self) -> None:
        """Tell the other tables that this table leaves for now. The match continues when the table
        is back.
        """


class Teller(Protocol):
    """Publishes the state of the table to onlookers and the smart home."""

    def start(self) -> None:
        """Connect to the server, and publish the state of the table from now on."""

    def close(self) -> None:
        """Publish that the table is no longer available."""


class Online(Protocol):
    """The functions of the online module. Each raises a TiltboardError if a requirement is
    missing.
    """

    def open_match(
        self,
        folder: Path,
        settings: FarSettings,
        begin: Callable[[c.NewGame], int],
        tell: Tell | None,
    ) -> FarMatch:
        """Return the match that is stored in ``folder``, ready to continue. ``begin``: function
        that starts a game and returns its number.
        """

    def read_code(self, typed: str) -> str:
        """Return a match's code in its standard form. Raises NotPossibleError if ``typed`` is not a
        code.
        """

    def why_unreachable(self, settings: FarSettings) -> Message | None:
        """Return the reason why no other table can be reached, or None. The check takes some
        seconds.
        """

    def telling(self, table: Any, settings: Settings, state: Path, spoken: Catalogue) -> Teller:
        """Return the publisher that reports the state of ``table``. ``table``: an object of the
        service, whose type this module does not know.
        """

    def look_key(self, state: Path) -> str:
        """Return the key in the link with which people can watch this table. Raises
        NotPossibleError.
        """


def online() -> Online:
    """Return the module of the installed online package. Raises NotPossibleError if there is no
    such package.
    """
    why = ""
    for point in metadata.entry_points(group=GROUP):
        try:
            return cast(Online, load_entry_point(point, lambda module: module))
        except PluginError as error:
            why = f" ({error.why})"
    raise NotPossibleError(
        "Playing with other tables needs the package tiltboard-online{why}.",
        remedy="In a clone of tiltboard run: {command}",
        why=why,
        command="pip install ./packages/online",
    )


def why_unreachable(settings: FarSettings) -> Message | None:
    """Return the reason why this table cannot play with other tables, in words for players, or None
    if it can.

    Do not call this function in the table's thread, because it takes some seconds.
    """
    try:
        return online().why_unreachable(settings)
    except NotPossibleError as error:
        _log.info("%s", error)
        return NO_OTHERS
