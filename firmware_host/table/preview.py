"""Plain values for a page: what a move would do, and what lies on a simulated plate."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

import msgspec

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.commands import HandsCommand
from tiltboard.games.base import Position, Shift, Turn

MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class Preview:
    """``act`` and ``consequences``: as in ``tiltboard.games.base.Turn``. ``reasons``: why the first
    few consequences come about. ``ends``: the game is over then; ``winner``: whoever has won it.
    """

    move: str
    act: tuple[Shift, ...]
    consequences: tuple[Shift, ...]
    reasons: tuple[Message, ...]
    ends: bool = False
    winner: str | None = None


def preview(position: Position, move: str) -> Preview:
    """Carry ``move`` out in thought: one move, in the time that a move takes.

    Raises IllegalMoveError, naming the rule.
    """
    turn = position.play(move)
    outcome = turn.position.outcome
    return Preview(
        move,
        turn.act,
        turn.consequences,
        reasons(turn),
        outcome is not None,
        None if outcome is None else outcome.winner,
    )


def reasons(turn: Turn) -> tuple[Message, ...]:
    """Why the first few consequences of ``turn`` come about."""
    why = (turn.position.game.why(turn, shift) for shift in turn.consequences[:MOST_REASONS])
    return tuple(Message(template, params) for template, params in why if template)


# What lies on a plate whose pieces a page can move, and what can be broken there


class BreakableInfo(msgspec.Struct, frozen=True):
    """A fault that this table can have, by name and in words. ``count``: how many targets it takes;
    ``choices``: what they may be, places of the plate where it is empty.
    """

    fault: str
    said: Message
    count: int
    choices: list[str]


class BrokenInfo(msgspec.Struct, frozen=True):
    """A fault that somebody has injected."""

    fault: str
    targets: list[str]


class LoosePiece(msgspec.Struct, frozen=True):
    """A piece as it lies, where that is known (a table whose pieces the page can move).

    ``x_mm`` east and ``y_mm`` north of the plate's centre, ``z_mm`` above its surface.
    """

    id: int
    piece: str
    x_mm: float
    y_mm: float
    z_mm: float


class PoseFrame(msgspec.Struct, frozen=True):
    """Plate and pieces at one time, as they lean: for pictures, where that is known.

    ``attitude_rad``: of the plate about east, north and its own axis, in that order. ``pieces``:
    number of a loose piece -> x, y, z of its middle in mm in the plate's axes, above its surface,
    and its turn as a quaternion w, x, y, z.
    """

    time_s: float
    attitude_rad: tuple[float, float, float]
    pieces: dict[int, list[float]]


class HandsPort(Protocol):
    """Hands for a table whose pieces the page can move. All but ``do``: in the table's thread."""

    @property
    def pegs(self) -> bool:
        """Whether tiles slide between pegs, inside a wall, on the board of the game."""

    def loose(self) -> Sequence[LoosePiece]:
        """Every piece on or above the plate as it lies now."""

    def poses(self) -> PoseFrame:
        """Plate and pieces as they lean now."""

    def breakable(self) -> Sequence[BreakableInfo]:
        """Every fault that it can have."""

    def broken(self) -> Sequence[BrokenInfo]:
        """The faults that it has."""

    def do(self, command: HandsCommand) -> Future[None]:
        """Have it done; resolved when the hand has done it and left. What no hand can do (no such
        piece, an occupied place, an empty tray) is a NotPossibleError.
        """
