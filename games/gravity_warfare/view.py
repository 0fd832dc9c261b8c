"""What a player may see: the public part of a state, and his own."""

from __future__ import annotations

from dataclasses import dataclass

from games.gravity_warfare import moves
from games.gravity_warfare.table import UNKNOWN, State


@dataclass(frozen=True)
class View:
    """``table``: the state with everything else ``?``. ``legal``: his own moves. ``awaited``: who
    is, by seat.
    """

    table: State
    legal: tuple[str, ...]
    awaited: tuple[int, ...]

    @property
    def turn(self) -> int:
        """Moves made."""
        return self.table.turn


def view_of(state: State, player: int) -> View:
    """As ``player`` sees it; below 0: as everybody does.

    Others' hands and cards drawn, and heroes of theirs that were never used, are ``?``; in Simple
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
    return View(seen, legal, moves.awaited(state))
