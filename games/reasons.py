"""Message templates for hints, which explain why a move is good.

The templates have these parameters. ``{player}`` makes the move, and ``{other}`` moves next.
``{move}`` is the move that the text mentions, and ``{turns}`` is the number of turns until the win.
``{share}`` is the player's expected score in percent. Each kind of reason is proven or counted from
the rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Kind = Literal["wins", "wins-in", "twice", "only", "blocks", "threatens", "race", "lasts", "quiet"]
"""The kinds of reasons, in order of precedence. ``wins``: the move ends the game. ``wins-in``: the
player wins in ``turns`` turns whatever the other player does. ``twice``: the player wins in the
next turn whatever the other player does. ``only``: every other move lets the other player win
immediately. ``blocks``: the move prevents the other player's winning ``move``, which most other
moves allow. ``threatens``: the other player has few answers to a threat to win. ``race``: the
player wins by force, but in more turns than the search counts. ``lasts``: every move loses, and
this move loses as late as possible. ``quiet``: nothing is proven, and ``share`` is the expected
score.
"""
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
