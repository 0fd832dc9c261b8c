"""Momentum as a game: places, moves and results by name, over ``core``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games.base import Credit, IllegalMoveError, OptionSpec, Outcome, RulesError, Shift, Turn
from games.momentum import options as momentum_options
from games.momentum.board import CUSHION, HOLE, Board
from games.momentum.core import COMPLETE, FULL, ROUND_LIMIT, Core, State
from games.momentum.options import Options

COLOURS = ("red", "blue", "white", "green")
SWAP = "swap"


class MomentumGame:
    """Momentum with its options fixed."""

    name = "momentum"

    def __init__(self, options: Options, board: Board) -> None:
        self.chosen = options
        self.layout = board
        self.core = Core(board, options.players, options.marbles, options.round_limit)
        self.index = {name: cell for cell, name in enumerate(board.cells)}
        self.board = board.places
        self.blocked = board.blocked
        self.players = COLOURS[: options.players]
        self.pieces = self.players

    @property
    def options(self) -> Mapping[str, Any]:
        """All options, defaults filled in; None where one is not set."""
        return self.chosen.as_json()

    def start(self) -> MomentumPosition:
        """The empty board."""
        return MomentumPosition(self, self.core.start())

    def names(self, cells: int) -> Iterator[str]:
        """The names of the cells whose bits are set, sorted by code point."""
        while cells:
            lowest = cells & -cells
            yield self.layout.cells[lowest.bit_length() - 1]
            cells ^= lowest


@dataclass(frozen=True)
class MomentumPosition:
    """One position. ``state`` is the same in bits."""

    game: MomentumGame
    state: State

    @property
    def to_move(self) -> str | None:
        """The player to move, or None once the game is over."""
        if self.state.ended:
            return None
        return self._mover

    @property
    def _mover(self) -> str:
        return self.game.players[self.state.turn % len(self.game.players)]

    @cached_property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""
        reason, game = self.state.ended, self.game
        boards = self.state.boards
        if reason is None:
            return None
        if reason == FULL:
            return Outcome(None, reason)
        if reason == COMPLETE:
            winner = (self.state.turn - 1) % len(boards)
            return self._won(winner, self._team(winner), reason)
        majority = self.state.occupied.bit_count() / 2
        for player, board in enumerate(boards):
            if board.bit_count() > majority:
                return self._won(player, self._team(player), ROUND_LIMIT)
        if game.chosen.players == 4:
            for player in (0, 1):
                team = self._team(player)
                if sum(boards[member].bit_count() for member in team) > majority:
                    return self._won(None, team, ROUND_LIMIT)
        return Outcome(None, ROUND_LIMIT)

    def _team(self, player: int) -> tuple[int, ...]:
        """The players who win together with ``player``: red and white, blue and green."""
        return (player % 2, player % 2 + 2) if self.game.chosen.players == 4 else (player,)

    def _won(self, winner: int | None, team: tuple[int, ...], reason: str) -> Outcome:
        players = self.game.players
        shown = team if winner is None else (winner,)
        cells = sum(self.state.boards[member] for member in shown)
        return Outcome(
            None if winner is None else players[winner],
            reason,
            tuple(players[member] for member in team) if len(players) == 4 else None,
            places=tuple(self.game.names(cells)),
        )

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """Occupied cells only -> colour, sorted by cell."""
        colours = zip(self.game.players, self.state.boards, strict=True)
        return dict(sorted((name, c) for c, board in colours for name in self.game.names(board)))

    @property
    def reserve(self) -> Mapping[str, int]:
        """Player -> marbles off the board."""
        marbles = self.game.core.marbles
        boards = zip(self.game.players, self.state.boards, strict=True)
        return {player: marbles - board.bit_count() for player, board in boards}

    def legal(self) -> tuple[str, ...]:
        """The cells to drop on, and ``swap`` where it may be used; sorted by code point."""
        drops = self.game.names(self._drops)
        return tuple(sorted([*drops, SWAP])) if self._may_swap else tuple(drops)

    @cached_property
    def _drops(self) -> int:
        """The cells on which the mover may drop."""
        if self.state.ended:
            return 0
        empty = self.game.core.open_cells & ~self.state.occupied
        if not self.game.chosen.must_block:
            return empty
        blocking = sum(1 << cell for cell in _bits(empty) if self._holds(cell))
        return blocking or empty

    def _holds(self, cell: int) -> bool:
        """Whether a drop there ends the game or leaves the next player no winning move (M8)."""
        after = self._after(cell)
        if after.state.ended:
            return True
        core, state = self.game.core, after.state
        following = state.turn % core.players
        last_turn = state.turn + 1 == core.last_turn
        if not last_turn and state.boards[following].bit_count() + 1 < core.marbles:
            return True
        return not any(
            after._wins(following, reply) for reply in _bits(core.open_cells & ~state.occupied)
        )

    def _wins(self, player: int, cell: int) -> bool:
        outcome = self._after(cell).outcome
        return outcome is not None and outcome.winner == self.game.players[player]

    def _after(self, cell: int) -> MomentumPosition:
        return MomentumPosition(self.game, self.game.core.advance(self.state, (cell,)))

    @property
    def _may_swap(self) -> bool:
        return self.game.chosen.pie and self.state.turn == 1 and not self.state.ended

    def play(self, move: str) -> Turn:
        """Drop on a cell, or ``swap``. Raises IllegalMoveError, naming the rule."""
        refusal = self._refusal(move)
        if refusal is not None:
            raise refusal
        game, player = self.game, self._mover
        if move == SWAP:
            (place, piece), *_ = self.cells.items()
            act = (Shift(piece, place, None), Shift(player, None, place))
            return Turn(SWAP, player, act, (), MomentumPosition(game, game.core.swap(self.state)))
        cell = game.index[move]
        consequences = tuple(
            Shift(self.cells[source], source, target) for source, target in self._pushes(cell)
        )
        return Turn(move, player, (Shift(player, None, move),), consequences, self._after(cell))

    def _pushes(self, cell: int) -> Iterator[tuple[str, str | None]]:
        names = self.game.layout.cells
        for source, target in self.game.core.effect(self.state.occupied, cell).pushes:
            yield (
                names[source.bit_length() - 1],
                names[target.bit_length() - 1] if target else None,
            )

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Why the player to move may not drop ``piece`` on ``place``; None if he may."""
        if not self.state.ended and piece != self._mover:
            return IllegalMoveError(
                "It is {player}'s turn, and only a {player} marble may be dropped.",
                player=self._mover,
            )
        return self._refusal(place, drop=True)

    def _refusal(self, move: str, *, drop: bool = False) -> IllegalMoveError | None:
        """Why ``move`` may not be played; with ``drop`` it is certainly a place."""
        game = self.game
        if self.state.ended:
            return IllegalMoveError("The game is over.")
        if move == SWAP and not drop:
            return self._swap_refusal()
        if game.blocked.get(move) == HOLE:
            return IllegalMoveError("{place} is a hole: no marble is dropped there.", place=move)
        if game.blocked.get(move) == CUSHION:
            return IllegalMoveError("{place} is a cushion: no marble is dropped there.", place=move)
        if move in game.chosen.missing:
            return IllegalMoveError("{place} is missing from this board.", place=move)
        if move not in game.index:
            return IllegalMoveError("{place} is not a cell of this board.", place=move)
        if move in self.cells:
            return IllegalMoveError(
                "{place} is not empty: a marble may only be dropped on an empty cell.", place=move
            )
        if not self._drops >> game.index[move] & 1:
            following = game.players[(self.state.turn + 1) % len(game.players)]
            return IllegalMoveError(
                "{place} lets {next} win at once: {player} must prevent that while he can.",
                place=move,
                next=following,
                player=self._mover,
            )
        return None

    def _swap_refusal(self) -> IllegalMoveError | None:
        if self._may_swap:
            return None
        if len(self.game.players) != 2:
            return IllegalMoveError("Swapping is for two players only.")
        if not self.game.chosen.pie:
            return IllegalMoveError("This game is played without swapping (pie=false).")
        return IllegalMoveError("Only the second player may swap, and only on the first turn.")


