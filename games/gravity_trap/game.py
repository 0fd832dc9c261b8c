"""Gravity Trap as a game: places, moves and results by name, over ``core``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games.base import Credit, IllegalMoveError, OptionSpec, Outcome, RulesError, Shift, Turn
from games.gravity_trap import curves
from games.gravity_trap import options as gravity_trap_options
from games.gravity_trap.board import Board, Point
from games.gravity_trap.core import Core, State
from games.gravity_trap.options import NO_COPY, Options

POD = "pod"
STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A board as a page draws it; x to the east and y to the north, in places from ``a1``.

    ``tracks``: cubic Bezier curves, each a first point and then two control points and an end for
    every segment. ``hole``: its middle, if there is one.
    """

    tracks: tuple[tuple[Point, ...], ...]
    hole: Point | None
    title: str


class GravityTrapGame:
    """Gravity Trap with its options fixed."""

    name = "gravity-trap"
    players = ("red", "blue")
    pieces = (*players, POD)
    blocked: Mapping[str, str] = {}

    def __init__(self, options: Options, board: Board) -> None:
        self.chosen = options
        self.layout = board
        self.core = Core(board, no_copy=options.mirror == NO_COPY)
        self.names = tuple(str(base) for base in board.bases)
        self.index = dict(sorted((name, number) for number, name in enumerate(self.names)))
        self.board = {str(base): place for base, place in sorted(board.positions.items())}

    @property
    def options(self) -> Mapping[str, Any]:
        """All options, defaults filled in; ``board`` is a name, or the board itself."""
        return self.chosen.as_json()

    @cached_property
    def drawing(self) -> Drawing:
        """Tracks as smooth curves."""
        board = self.layout
        return Drawing(
            tuple(
                curves.through([board.positions[base] for base in track]) for track in board.tracks
            ),
            board.hole,
            board.title,
        )

    def start(self) -> GravityTrapPosition:
        """The empty board."""
        return GravityTrapPosition(self, self.core.start())


