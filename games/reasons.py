"""Reasons for hints why a move is good, as templates by kind.

``{player}`` makes the move, ``{other}`` moves next; ``{move}``: the move in question; ``{turns}``:
turns until the win; ``{share}``: expected share of the game in per cent. The rules alone prove or
count what a kind means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Kind = Literal["wins", "wins-in", "twice", "only", "blocks", "threatens", "race", "lasts", "quiet"]
"""In order: the move ends the game; wins in ``turns`` whatever the other player does; wins with
the next turn whatever they do; is the only one that does not let them win at once; prevents their
``move``, which most others allow; leaves them few answers to a win; wins by force, in more turns
than are counted; loses as late as possible; or none of that is known, and ``share`` is expected."""
KINDS: tuple[Kind, ...] = get_args(Kind)

REASONS: Mapping[str, str] = {
    "wins": "It wins immediately.",
    "wins-in": "It wins in {turns} turns, whatever {other} does.",
    "twice": "It threatens twice. {other} can only answer one.",
    "only": "Nothing else stops {other}. One threat is {move}.",
    "blocks": "Otherwise {other} wins with {move}.",
    "threatens": "It threatens to win next turn, so {other} has to answer.",
    "race": "It wins by force, but not soon.",
    "lasts": "Every move loses. This takes the longest.",
    "quiet": "It prepares the next turns. The chances are {share} %.",
}
