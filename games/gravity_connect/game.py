"""Adapts the rules of Gravity Connect to the host: names the cells, and explains the consequences
of moves and refused moves.

While any cell is empty, at least one slot is legal. The cell's row can be entered from the left and
the right, and its column from the top and the bottom. The rules forbid at most one of these four
sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from tiltboard.games.base import (
    Credit,
    Game,
    GameType,
    IllegalMoveError,
    Limit,
    OptionSpec,
    Outcome,
    PieceBody,
    PieceLook,
    Position,
    Preset,
    RulesError,
    Shift,
    Slot,
    Turn,
    checked,
)
from tiltboard.games.gravity_connect.rules import (
    FULL,
    MOST,
    NO_SIDE,
    SIDES,
    ConnectState,
    GravityConnectRules,
    fall,
)
from tiltboard.games.search import Evaluate, Weights, numbers
from tiltboard.ground.override import override

PLAYERS = ("red", "blue")

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "size", "int", "Rows and columns of the board.", 9, 1, MOST,
        label="Size", limit=Limit.SIDE,
    ),
    OptionSpec(
        "line", "int", "How many tiles in a row win.", 5, 1, MOST,
        label="Tiles in a row", limit=Limit.SIDE,
    ),
)  # fmt: skip
PRESETS = tuple(
    Preset({"Board": label}, {"size": size, "line": line})
    for size, line, label in (
        (9, 5, "9 x 9, five in a row"),
        (7, 5, "7 x 7, five in a row"),
        (5, 4, "5 x 5, four in a row"),
    )
)


class GravityConnectGame(Game):
    """A game of Gravity Connect with fixed options."""

    name = "gravity-connect"
    weights, levels = numbers(__package__, "weights"), numbers(__package__, "levels")
    players = PLAYERS
    pieces = PLAYERS

    def __init__(self, size: int, line: int) -> None:
        self.options = {"size": size, "line": line}
        self.line = line
        self.rules: GravityConnectRules = GravityConnectRules(size, line)
        self.board = {
            name: (x, size - 1 - y)
            for x, cells in enumerate(self.rules.columns)
            for y, name in enumerate(cells)
        }
        self.edge_slots = self.rules.slots
        self.slots = {slot.name: slot for slot in self.edge_slots}
        """The slots of all four sides, by the name of the move."""

    def forbidden_side(self, position: Position) -> str | None:
        """Return the side that the player to move used last and cannot use now (rule C2),
        or None.
        """
        side = position.state.own_side
        return None if side == NO_SIDE else SIDES[side][0]

    def outcome(self, position: Position) -> Outcome:
        """Return the result of the game. The ``places`` of the result are the cells of all the
        winner's lines, sorted by code point.
        """
        (won,) = self.rules.result(position.state) or ()
        winner, reason = PLAYERS[won], position.state.ended
        found: set[str] = set()
        for line in self.rules.lines if reason != FULL else ():
            for owner, run in groupby(line, position.cells.get):
                cells = tuple(run)
                if owner == winner and len(cells) >= self.line:
                    found.update(cells)
        return Outcome(winner, reason, places=tuple(sorted(found)))

    def evaluation(self, weights: Weights) -> Evaluate | None:
        """Return a function that estimates how good a state is.

        The estimate depends on the lines that each player can still fill, on the player's tiles in
        each of these lines, and on the number of cells that would complete a line.
        """
        board, length = sum(self.rules.tiles.values()), self.line
        (tempo, tile, connecting, two_missing) = weights["lines"]

        def lines(mine: int, open_: int) -> int:
            """Return the value of the lines that one player can still fill. ``mine`` has the bits
            of the player's tiles, and ``open_`` has the bits of the player's tiles and of all empty
            cells.
            """
            free = open_
            for at in range(1, length):
                free &= open_ >> at
            if not free:
                return 0
            shifted = [mine >> at for at in range(length)]
            value = tile * sum((free & each).bit_count() for each in shifted)
            # In each of these integers, a line is represented by the bit of the line's first cell.
            # ``full`` has the lines in which all cells checked so far have the player's tile.
            # ``one`` and ``two`` have the lines in which one or two of these cells are empty.
            full, one, two = free, 0, 0
            for each in shifted:
                two = (two & each) | (one & ~each)
                one = (one & each) | (full & ~each)
                full &= each
            cells = 0
            if one:
                for at, each in enumerate(shifted):
                    cells |= (one & ~each) << at
            return value + connecting * cells.bit_count() + two_missing * two.bit_count()

        def evaluate(state: Any) -> int:
            own, other = state.own, state.other
            mine, theirs = lines(own, board & ~other), lines(other, board & ~own)
            return int(tempo + mine - theirs)

        return evaluate

    def cells(self, state: ConnectState) -> Mapping[str, str]:
        """Return the colour of the tile on each occupied cell, by cell name."""
        mover, waiting = PLAYERS[state.turn % 2], PLAYERS[(state.turn + 1) % 2]
        return {
            name: mover if state.own & tile else waiting
            for name, tile in sorted(self.rules.tiles.items())
            if (state.own | state.other) & tile
        }

    def fall(self, position: Position, slot: Slot) -> tuple[str, ...]:
        """Return the cells through which a tile from ``slot`` falls, from the entry cell to the
        cell where the tile stops. The slot can be forbidden in this turn. Return an empty tuple if
        the line behind the slot is full.
        """
        found = fall([cell in position.cells for cell in slot.cells])
        return () if found is None else slot.cells[found[0] : found[1] + 1]

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the turn: the player puts the tile on the entry cell, then the tile falls."""
        player, slot = before.mover, self.slots[move]
        path = self.fall(before, slot)
        act = (Shift(player, None, path[0]),)
        falls_on = (Shift(player, path[0], path[-1]),) if len(path) > 1 else ()
        return Turn(move, player, act, falls_on, after, path, slot)

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        """Return a sentence that states whether the far edge or another tile stops the tile."""
        (edge_x, edge_y), (x, y) = (self.board[place] for place in turn.path[-2:])
        at = {point: place for place, point in self.board.items()}
        beyond = at.get((2 * x - edge_x, 2 * y - edge_y))
        params = {"source": shift.source, "target": shift.target, "stop": beyond}
        if beyond is None:
            return "The tile falls from {source} to the far edge, {target}.", params
        return "The tile falls from {source} to {target}: the tile on {stop} stops it.", params

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why the player to move cannot put ``piece`` on ``place``,
        or None.

        A tile can be put on the cell where it enters through a slot, or on the cell where it lands.
        """
        if position.over:
            return IllegalMoveError("The game is over.")
        if piece != position.mover:
            return IllegalMoveError(
                "{player}'s turn.",
                player=position.mover,
            )
        if place not in self.board:
            return IllegalMoveError("{place} is not a cell of this board.", place=place)
        if place in position.cells:
            return IllegalMoveError(
                "{place} is not empty. Put your tile on an empty space.", place=place
            )
        slots = []
        for slot in self.edge_slots:
            path = self.fall(position, slot)
            if place in (*path[:1], *path[-1:]):
                slots.append(slot)
        if any(slot.name in position.legal() for slot in slots):
            return None
        if slots:
            return self._same_side(position, slots[0])
        return IllegalMoveError(
            "No tile comes to {place} now. Put it where one comes in, or where it lands.",
            place=place,
        )

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the error that explains why ``move`` cannot be played, or None."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal():
            return None
        if move not in self.slots:
            _, right, _, bottom = self.edge_slots[self.rules.size - 1 :: self.rules.size]
            return IllegalMoveError(
                "{move} is not a slot of this board: the slots are 1 to {number} and A to "
                "{letter}.",
                move=move,
                number=right.name,
                letter=bottom.name,
            )
        slot = self.slots[move]
        if slot.side == self.forbidden_side(position):
            return self._same_side(position, slot)
        return IllegalMoveError("The line of slot {move} has no open cell.", move=move)

    def _same_side(self, position: Position, slot: Slot) -> IllegalMoveError:
        return IllegalMoveError(
            "{player} used the {side} side last turn. Take another one.",
            move=slot.name,
            side=slot.side,
            player=position.mover,
        )


class GravityConnectType(GameType):
    """The game type Gravity Connect, which creates games from options."""

    name = "gravity-connect"
    credit = Credit("Gravity Connect", "XNimus", None, "A match type of the series Exordium.")
    option_specs = SPECS
    look = PieceLook("{colour} tile", "tile", body=PieceBody(diameter_mm=34.0, mass_g=30.0))
    presets = PRESETS
    lets = "{player} {move} let {winner} connect"
    reasons: Mapping[str, str] = {
        "wins": "It connects.",
        "wins-in": "{player} connects within {turns} turns, whatever {other} does.",
        "twice": "Whatever {other} closes, {player} connects next turn.",
        "only": "Nothing else stops {other}'s line. One threat is {move}.",
        "blocks": "It blocks the line that {other} would complete with {move}.",
        "threatens": "It threatens to connect next turn, so {other} has to answer.",
        "race": "{player} connects by force, but not soon.",
        "lasts": "{other} wins in any case. This takes the longest.",
        "quiet": "It keeps lines open for {player}. The chances are {share} %.",
    }
    to_put = "Put a tile on any lit space."
    aim = "Tiles fall in from four sides. Line up your own to win."
    rules_summary = (
        "Take turns to let a tile of your colour fall into the board from one of the slots on its "
        "four sides: left orange, right gray, top green, bottom purple.",
        "A tile enters its line on the first open cell, seen from its side, behind any tiles that "
        "are in the way. From there it falls on, away from its side, until it meets a tile or the "
        "far edge. A slot whose line is full cannot be used.",
        "You may not use the same side in two of your turns in a row.",
        "Whoever connects five or more tiles of their colour in their own turn wins, along a row, "
        "a column or a diagonal; on the smallest board four are enough.",
        "If the board is full and nobody has done so, the second player wins.",
    )

    def result_said(self, outcome: Outcome) -> tuple[str, Mapping[str, object]]:
        """Return the text that describes the winner's line, or states that the board is full."""
        if outcome.reason == FULL:
            return "the board is full without a line, which the second player wins", {}
        return "{count} tiles connected", {"count": _longest(outcome.places)}

    @override
    def create(self, options: Mapping[str, Any]) -> GravityConnectGame:
        values = checked("Gravity Connect", SPECS, options)
        return GravityConnectGame(values.get("size", 9), values.get("line", 5))


def _longest(places: Iterable[str]) -> int:
    """Return the number of cells in the longest straight line among ``places``."""
    spots = {(ord(place[0]), int(place[1:])) for place in places}

    def length(x: int, y: int, dx: int, dy: int) -> int:
        return 1 + length(x + dx, y + dy, dx, dy) if (x, y) in spots else 0

    ways = ((1, 0), (0, 1), (1, 1), (1, -1))
    return max(length(*spot, *way) for spot in spots for way in ways)


GRAVITY_CONNECT = GravityConnectType()
