"""Finds the name that a misspelt name probably means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

PLAYERS = frozenset({"player", "next", "winner"})
"""Names of message parameters that contain a player's colour, such as "Red"."""
# Minimum length, in letters, at which the beginning of a name counts as close to the name.
MIN_BEGINNING = 3
# Minimum similarity of two names, as measured by difflib's ratio. A name with one wrong letter in
# five is similar enough, and a name with one wrong letter in four is not.
MIN_LIKENESS = 0.76


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the name in ``known`` that is closest to ``name``, or None if no name is close.

    Upper and lower case count as equal. A known name is close if it is similar to ``name``, if it
    has the same letters in another order, or if it is the only known name that begins with
    ``name``.
    """
    folded = {each.casefold(): each for each in known}
    wanted = name.casefold()
    begun = [each for each in folded if each.startswith(wanted)]
    mixed = [each for each in folded if sorted(each) == sorted(wanted)]
    if wanted in folded or (len(begun) == 1 and len(wanted) >= MIN_BEGINNING):
        return folded[wanted if wanted in folded else begun[0]]
    near = mixed or difflib.get_close_matches(wanted, folded, n=1, cutoff=MIN_LIKENESS)
    return folded[near[0]] if near else None
