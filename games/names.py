"""Finds the name that a misspelt one probably means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

PLAYERS = frozenset({"player", "next", "winner"})
"""Fields of a sentence that name a player by colour: "Red"."""
MIN_BEGINNING = 3  # letters
MIN_LIKENESS = 0.76  # difflib's ratio: one wrong letter of five is near, one of four is not


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the one of ``known`` that is nearest to ``name``, or None if none is near.

    Case does not count. Also near are the same letters in another order, and the beginning of just
    one known name.
    """
    folded = {each.casefold(): each for each in known}
    wanted = name.casefold()
    begun = [each for each in folded if each.startswith(wanted)]
    mixed = [each for each in folded if sorted(each) == sorted(wanted)]
    if wanted in folded or (len(begun) == 1 and len(wanted) >= MIN_BEGINNING):
        return folded[wanted if wanted in folded else begun[0]]
    near = mixed or difflib.get_close_matches(wanted, folded, n=1, cutoff=MIN_LIKENESS)
    return folded[near[0]] if near else None