def _bits(cells: int) -> Iterator[int]:
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


class MomentumType:
    """Momentum before its options are chosen."""

    name = "momentum"
    credit = Credit(
        "Momentum",
        "Phil Leduc",
        2010,
        "Whoever programs or sells Momentum in any form is asked to contact its author, "
        "Phil Leduc, for permission.",
    )
    option_specs: Sequence[OptionSpec] = momentum_options.SPECS
    rules_summary = (
        "Take turns to drop one marble of your colour on any empty cell.",
        "The drop sends a shock in all directions. Wherever a marble lies next to it, the line of "
        "marbles that starts there passes the shock on, and its last marble rolls one cell "
        "further, whoever owns it. A marble that rolls off the board or into a hole goes back to "
        "its owner; one that lies against a cushion stays.",
        "Whoever has all his marbles on the board at the end of his own turn wins.",
        "Two players: on the first turn the second player may take over the marble that was "
        "dropped, with one of his own colour, in place of a drop.",
        "Three players: if you can, you must keep the next player from winning at once. Four "
        "players: red and white play together against blue and green; one complete set wins for "
        "both.",
        "If a number of rounds was agreed, whoever then holds more than half of the marbles on "
        "the board wins; otherwise it is a draw, as it is when no empty cell is left.",
    )

    def create(self, options: Mapping[str, Any]) -> MomentumGame:
        """Check ``options`` (JSON types) and fix them. Raises OptionError."""
        return MomentumGame(*momentum_options.read(options))

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Cells of a hexagon are ``q,r``."""
        return options.get("hex") is not None


MOMENTUM = MomentumType()
