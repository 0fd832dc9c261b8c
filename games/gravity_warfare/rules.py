"""Gravity Warfare's rules (WARFARE) on states; a move is its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from games.gravity_warfare import flow, making, moves
from games.gravity_warfare.data import Options
from games.gravity_warfare.table import State
from games.gravity_warfare.view import View, view_of
from games.rules import CHANCE, Rules

Seen = State | View


class WarfareRules(Rules):
    """The rules with options fixed. ``moves`` lists all but what people and chance make up: the
    stems ``chance:heroes`` and ``chance:shuffle``, without what falls and what witnesses see;
    ``allows`` knows those too.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.players = options.players

    def start(self) -> State:
        """Heroes are given out, or cards are shuffled."""
        state = State(self.options)
        state.points = [flow.START_POINTS] * self.players
        flow.begin_round(state, 0)
        if not self.options.simple:
            state.stage = "heroes"
        return state

    def moves(self, state: Seen) -> Sequence[int]:
        """As the contract's ``legal``."""
        names = state.legal if isinstance(state, View) else moves.listed(state)
        return [self.number(name) or 0 for name in names]

    def allows(self, state: State, move: int) -> bool:
        """Whether a move is legal, with arguments that cannot be listed."""
        return moves.allowed(state, self.name(move))

    def apply(self, state: State, move: int) -> State:
        """A copy, after the move."""
        after = state.copy()
        making.make(after, self.name(move))
        return after

    def result(self, state: Seen) -> tuple[int, ...] | None:
        """The players with most points; a team's points are added."""
        table = table_of(state)
        if table.stage != "over":
            return None
        team = self.options.partners
        total = [sum(table.points[each] for each in team(player)) for player in range(self.players)]
        return tuple(player for player in range(self.players) if total[player] == max(total))

    def mover(self, state: Seen) -> int:
        """The owner of the turn."""
        return table_of(state).owner

    def awaiting(self, state: Seen) -> tuple[int, ...]:
        """Players by seat (the owner first where hands are refilled), or chance."""
        if table_of(state).stage == "over":
            return ()
        if isinstance(state, View):
            return state.awaited or (CHANCE,)
        return moves.awaited(state) or (CHANCE,)

    def key(self, state: State) -> int:
        """A key of all that a state is, except how many moves it took."""
        parts = [repr(getattr(state, f.name)) for f in fields(state) if f.name not in _APART]
        return int.from_bytes("\n".join(parts).encode(), "big")

    def view(self, state: State, player: int) -> View:
        """Public things, and his own."""
        return view_of(state, player)


_APART = ("options", "turn")


def table_of(state: Seen) -> State:
    """The state, or as much of it as a view shows."""
    return state.table if isinstance(state, View) else state
