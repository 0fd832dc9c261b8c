"""Attraktion as a game: places, moves and results by name, over ``core``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games.attraktion.core import NO_PIECES, POSITIONS, Core, State
from games.base import Credit, IllegalMoveError, OptionSpec, Outcome, RulesError, Shift, Turn
from games.option_values import checked
from games.squares import bits

PLAYERS = ("white", "black")

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec("size", "int", "Rows and columns of the board; 8 is for learners.", 10, 1, 26),
    OptionSpec("pieces", "int", "Pieces of each player; else half the spaces each.", None, 1),
)


class AttraktionGame:
    """Attraktion with its options fixed."""

    name = "attraktion"
    players = PLAYERS
    pieces = PLAYERS
    blocked: Mapping[str, str] = {}

    def __init__(self, size: int, pieces: int) -> None:
        self.options: Mapping[str, Any] = {"size": size, "pieces": pieces}
        self.core = Core(size, pieces)
        self.board = {name: self.core.point(name) for name in sorted(self.core.index)}

    def start(self) -> AttraktionPosition:
        """The empty board."""
        return AttraktionPosition(self, self.core.start())

    def spaces(self, numbers: int) -> tuple[str, ...]:
        """The names of the spaces whose bits are set, sorted by code point."""
        return tuple(sorted(self.core.names[at] for at in bits(numbers)))


@dataclass(frozen=True)
class AttraktionPosition:
    """One position. ``state`` is the same in bits."""

    game: AttraktionGame
    state: State

    @property
    def to_move(self) -> str | None:
        """The player to move, or None once the game is over."""
        return None if self.state.ended else self._mover

    @property
    def _mover(self) -> str:
        return PLAYERS[self.state.turn % 2]

    @cached_property
    def winning_positions(self) -> Mapping[str, tuple[str, ...]]:
        """Player -> his pieces that have opposing ones on all four diagonal spaces (RULES A3)."""
        found = self.game.core.winning(self.state)
        return {p: self.game.spaces(m) for p, m in zip(PLAYERS, found, strict=True)}

    @cached_property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on.

        ``extra``: ``positions``, both players' winning positions; ``places``: all of them.
        """
        if self.state.ended is None:
            return None
        white, black = (self.winning_positions[player] for player in PLAYERS)
        winner = None
        if self.state.ended == POSITIONS:
            winner = PLAYERS[len(white) < len(black)]
        return Outcome(
            winner,
            self.state.ended,
            extra={"positions": {p: list(found) for p, found in self.winning_positions.items()}},
            places=tuple(sorted(white + black)),
        )

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """Occupied spaces only -> colour, sorted by space."""
        owned = zip(PLAYERS, self.game.core.sides(self.state), strict=True)
        return dict(sorted((name, player) for player, b in owned for name in self.game.spaces(b)))

    @property
    def reserve(self) -> Mapping[str, int]:
        """Player -> pieces not yet placed."""
        pieces, turn = self.game.core.pieces, self.state.turn
        return {"white": pieces - (turn + 1) // 2, "black": pieces - turn // 2}

    def legal(self) -> tuple[str, ...]:
        """The empty spaces, sorted by code point."""
        if self.state.ended:
            return ()
        return tuple(name for name in self.game.board if name not in self.cells)

    def play(self, move: str) -> Turn:
        """Place a piece and let it attract. Raises IllegalMoveError, naming the rule."""
        refusal = self._refusal(move)
        if refusal is not None:
            raise refusal
        core, player = self.game.core, self._mover
        drop = core.index[move]
        names = ((core.names[a], core.names[b]) for a, b in core.pulled(self.state, drop))
        consequences = tuple(Shift(self.cells[a], a, b) for a, b in names)
        after = AttraktionPosition(self.game, core.advance(self.state, (drop,)))
        return Turn(move, player, (Shift(player, None, move),), consequences, after)

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Why the player to move may not place ``piece`` on ``place``; None if he may."""
        if not self.state.ended and piece != self._mover:
            return IllegalMoveError(
                "It is {player}'s turn, and only a {player} piece may be placed.",
                player=self._mover,
            )
        return self._refusal(place)

    def _refusal(self, move: str) -> IllegalMoveError | None:
        if self.state.ended == NO_PIECES:
            return IllegalMoveError("The game is over: no piece is left to place.")
        if self.state.ended:
            return IllegalMoveError("The game is over.")
        if move not in self.game.board:
            return IllegalMoveError("{place} is not a space of this board.", place=move)
        if move in self.cells:
            return IllegalMoveError(
                "{place} is not empty: a piece may only be placed on an empty space.", place=move
            )
        return None


class AttraktionType:
    """Attraktion before its options are chosen."""

    name = "attraktion"
    credit = Credit("Attraktion", "Jaroslaw Cichocki", 2005)
    option_specs: Sequence[OptionSpec] = SPECS
    rules_summary = (
        "Take turns to place one piece of your colour on any empty space.",
        "The new piece then attracts: along its row and its column, from the nearest piece "
        "outward, every piece of either colour moves one space toward it, unless that space is "
        "taken. One that has just moved leaves room for the next.",
        "A winning position is a piece with opposing pieces on all four spaces diagonally next to "
        "it. What stands beside it does not matter, and positions may share pieces.",
        "After every turn both sides' winning positions are counted, and whoever has more wins, "
        "even on the other's turn. While they are equal the game goes on.",
        "It is a draw when the board is full, or when the player to move has no piece left.",
    )

    def create(self, options: Mapping[str, Any]) -> AttraktionGame:
        """Check ``options`` (JSON types) and fix them. Raises OptionError."""
        values = checked("Attraktion", SPECS, options)
        size: int = values.get("size", 10)
        return AttraktionGame(size, values.get("pieces", (size * size + 1) // 2))

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Spaces are ``a1``."""
        return False


ATTRAKTION = AttraktionType()
