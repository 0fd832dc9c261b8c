"""Gravity Warfare's rules (docs/rules.md) on states; a move is its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from tiltboard.games.gravity_warfare import apply, moves, turn_phases
from tiltboard.games.gravity_warfare.data import Options
from tiltboard.games.gravity_warfare.state import UNKNOWN, SeenTable, WarfareState
from tiltboard.games.rules import CHANCE, Rules
from tiltboard.ground.override import override


class WarfareRules(Rules):
    """The rules with options fixed. ``moves`` lists only the stems of moves that people and chance
    complete (``chance:heroes``, ``chance:shuffle``, failures without what fell) and no sensed
    changes; ``allows`` accepts the whole moves too.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.players = options.players

    def start(self) -> WarfareState:
        """Return the state in which heroes are given out, or cards are shuffled."""
        state = WarfareState(options=self.options)
        state.points = [turn_phases.START_POINTS] * self.players
        turn_phases.begin_round(state, 0)
        if not self.options.simple:
            state.stage = "heroes"
        return state

    @override
    def moves(self, state: WarfareState) -> Sequence[int]:
        names = moves.listed(state) if state.seen is None else state.seen.legal
        return [self.number(name) or 0 for name in names]

    @override
    def allows(self, state: WarfareState, move: int) -> bool:
        return moves.allowed(state, self.name(move))

    def apply(self, state: WarfareState, move: int) -> WarfareState:
        """Return a changed copy of the state."""
        after = state.copy()
        apply.make(after, self.name(move))
        return after

    def result(self, state: WarfareState) -> tuple[int, ...] | None:
        """Return the players with most points; a team's points are added."""
        if state.stage != "over":
            return None
        team = self.options.partners
        total = [sum(state.points[each] for each in team(player)) for player in range(self.players)]
        return tuple(player for player in range(self.players) if total[player] == max(total))

    def mover(self, state: WarfareState) -> int:
        """Return the owner of the turn."""
        return state.owner

    def awaiting(self, state: WarfareState) -> tuple[int, ...]:
        """Return the awaited players by seat (in a refill the owner first), or chance."""
        if state.stage == "over":
            return ()
        return (moves.awaited(state) if state.seen is None else state.seen.awaited) or (CHANCE,)

    def key(self, state: WarfareState) -> int:
        """Return a key of the whole state except its number of moves."""
        parts = [repr(getattr(state, f.name)) for f in fields(state) if f.name not in _APART]
        return int.from_bytes("\n".join(parts).encode(), "big")

    def view(self, state: WarfareState, player: int) -> WarfareState:
        """Return what ``player`` may see, or what everybody may see if ``player`` is below 0.

        Others' hands and drawn cards, and their heroes that were never used, are ``?``; in Simple
        mode hands are open.
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
                each for each in moves.listed(state) if each.startswith(("chance:", "table:"))
            )
        seen.seen = SeenTable(legal, moves.awaited(state))
        return seen


_APART = ("options", "turn", "seen")
