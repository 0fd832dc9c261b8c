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
    "twice": "It threatens twice: {other} can only answer one, and the next turn wins.",
    "only": "Nothing else holds: after any other move {other} wins immediately, by {move} for one.",
    "blocks": "It blocks: otherwise {other} wins by {move}.",
    "threatens": "It threatens to win with the next turn: {other} has to answer.",
    "race": "It wins the race, in more turns than can be counted here.",
    "lasts": "Everything loses by now; this lasts longest.",
    "quiet": "It sets up what comes next: {player} stands at {share} %.",
}
