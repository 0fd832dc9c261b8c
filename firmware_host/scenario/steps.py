"""What a line of a scenario can be: actions, and claims that an ``expect`` makes."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.table.standing import Phase, Role

SHORT_PRESS_S = 0.15


@dataclass(frozen=True, slots=True)
class NewGame:
    """``game NAME [KEY=VALUE...]``; ``by_hand`` when ``setup by-hand`` is the next step."""

    game: str
    options: tuple[str, ...]
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class SetupByHand:
    """``setup by-hand``: carried out by the ``game`` step before it."""


@dataclass(frozen=True, slots=True)
class Put:
    """``put PIECE PLACE [at DX DY]``, off centre by mm."""

    piece: str
    place: str
    offset_mm: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Take:
    """``take PLACE``."""

    place: str


@dataclass(frozen=True, slots=True)
class Move:
    """``move FROM TO``: lift, carry, put."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Slide:
    """``slide FROM TO``: without lifting."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Knock:
    """``knock PLACE...``: those pieces jump a place aside."""

    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tilt:
    """``tilt X Y [for D]`` in degrees about x and y; without ``for`` it is kept."""

    x_deg: float
    y_deg: float
    for_s: float | None = None


@dataclass(frozen=True, slots=True)
class Press:
    """``press BUTTON [D]``."""

    button: str
    held_s: float = SHORT_PRESS_S


@dataclass(frozen=True, slots=True)
class Answer:
    """``answer VALUE``, to a question that the table asks."""

    value: str


@dataclass(frozen=True, slots=True)
class Wait:
    """``wait D``."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class Bump:
    """``bump``: somebody knocks against the table."""


@dataclass(frozen=True, slots=True)
class Kill:
    """``kill``: the service dies at once and starts again."""


@dataclass(frozen=True, slots=True)
class PowerCut:
    """``power-cut``: the whole table loses power, chips included, and gets it back."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``fault NAME [TARGET...] [for D]``."""

    name: str
    targets: tuple[str, ...]
    for_s: float | None = None


@dataclass(frozen=True, slots=True)
class Heal:
    """``heal NAME [TARGET...]``."""

    name: str
    targets: tuple[str, ...]


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


Action = (
    NewGame
    | SetupByHand
    | Put
    | Take
    | Move
    | Slide
    | Knock
    | Tilt
    | Press
    | Answer
    | Wait
    | Bump
    | Kill
    | PowerCut
    | Fault
    | Heal
    | Expect
)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario."""

    line: int
    text: str
    action: Action
