"""The snapshot's group `seats`, and what each seat of a game of seats may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tiltboard.firmware_host.referee.seat_bots import Hinted
from tiltboard.firmware_host.referee.seat_referee import SeatReferee
from tiltboard.firmware_host.referee.seats import Seats
from tiltboard.games.base import Position
from tiltboard.games.contract import describe
from tiltboard.games.seated import SeatedGame

NOT_SENT = ("legal", "cells", "reserve", "result", "to_move")  # Sent elsewhere, or a seat's own.


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat."""

    player: str
    """Its player."""
    taken: bool
    """Whether a device has it."""
    computer: str | None = None
    """The level of the bot that plays it, or None."""
    shut: bool = False
    """Whether another device than the present one has seen the hand."""


class SeatsGroup(msgspec.Struct, frozen=True):
    """A game of seats as everybody may see it."""

    step: int
    """The step to send back with a move, which counts only if nothing has changed."""
    public: dict[str, Any]
    """The object of the ``tiltboard rules`` contract, as an onlooker sees it."""
    zones: dict[str, list[str]]
    """Zone -> its towers."""
    may: list[str]
    """Moves that the table itself may make: the stems of chance, the end of a count."""
    seats: list[SeatInfo]
    """The seats, in the order of play."""
    counting: int | None = None
    """Seconds left of a count of five, or None."""
    proposal: str | None = None
    """A move by hand that counts after a while: one that the sensors suggest, or that a bot wants
    to be made; or None."""
    failure: str | None = None
    """The move to make if the proposed one did not hold, or None."""
    seen: bool = False
    """Whether the sensors suggest the proposal."""
    sure: bool = False
    """Whether the sensors are sure of it, so that it counts by itself."""


class SeatView(msgspec.Struct, frozen=True, tag="seat", tag_field="type"):
    """The private view of one seat, sent only to the device that has it."""

    player: str
    """The seat's player."""
    step: int
    """The step to send back with a move."""
    hand: list[str]
    """The player's cards."""
    drawn: list[str]
    """Two cards of which to keep one, or none."""
    hero: str | None
    """The player's hero, or None."""
    legal: list[str]
    """The player's legal moves."""
    shut: bool = False
    """Whether another device has seen the hand; then the view has only what everybody may see."""
    hint: Hinted | None = None
    """The hint that the player asked for, or None."""


@dataclass(frozen=True)
class SeatsShown:
    """The seats of a game, and what the devices that have them may see."""

    players: list[str] = field(default_factory=list)
    """The players who have a seat."""
    holders: Mapping[str, str] = field(default_factory=dict)
    """Player -> digest of the device that has the seat."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """Player -> code of a free seat."""
    views: Mapping[str, SeatView] = field(default_factory=dict)
    """Player -> private view, in a game of hands."""
    devices: frozenset[str] = frozenset()
    """Digests of all devices that hold a seat, in this game or in one with other players."""


class SeatPublisher:
    """Publishes the seats of a game, and the hands at them; values are computed again only after a
    change.
    """

    group: SeatsGroup | None
    """The public part after the last update, or None for another game."""
    shown: SeatsShown
    """The parts for devices with seats after the last update."""

    def __init__(self) -> None:
        self.group = None
        self.shown = SeatsShown()
        self._made_of: tuple[object, ...] = ()

    def update(self, referee: SeatReferee | None, seats: Seats, position: Position | None) -> None:
        """Publish ``position``, unless nothing has changed. ``referee``: None for a board game."""
        if referee is None or position is None:
            self._made_of, self.group = (), None
            self.shown = SeatsShown(list(seats.players), dict(seats.holders), seats.codes)
            return
        game, step, proposed = referee.game, referee.step_number, referee.proposal
        hints = {player: hint for player, hint in referee.hints.items() if hint.step == step}
        made_of = (position, step, referee.counting, proposed, seats.changes, hints)
        if made_of == self._made_of:
            return
        self._made_of = made_of
        public = describe(position.public())
        self.group = SeatsGroup(
            step=step,
            public={name: value for name, value in public.items() if name not in NOT_SENT},
            zones=public["cells"],
            may=public["legal"],
            seats=[
                SeatInfo(each, each in seats.holders, seats.computers.get(each), each in seats.shut)
                for each in game.players
            ],
            counting=referee.counting,
            proposal=None if proposed is None else proposed.move,
            failure=None if proposed is None else game.failure(position, proposed.move),
            seen=proposed is not None and proposed.seen,
            sure=proposed is not None and proposed.seen and proposed.sure,
        )
        views = {
            each: _covered(_view(position, each, step, None), public, game)
            if each in seats.shut
            else _view(position, each, step, hints.get(each))
            for each in game.players
        }
        self.shown = SeatsShown(list(seats.players), dict(seats.holders), seats.codes, views)


def _covered(view: SeatView, public: Mapping[str, Any], game: SeatedGame) -> SeatView:
    """Return the view of a covered hand, with what everybody may know; passing and placing pieces
    stay possible, because they need no cards.
    """
    hand = public["hands"][view.player]
    legal = [move for move in view.legal if game.passes(move) or game.takes_back(move)]
    return SeatView(view.player, view.step, hand, [], None, legal, shut=True)


def _view(position: Position, player: str, step: int, hint: Hinted | None) -> SeatView:
    seen = describe(position, player)
    mine = player in seen["awaiting"] and seen["phase"] == "keep"
    return SeatView(
        player=player,
        step=step,
        hand=seen["hands"][player],
        drawn=seen["drawn"] if mine else [],
        hero=seen["heroes"].get(player),
        legal=seen["legal"],
        hint=hint,
    )
