"""Makes what pages are shown of a game of seats from what the host holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.host.host import Host
from firmware_host.web.seats_shown import RoomInfo, SeatInfo, SeatsShown, SeatView
from games.base import Position
from games.contract import describe
from games.seated import SeatedGame

NOT_SENT = ("legal", "cells", "reserve", "result", "to_move")  # said elsewhere, or a seat's own


class SeatPublisher:
    """Makes these values of what the host holds, anew only where something has changed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._key: tuple[object, ...] | None = None
        self._room: RoomInfo | None = None
        self._shown = SeatsShown()
        self._of: Position | None = None  # kept, so that its id stays its own

    def room(self) -> RoomInfo | None:
        """For everybody; None for a game without seats."""
        self._refresh()
        return self._room

    def seats(self) -> SeatsShown:
        """For the devices that have seats."""
        self._refresh()
        return self._shown

    def _refresh(self) -> None:
        playing, position = self._host.playing, self._host.standing.position
        if not playing.seated or position is None:
            self._key, self._room, self._shown = None, None, SeatsShown()
            return
        room, seats, players = playing.room, playing.seats, position.game.players
        step, counting, proposed = room.step_number, room.counting, room.proposal
        key = (id(position), step, counting, proposed, seats.changes)
        if key == self._key:
            return
        if self._of is not position:
            self._of = position
        self._key = key
        public = describe(position.public())
        self._room = RoomInfo(
            step=step,
            public={name: value for name, value in public.items() if name not in NOT_SENT},
            zones=public["cells"],
            may=public["legal"],
            seats=[
                SeatInfo(each, each in seats.holders, seats.computers.get(each)) for each in players
            ],
            counting=counting,
            proposal=None if proposed is None else proposed.move,
            failure=None if proposed is None else _failure(position, proposed.move),
            seen=proposed is not None and proposed.seen,
            sure=proposed is not None and proposed.seen and proposed.sure,
        )
        self._shown = SeatsShown(
            dict(seats.holders),
            dict(seats.codes),
            {each: _view(position, each, step) for each in players},
        )


def _view(position: Position, player: str, step: int) -> SeatView:
    seen = describe(position, player)
    mine = player in seen["awaiting"] and seen["phase"] == "keep"
    return SeatView(
        player=player,
        step=step,
        hand=seen["hands"][player],
        drawn=seen["drawn"] if mine else [],
        hero=seen["heroes"].get(player),
        legal=seen["legal"],
    )


def _failure(position: Position, move: str) -> str | None:
    game = position.game
    return game.failure(position, move) if isinstance(game, SeatedGame) else None


def shown_moves(position: Position | None, moves: tuple[str, ...]) -> list[str]:
    """The moves of a game, without what only some may know while it goes on."""
    if position is None or position.over:
        return list(moves)
    return [position.game.shown_move(move, "") for move in moves]


def shown_options(options: Mapping[str, Any], secret: tuple[str, ...]) -> dict[str, Any]:
    """Options of a game that goes on."""
    return {name: value for name, value in options.items() if name not in secret}
