"""What a line of a scenario can be: what is asked of the table, and what an ``expect`` claims."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.table.commands import Answer, Deed, NewGame
from firmware_host.table.standing import Phase, Role


@dataclass(frozen=True, slots=True)
class SetupByHand:
    """``setup by-hand``: the ``game`` step before it leaves the set-up to the steps."""


@dataclass(frozen=True, slots=True)
class Wait:
    """``wait D``."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class Kill:
    """``kill``: the service dies at once and starts again."""


@dataclass(frozen=True, slots=True)
class PowerCut:
    """``power-cut``: the whole table loses power, chips included, and gets it back."""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """``meanwhile STEP``: one hand begins it, and the next step is the other hand's, at once."""

    deed: Deed


@dataclass(frozen=True, slots=True)
class ExpectPhase:
    """``phase PHASE``."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class ExpectToMove:
    """``to-move PLAYER|none``."""

    player: str | None


@dataclass(frozen=True, slots=True)
class ExpectResult:
    """``result PLAYER|draw|none``."""

    result: str


@dataclass(frozen=True, slots=True)
class ExpectCells:
    """``cells PLACE=PIECE|empty...``; only the places named are checked."""

    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExpectLight:
    """``light PLACE ROLE``."""

    place: str
    role: Role


@dataclass(frozen=True, slots=True)
class ExpectLights:
    """``lights ROLE PLACE...``: exactly these have that role."""

    role: Role
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpectSay:
    """``say "..."``: part of the guidance text, case ignored."""

    text: str


Claim = (
    ExpectPhase | ExpectToMove | ExpectResult | ExpectCells | ExpectLight | ExpectLights | ExpectSay
)


@dataclass(frozen=True, slots=True)
class Expect:
    """``expect [within D] CLAIM``."""

    claim: Claim
    within_s: float | None = None


Action = NewGame | Answer | Deed | Meanwhile | SetupByHand | Wait | Kill | PowerCut | Expect


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario."""

    line: int
    text: str
    action: Action
