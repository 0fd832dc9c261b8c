"""Finds the name that a misspelt name probably means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

PLAYERS = frozenset({"player", "next", "winner"})
"""Parameters of messages that contain a player's colour, such as "Red"."""
MIN_BEGINNING = 3  # Minimum number of letters of a beginning that counts as close to a name.
# Minimum similarity by difflib's ratio: one wrong letter of five is close, one of four is not.
MIN_LIKENESS = 0.76


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the name in ``known`` that is closest to ``name``, or None if no name is close.

    Upper and lower case are equal. A known name is close if it has the same letters in another
    order, or if ``name`` is the beginning of this known name and no other.
    """
    folded = {each.casefold(): each for each in known}
    wanted = name.casefold()
    begun = [each for each in folded if each.startswith(wanted)]
    mixed = [each for each in folded if sorted(each) == sorted(wanted)]
    if wanted in folded or (len(begun) == 1 and len(wanted) >= MIN_BEGINNING):
        return folded[wanted if wanted in folded else begun[0]]
    near = mixed or difflib.get_close_matches(wanted, folded, n=1, cutoff=MIN_LIKENESS)
    return folded[near[0]] if near else None
