"""The rules of Gravity Warfare (docs/rules.md), applied to states of the game. A move is a number
that encodes the text of the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from tiltboard.games.gravity_warfare import apply, moves, turn_phases
from tiltboard.games.gravity_warfare.data import Options
from tiltboard.games.gravity_warfare.state import UNKNOWN, SeenTable, WarfareState
from tiltboard.games.rules import CHANCE, Rules
from tiltboard.ground.override import override


class WarfareRules(Rules):
    """The rules of Gravity Warfare for fixed options.

    ``moves`` omits sensor reports. Moves with random results (``chance:heroes``, ``chance:shuffle``
    and failures) are listed without these results. ``allows`` also accepts sensor reports and moves
    completed with random results.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.players = options.players

    def start(self) -> WarfareState:
        """Return the state at the start of a game. The next step gives out heroes or, in Simple
        mode, shuffles the cards.
        """
        state = WarfareState(options=self.options)
        state.points = [turn_phases.START_POINTS] * self.players
        turn_phases.begin_round(state, 0)
        if not self.options.simple:
            state.stage = "heroes"
        return state

    @override
    def moves(self, state: WarfareState) -> Sequence[int]:
        names = moves.legal_moves(state) if state.seen is None else state.seen.legal
        return [self.number(name) or 0 for name in names]

    @override
    def allows(self, state: WarfareState, move: int) -> bool:
        return moves.is_allowed(state, self.name(move))

    def apply(self, state: WarfareState, move: int) -> WarfareState:
        """Return a copy of the state after the move."""
        after = state.copy()
        apply.make(after, self.name(move))
        return after

    def result(self, state: WarfareState) -> tuple[int, ...] | None:
        """Return the numbers of the players with the most points, or None before the end of the
        game. The points of team partners are added.
        """
        if state.stage != "over":
            return None
        team = self.options.partners
        total = [sum(state.points[each] for each in team(player)) for player in range(self.players)]
        return tuple(player for player in range(self.players) if total[player] == max(total))

    def mover(self, state: WarfareState) -> int:
        """Return the number of the player who owns the current turn."""
        return state.owner

    def awaiting(self, state: WarfareState) -> tuple[int, ...]:
        """Return the seat numbers of the players who can act now, or CHANCE if dice or cards decide
        next. When hands are refilled, the owner of the turn comes first. Empty after the end of the
        game.
        """
        if state.stage == "over":
            return ()
        return (moves.awaited_seats(state) if state.seen is None else state.seen.awaited) or (
            CHANCE,
        )

    def key(self, state: WarfareState) -> int:
        """Return a number that identifies the state, regardless of the number of moves made."""
        parts = [repr(getattr(state, f.name)) for f in fields(state) if f.name not in _APART]
        return int.from_bytes("\n".join(parts).encode(), "big")

    def view(self, state: WarfareState, player: int) -> WarfareState:
        """Return the state as ``player`` sees it, or as spectators see it if ``player`` is below 0.

        The piles, other players' hands and drawn cards, and other players' unused heroes are
        replaced by ``?``. In Simple mode, all players can see all hands.
        """
        seen = state.copy()
        for other in state.players:
            if other != player and not state.options.simple:
                seen.hands[other] = (UNKNOWN,) * len(state.hands[other])
                if other in seen.heroes and other not in state.known_heroes:
                    seen.heroes[other] = UNKNOWN
        if state.drawer != player:
            seen.drawn = (UNKNOWN,) * len(state.drawn)
        seen.left = (UNKNOWN,) * len(state.left)
        seen.right_pile = (UNKNOWN,) * len(state.right_pile)
        if player >= 0:
            legal = tuple(moves.listed_of(state, player))
        else:
            legal = tuple(
                each for each in moves.legal_moves(state) if each.startswith(("chance:", "table:"))
            )
        seen.seen = SeenTable(legal, moves.awaited_seats(state))
        return seen


_APART = ("options", "turn", "seen")
