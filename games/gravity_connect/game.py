"""Gravity Connect as a game: places, moves and results by name, over ``core``.

There always is a legal slot while a cell is open: that cell's row is entered from the left and the
right and its column from the top and the bottom, and only one of the four sides is ever forbidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from games.base import Credit, IllegalMoveError, OptionSpec, Outcome, RulesError, Shift, Turn
from games.gravity_connect.board import MOST, SIDES, Board, Side, Slot
from games.gravity_connect.core import FULL, NO_SIDE, Core, State, fall
from games.option_values import checked

PLAYERS = ("red", "blue")

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec("size", "int", "Rows and columns of the board.", 9, 1, MOST),
    OptionSpec("line", "int", "How many tiles in a row win.", 5, 1, MOST),
)


@dataclass(frozen=True, slots=True)
class Fall:
    """Where the tile of a move goes. ``path``: from its entry cell to where it lands, both too."""

    slot: Slot
    path: tuple[str, ...]

    @property
    def entry(self) -> str:
        """The cell on which the hand puts it."""
        return self.path[0]

    @property
    def landing(self) -> str:
        """The cell on which it comes to rest."""
        return self.path[-1]


class GravityConnectGame:
    """Gravity Connect with its options fixed. ``slots``: move -> slot."""

    name = "gravity-connect"
    players = PLAYERS
    pieces = PLAYERS
    blocked: Mapping[str, str] = {}

    def __init__(self, size: int, line: int) -> None:
        self.options: Mapping[str, Any] = {"size": size, "line": line}
        self.line = line
        self.layout = Board.build(size)
        self.core = Core(self.layout, line)
        self.board = self.layout.places
        self.slots = {slot.name: slot for slot in self.layout.slots}
        self.index = {slot.name: number for number, slot in enumerate(self.layout.slots)}

    def start(self) -> GravityConnectPosition:
        """The empty board."""
        return GravityConnectPosition(self, self.core.start())


@dataclass(frozen=True)
class GravityConnectPosition:
    """One position. ``state`` is the same in bits."""

    game: GravityConnectGame
    state: State

    @property
    def _turn(self) -> int:
        return self.game.core.size**2 - self.state.left

    @property
    def to_move(self) -> str | None:
        """The player to move, or None once the game is over."""
        return None if self.state.ended else self._mover

    @property
    def _mover(self) -> str:
        return PLAYERS[self._turn % 2]

    @property
    def forbidden_side(self) -> Side | None:
        """The side that the player to move used last, which he may not use now (RULES C2)."""
        side = self.state.own_side
        return None if side == NO_SIDE else SIDES[side]

    @cached_property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on. ``places``: the connected tiles."""
        if self.state.ended is None:
            return None
        if self.state.ended == FULL:
            return Outcome(PLAYERS[1], FULL)
        winner = PLAYERS[(self._turn - 1) % 2]
        return Outcome(winner, self.state.ended, places=self._connected(winner))

    def _connected(self, player: str) -> tuple[str, ...]:
        """The cells of all lines of his that are long enough, sorted by code point."""
        found: set[str] = set()
        layout = self.game.layout
        for line in layout.rows + layout.columns + layout.diagonals:
            for owner, run in groupby(line, self.cells.get):
                cells = tuple(run)
                if owner == player and len(cells) >= self.game.line:
                    found.update(cells)
        return tuple(sorted(found))

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """Occupied cells only -> colour, sorted by cell."""
        mover, waiting = self._mover, PLAYERS[(self._turn + 1) % 2]
        return {
            name: mover if self.state.own & tile else waiting
            for name, tile in sorted(self.game.core.tiles.items())
            if (self.state.own | self.state.other) & tile
        }

    @property
    def reserve(self) -> Mapping[str, int]:
        """Empty: there are always tiles enough."""
        return {}

    @cached_property
    def falls(self) -> Mapping[str, Fall]:
        """Where the tile of every legal move goes, sorted by move."""
        if self.state.ended:
            return {}
        slots = (slot for slot in self.game.slots.values() if slot.side != self.forbidden_side)
        return {each.slot.name: each for each in sorted(self._falls(slots), key=_slot_name)}

    def _falls(self, slots: Iterable[Slot]) -> Iterable[Fall]:
        """Those of ``slots`` whose line has an open cell."""
        for slot in slots:
            found = fall([cell in self.cells for cell in slot.cells])
            if found is not None:
                entry, landing = found
                yield Fall(slot, slot.cells[entry : landing + 1])

    def legal(self) -> tuple[str, ...]:
        """The slots that may be used, sorted by code point."""
        return tuple(self.falls)

    def play(self, move: str) -> Turn:
        """Let a tile fall from a slot. Raises IllegalMoveError, naming the rule.

        The hand puts the tile on its entry cell; falling on from there is the consequence.
        """
        refusal = self._refusal(move)
        if refusal is not None:
            raise refusal
        game, player, way = self.game, self._mover, self.falls[move]
        act = (Shift(player, None, way.entry),)
        falls_on = (Shift(player, way.entry, way.landing),) if len(way.path) > 1 else ()
        state = game.core.advance(self.state, (game.index[move],))
        after = GravityConnectPosition(game, state)
        return Turn(move, player, act, falls_on, after, way.path, way.slot.entrance)

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Why the player to move may not put ``piece`` on ``place``, as the cell on which the tile
        of some slot enters or lands; None if he may.
        """
        if self.state.ended:
            return IllegalMoveError("The game is over.")
        if piece != self._mover:
            return IllegalMoveError(
                "It is {player}'s turn, and only a {player} tile may be placed.",
                player=self._mover,
            )
        if place not in self.game.board:
            return IllegalMoveError("{place} is not a cell of this board.", place=place)
        if place in self.cells:
            return IllegalMoveError(
                "{place} is not empty: a tile may only be placed on an open cell.", place=place
            )
        ways = [way for way in self._falls(self.game.slots.values()) if place in _ends(way)]
        if any(way.slot.name in self.falls for way in ways):
            return None
        if ways:
            return self._same_side(ways[0].slot)
        return IllegalMoveError(
            "No tile comes to {place} now: a tile enters on the first open cell of a line and "
            "falls on until it meets a tile or the far edge.",
            place=place,
        )

    def _refusal(self, move: str) -> IllegalMoveError | None:
        if self.state.ended:
            return IllegalMoveError("The game is over.")
        if move in self.falls:
            return None
        if move not in self.game.slots:
            _, right, _, bottom = (slot.name for slot in self._last_slots())
            return IllegalMoveError(
                "{move} is not a slot of this board: the slots are 1 to {number} and A to "
                "{letter}.",
                move=move,
                number=right,
                letter=bottom,
            )
        slot = self.game.slots[move]
        if slot.side == self.forbidden_side:
            return self._same_side(slot)
        return IllegalMoveError("The line of slot {move} has no open cell.", move=move)

    def _last_slots(self) -> Sequence[Slot]:
        """The last slot of each side."""
        size = self.game.core.size
        return self.game.layout.slots[size - 1 :: size]

    def _same_side(self, slot: Slot) -> IllegalMoveError:
        return IllegalMoveError(
            "{move} is on the {side} side, which {player} used in his last turn: he must use "
            "another side now.",
            move=slot.name,
            side=slot.side.name,
            player=self._mover,
        )


def _slot_name(way: Fall) -> str:
    return way.slot.name


def _ends(way: Fall) -> tuple[str, str]:
    return way.entry, way.landing


class GravityConnectType:
    """Gravity Connect before its options are chosen."""

    name = "gravity-connect"
    credit = Credit("Gravity Connect", "XNimus", None, "A match type of the series Exordium.")
    option_specs: Sequence[OptionSpec] = SPECS
    rules_summary = (
        "Take turns to let a tile of your colour fall into the board from one of the slots on its "
        "four sides: left orange, right gray, top green, bottom purple.",
        "A tile enters its line on the first open cell, seen from its side, behind any tiles that "
        "are in the way. From there it falls on, away from its side, until it meets a tile or the "
        "far edge. A slot whose line is full cannot be used.",
        "You may not use the same side in two of your turns in a row.",
        "Whoever connects five tiles of his colour or more in his own turn wins, along a row, a "
        "column or a diagonal.",
        "If the board is full and nobody has done so, the second player wins.",
    )

    def create(self, options: Mapping[str, Any]) -> GravityConnectGame:
        """Check ``options`` (JSON types) and fix them. Raises OptionError."""
        values = checked("Gravity Connect", SPECS, options)
        return GravityConnectGame(values.get("size", 9), values.get("line", 5))

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Cells are ``A1``."""
        return False


GRAVITY_CONNECT = GravityConnectType()
