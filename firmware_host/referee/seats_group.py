"""The snapshot's group `seats`, and the private view of each seat in a game with private seats."""

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

# Fields of the ``tiltboard rules`` description that this group omits, because they are sent
# elsewhere or are private to a seat.
NOT_SENT = ("legal", "cells", "reserve", "result", "to_move")


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of the game."""

    player: str
    """The player of the seat."""
    taken: bool
    """True if a device holds the seat."""
    computer: str | None = None
    """Level of the bot that plays at the seat, or None if there is no bot."""
    shut: bool = False
    """True if the hand is covered because another device, or a bot, has seen the hand."""


class SeatsGroup(msgspec.Struct, frozen=True):
    """The public part of a game with private seats, which every page can see."""

    step: int
    """Number of the step, which a page sends back with a move. A move counts only if this number
    has not changed since.
    """
    public: dict[str, Any]
    """The position as the ``tiltboard rules`` contract describes it, without hidden cards."""
    zones: dict[str, list[str]]
    """Zone -> the towers (stacks of pieces) in that zone."""
    may: list[str]
    """Moves that the table itself can make: a random draw (given as the beginning of the move) or
    the end of a count of five seconds.
    """
    seats: list[SeatInfo]
    """The seats, in the order of play."""
    counting: int | None = None
    """Seconds left of a count of five seconds, or None if no count is running."""
    proposal: str | None = None
    """The move that waits for confirmation and is made by hand, or None. Either the sensors
    detected the move, or people must carry it out for another player.
    """
    failure: str | None = None
    """The move that reports that the proposed move has failed, or None if the proposed move cannot
    fail.
    """
    seen: bool = False
    """True if the sensors detected the proposed move."""
    sure: bool = False
    """True if the sensors are certain of the proposed move, which then counts without confirmation.
    """


class SeatView(msgspec.Struct, frozen=True, tag="seat", tag_field="type"):
    """The private view of one seat, sent only to the device that holds the seat."""

    player: str
    """The player of the seat."""
    step: int
    """Number of the step, which the page sends back with a move."""
    hand: list[str]
    """Cards in the player's hand."""
    drawn: list[str]
    """The two drawn cards, one of which the player must keep, or an empty list."""
    hero: str | None
    """The player's hero, or None if the player has no hero."""
    legal: list[str]
    """The player's legal moves."""
    shut: bool = False
    """True if another device has seen the hand. The view then has only public information."""
    hint: Hinted | None = None
    """The hint that the player asked for, or None."""


@dataclass(frozen=True)
class SeatsShown:
    """The seats of a game, with the private view of each seat."""

    players: list[str] = field(default_factory=list)
    """Players who have a seat."""
    holders: Mapping[str, str] = field(default_factory=dict)
    """Player -> digest of the token of the device that holds the player's seat."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """Player -> code with which a device takes the free seat of that player."""
    views: Mapping[str, SeatView] = field(default_factory=dict)
    """Player -> private view of the seat; empty in a board game."""
    devices: frozenset[str] = frozenset()
    """Digests of the tokens of all devices that hold a seat, including seats that the current game
    does not have.
    """


class SeatPublisher:
    """Publishes the seats of a game and their private views. The published values are computed
    again only after a change.
    """

    group: SeatsGroup | None
    """The public part after the last update, or None for a board game."""
    shown: SeatsShown
    """The seats with their private views, after the last update."""

    def __init__(self) -> None:
        self.group = None
        self.shown = SeatsShown()
        self._made_of: tuple[object, ...] = ()

    def update(self, referee: SeatReferee | None, seats: Seats, position: Position | None) -> None:
        """Publish the seats and ``position``, unless nothing has changed. ``referee`` is None for a
        board game.
        """
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
            each: _covered_seat_view(_view(position, each, step, None), public, game)
            if each in seats.shut
            else _view(position, each, step, hints.get(each))
            for each in game.players
        }
        self.shown = SeatsShown(list(seats.players), dict(seats.holders), seats.codes, views)


def _covered_seat_view(view: SeatView, public: Mapping[str, Any], game: SeatedGame) -> SeatView:
    """Return the view of a seat whose hand is covered: only public information is left. Passing and
    placing pieces stay legal, because these moves need no cards.
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
