"""Momentum as a game: places, moves and results by name, over ``core``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True)
class MomentumPosition:
    """One position. ``state`` is the same for the core."""

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
        """The result, or None while the game goes on.

        At the round limit in teams, a player who alone holds more than half is the winner; else
        the team that does has won, decided by none of its players (our reading of RULES M5, M8).
        """
        reason, held = self.state.ended, self.state.held
        if reason is None:
            return None
        if reason == FULL:
            return Outcome(None, reason)
        if reason == COMPLETE:
            winner = (self.state.turn - 1) % len(held)
            return self._won(winner, self._team(winner), reason)
        majority = sum(held) / 2
        for player, count in enumerate(held):
            if count > majority:
                return self._won(player, self._team(player), ROUND_LIMIT)
        for team in {self._team(player) for player in range(len(held))}:
            if sum(held[member] for member in team) > majority:
                return self._won(None, team, ROUND_LIMIT)
        return Outcome(None, ROUND_LIMIT)

    def _team(self, player: int) -> tuple[int, ...]:
        """The players who win together with ``player``: red and white, blue and green."""
        return (player % 2, player % 2 + 2) if self.game.chosen.players == 4 else (player,)

    def _won(self, winner: int | None, team: tuple[int, ...], reason: str) -> Outcome:
        players = self.game.players
        shown = {players[member] for member in (team if winner is None else (winner,))}
        return Outcome(
            None if winner is None else players[winner],
            reason,
            tuple(players[member] for member in team) if len(players) == 4 else None,
            places=tuple(place for place, colour in self.cells.items() if colour in shown),
        )

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """Occupied cells only -> colour, sorted by code point."""
        return {
            name: self.game.players[cell - 1]
            for name, index in self.game.core.index.items()
            if isinstance(cell := self.state.cells[index], int) and cell
        }

    @property
    def reserve(self) -> Mapping[str, int]:
        """Player -> marbles off the board. The mover always has one: a set without a reserve was
        completed by its owner's own turn, which ended the game.
        """
        marbles = self.game.core.marbles
        held = zip(self.game.players, self.state.held, strict=True)
        return {player: marbles - count for player, count in held}

    def legal(self) -> tuple[str, ...]:
        """The cells to drop on, and ``swap`` where it may be used; sorted by code point."""
        return tuple(sorted([*self._drops, SWAP])) if self._may_swap else self._drops

    @cached_property
    def _drops(self) -> tuple[str, ...]:
        """The cells on which the mover may drop."""
        if self.state.ended:
            return ()
        empty = self._empty
        if not self.game.chosen.must_block:
            return empty
        return tuple(place for place in empty if self._after(place)._is_safe) or empty

    @property
    def _empty(self) -> tuple[str, ...]:
        cells = self.state.cells
        return tuple(name for name, index in self.game.core.index.items() if not cells[index])

    @property
    def _is_safe(self) -> bool:
        """Whether the game is over, or the player to move has no winning move (RULES M8)."""
        core, state = self.game.core, self.state
        if state.ended:
            return True
        player = state.turn % core.players
        if state.held[player] + 1 < core.marbles and state.turn + 1 != core.last_turn:
            return True
        return not any(self._after(place)._winner == self._mover for place in self._empty)

    @property
    def _winner(self) -> str | None:
        return None if self.outcome is None else self.outcome.winner

    def _after(self, place: str) -> MomentumPosition:
        core = self.game.core
        return MomentumPosition(self.game, core.advance(self.state, (core.index[place],)))

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
        after = self._after(move)
        names = game.core.names
        consequences = tuple(
            Shift(
                self.cells[names[source]], names[source], None if target is None else names[target]
            )
            for source, target in game.core.pushes(self.state, after.state, game.core.index[move])
        )
        return Turn(move, player, (Shift(player, None, move),), consequences, after)

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
        if move not in game.core.index:
            return IllegalMoveError("{place} is not a cell of this board.", place=move)
        if move in self.cells:
            return IllegalMoveError(
                "{place} is not empty: a marble may only be dropped on an empty cell.", place=move
            )
        if move not in self._drops:
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
