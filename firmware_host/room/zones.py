"""Zones over the plate, as the game cuts it: in each of them a piece may lie anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from firmware_host.config.profile import Profile
from firmware_host.table.observation import Magnet
from firmware_host.table.overlay import Overlay
from games.base import Game
from games.seated import SeatedGame

PIECE = "piece"  # sensors tell that something lies there, not which


class ZoneOverlay(Overlay):
    """A seated game over a plate of any size. Places keep the plate's names.

    ``zones``: zone -> its places; ``middle``: those that are in none, nearest to the centre first.
    ``zone_of``: place -> zone.
    """

    def __init__(self, profile: Profile, game: SeatedGame) -> None:
        # not Overlay's: there are no places to fit, and any magnet is a piece
        self.game = game
        self.places = profile.places
        self._piece_of = {Magnet.N_STRONG: PIECE}
        self._magnet_of = dict.fromkeys((*game.pieces, PIECE), Magnet.N_STRONG)
        self._last = None
        half_x, half_y = (profile.columns - 1) / 2, (profile.rows - 1) / 2
        zones: dict[str, list[tuple[float, str]]] = {zone: [] for zone in game.board}
        middle: list[tuple[float, str]] = []
        for index, place in enumerate(self.places):
            row, column = divmod(index, profile.columns)
            x, y = (column - half_x) / half_x, (row - half_y) / half_y
            away = hypot(x, y)
            zone = game.zone_at(x, y)
            (middle if zone is None else zones[zone]).append((away, place))
        self.zones: Mapping[str, tuple[str, ...]] = {
            zone: tuple(place for _, place in sorted(found)) for zone, found in zones.items()
        }
        self.zone_of = {place: zone for zone, found in self.zones.items() for place in found}
        self.middle = tuple(place for _, place in sorted(middle))
        self._index_of = {name: index for index, name in enumerate(self.places)}
        self.index_of_game_place = {
            zone: self._index_of[places[-1]] for zone, places in self.zones.items() if places
        }
        self._index_of |= self.index_of_game_place

    def magnets(self, cells: Mapping[str, str]) -> dict[int, Magnet]:
        """Nothing: a zone does not say where in it a piece lies."""
        return {}


def overlay_for(profile: Profile, game: Game) -> Overlay:
    """``game`` over a plate. Raises BoardDoesNotFitError."""
    return ZoneOverlay(profile, game) if isinstance(game, SeatedGame) else Overlay(profile, game)