@dataclass(frozen=True)
class GravityTrapPosition:
    """One position. ``state`` is the same for the core."""

    game: GravityTrapGame
    state: State

    @property
    def to_move(self) -> str | None:
        """The player to move, or None once the game is over."""
        return None if self.state.winner is not None else self._mover

    @property
    def _mover(self) -> str:
        return self.game.players[self.state.turn % 2]

    @cached_property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on.

        ``margin``: the pods that the winner's ship can still reach in one move. ``places``: his
        ship and those pods.
        """
        winner = self.state.winner
        if winner is None:
            return None
        within = self._named(self.game.core.reach(self.state, winner))
        ship = self.game.names[self.state.ships[winner]]
        return Outcome(
            self.game.players[winner],
            STUCK,
            extra={"margin": len(within)},
            places=(ship, *within),
        )

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """Occupied bases only -> ship or pod, sorted by code point."""
        ships = dict(zip(self.state.ships, self.game.players, strict=False))
        pods = self.state.pods
        return {
            name: ships.get(base, POD)
            for name, base in self.game.index.items()
            if base in ships or pods >> base & 1
        }

    @property
    def reserve(self) -> Mapping[str, int]:
        """Nothing: no piece comes from a reserve after the set-up."""
        return {}

    @cached_property
    def _legal(self) -> tuple[str, ...]:
        if self.state.winner is not None:
            return ()
        return self._named(self.game.core.open(self.state))

    def legal(self) -> tuple[str, ...]:
        """The bases to place the ship on, or to move it to; sorted by code point."""
        return self._legal

    def _named(self, bases: int) -> tuple[str, ...]:
        return tuple(name for name, base in self.game.index.items() if bases >> base & 1)

    def play(self, move: str) -> Turn:
        """Place the ship on the base ``move``, or move it there.

        A hand lifts the ship, knocks the pod away and lands the ship on its base, so both belong to
        the act; ``path`` is the way along a track. After the second ship, the pods come from the
        box. Raises IllegalMoveError.
        """
        refusal = self._refusal(move)
        if refusal is not None:
            raise refusal
        game, ship, before = self.game, self._mover, self.state
        after = GravityTrapPosition(game, game.core.advance(before, (game.index[move],)))
        consequences: tuple[Shift, ...] = ()
        path: tuple[str, ...] = ()
        if before.turn < 2:
            act: tuple[Shift, ...] = (Shift(ship, None, move),)
            consequences = tuple(
                Shift(POD, None, name) for name, piece in after.cells.items() if piece == POD
            )
        else:
            source = game.names[before.ships[before.turn % 2]]
            act = (Shift(ship, source, move), Shift(POD, move, None))
            path = self._path(source, move)
        return Turn(move, ship, act, consequences, after, path)

    def _path(self, source: str, target: str) -> tuple[str, ...]:
        """The bases from ``source`` to ``target`` along the track that passes the fewest."""
        first, last = int(source), int(target)
        ways = []
        for track in self.game.layout.tracks:
            if first in track and last in track:
                start, end = track.index(first), track.index(last)
                ways.append(track[start : end + 1] if start < end else track[end : start + 1][::-1])
        return tuple(str(base) for base in min(ways, key=len))

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Why the player to move may not put ``piece`` on ``place``; None if he may."""
        if self.state.winner is None and piece != self._mover:
            if piece == POD:
                return IllegalMoveError("Pods stay where they are until a ship lands on them.")
            return IllegalMoveError(
                "It is {player}'s turn: only the {player} ship may be moved.", player=self._mover
            )
        return self._refusal(place)

    def _refusal(self, move: str) -> IllegalMoveError | None:
        """Why ``move`` may not be played."""
        state, core = self.state, self.game.core
        if state.winner is not None:
            return IllegalMoveError("The game is over.")
        if move not in self.game.index:
            return IllegalMoveError("{place} is not a base of this board.", place=move)
        if move in self._legal:
            return None
        base, ships = self.game.index[move], state.ships
        if state.turn < 2:
            return IllegalMoveError(
                "Base {place} is taken: a ship starts on a free base.", place=move
            )
        mine, other = ships[state.turn % 2], ships[1 - state.turn % 2]
        if base == mine:
            return IllegalMoveError(
                "The {player} ship is on base {place} already: it must move to another base.",
                player=self._mover,
                place=move,
            )
        if base == other:
            return IllegalMoveError(
                "A ship may not land on the other ship, which is on base {place}.", place=move
            )
        if not core.near[mine] >> base & 1:
            return IllegalMoveError(
                "No track joins bases {source} and {place}: a ship stays on one track.",
                source=self.game.names[mine],
                place=move,
            )
        if not state.pods >> base & 1:
            return IllegalMoveError(
                "There is no pod on base {place}: a ship may only land on a pod.", place=move
            )
        return IllegalMoveError(
            "Base {place} is opposite to the move just made: the player who began opposite may "
            "not copy every move, unless it is the only one (mirror=no-copy).",
            place=move,
        )


class GravityTrapType:
    """Gravity Trap before its options are chosen."""

    name = "gravity-trap"
    credit = Credit(
        "Gravity Trap",
        "Mike McManaway",
        2008,
        "The drawing of the printed board is not in its rules: the board used here is our own "
        "reconstruction. Owners of a printed board can enter theirs.",
    )
    option_specs: Sequence[OptionSpec] = gravity_trap_options.SPECS
    rules_summary = (
        "Red puts a ship on any base, then blue on another. A pod goes on every other base, and "
        "red begins.",
        "In your turn, fly your ship along one of the tracks through its base to a pod on that "
        "track. You may fly over pods, empty bases and the other ship, but not change the track "
        "on the way. The pod that you land on is knocked into the hole.",
        "If your ship has landed where it can reach no pod any more, you have lost. If it can, "
        "and the other ship cannot, you have won. The winner counts the pods that his ship can "
        "still reach.",
        "Whoever starts second on the base opposite to the other ship may not simply copy every "
        "move on the opposite side; a copy that is the only move is allowed. As soon as one move "
        "was different, everything is free.",
    )

    def create(self, options: Mapping[str, Any]) -> GravityTrapGame:
        """Check ``options`` (JSON types) and fix them. Raises OptionError."""
        return GravityTrapGame(*gravity_trap_options.read(options))

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Bases are numbers."""
        return False


GRAVITY_TRAP = GravityTrapType()
