"""Why a move is good, in the words of a game: templates by kind, for hints.

``{player}`` makes the move, ``{other}`` is who is next; ``{move}``: the one it is about;
``{turns}``: of the winner; ``{share}``: per cent of the game. What a kind means is proven or
counted by the rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Kind = Literal["wins", "wins-in", "twice", "only", "blocks", "threatens", "race", "lasts", "quiet"]
"""It ends the game; wins in ``turns`` whatever the other does; wins with the next turn
whatever he does; alone does not let him win at once; prevents his ``move``, that most others allow;
leaves him few answers to a win; wins by force, in more turns than are counted; loses like all
others, but last; or none of that is known, and ``share`` is what he may expect."""
KINDS: tuple[Kind, ...] = get_args(Kind)

REASONS: Mapping[str, str] = {
    "wins": "It wins at once.",
    "wins-in": "It wins in {turns} turns, whatever {other} does.",
    "twice": "It threatens twice: {other} can only answer one, and the next turn wins.",
    "only": "Nothing else holds: after any other move {other} wins at once, by {move} for one.",
    "blocks": "It blocks: otherwise {other} wins by {move}.",
    "threatens": "It threatens to win with the next turn: {other} has to answer.",
    "race": "It wins the race, in more turns than can be counted here.",
    "lasts": "Everything loses by now; this lasts longest.",
    "quiet": "It sets up what comes next: {player} stands at {share} %.",
}
