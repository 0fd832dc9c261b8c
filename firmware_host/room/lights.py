"""The plate's lights in a seated game: zones, who is awaited, and the count of five."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.room.zones import ZoneOverlay
from firmware_host.table.standing import Role
from games.base import Position
from games.seated import SeatedGame

HARDER = ("orange", "purple")  # one challenge, and more

Lights = tuple[Mapping[str, Role], Mapping[str, tuple[str, ...]]]


def lights(game: SeatedGame, position: Position, overlay: ZoneOverlay, left: int | None) -> Lights:
    """Roles, and the colours of those that are legal. ``left``: seconds of a count.

    The zone of the turn is lit, in another colour where it was made harder; the middle has the
    colours of those who are awaited, in turn; as many zones blink at the rim as seconds are left.
    """
    if position.over:
        return dict.fromkeys(overlay.middle, Role.WIN), {}
    roles: dict[str, Role] = {}
    tint: dict[str, tuple[str, ...]] = {}
    forced = min(game.forced(position), len(HARDER))
    for zone in game.lit(position):
        for place in overlay.zones[zone]:
            roles[place] = Role.LEGAL
            if forced:
                tint[place] = (HARDER[forced - 1],)
    awaited = tuple(each for each in position.awaiting if each in game.players)
    awaited = awaited or (position.mover,)  # who rolls
    for place in overlay.middle:
        roles[place], tint[place] = Role.LEGAL, awaited
    for zone in list(overlay.zones)[: left or 0]:
        roles[overlay.zones[zone][-1]] = Role.LIFT
    return roles, tint
