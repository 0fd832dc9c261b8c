"""What a fault is: how it comes, how it goes, and how it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Change = Callable[[Sequence[str]], None]
Proof = Callable[[Sequence[str]], bool]


@dataclass(frozen=True, slots=True)
class FaultKind:
    """``targets``: how many it takes. ``shows``: whether its effect can be seen now.
    ``momentary``: it happens, and is over.
    """

    targets: int
    what: str
    apply: Change
    undo: Change
    shows: Proof
    momentary: bool = False
