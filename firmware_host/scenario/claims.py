"""Whether what an ``expect`` claims is so, and what is there instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from drivers.errors import TiltboardError
from firmware_host.messages import Message, text
from firmware_host.messages.hints import nearest
from firmware_host.scenario import steps as s
from firmware_host.table.standing import Phase, Role
from games.base import Outcome


class UnknownNameError(TiltboardError, LookupError):
    """A scenario names a place, piece or player that this game does not have."""


@dataclass(frozen=True, slots=True)
class TableView:
    """What can be seen of the table from outside.

    ``cells``: what perception sees; ``lights``: place -> role, dark places left out; ``say``:
    English; ``places``, ``pieces``, ``players``: every name that exists, to refuse misspelt ones.
    """

    time_s: float
    phase: Phase
    to_move: str | None
    cells: Mapping[str, str]
    lights: Mapping[str, Role]
    say: str
    outcome: Outcome | None
    places: Collection[str]
    pieces: Collection[str]
    players: Collection[str]


def holds(claim: s.Claim, view: TableView) -> bool:
    """Whether ``claim`` is so. Raises UnknownNameError for names that do not exist."""
    match claim:
        case s.ExpectPhase(phase):
            return view.phase is phase
        case s.ExpectToMove(player):
            if player is not None:
                _known("player", player, view.players)
            return view.to_move == player
        case s.ExpectResult(result):
            if result not in ("draw", "none"):
                _known("player", result, view.players)
            return _result(view.outcome) == result
        case s.ExpectCells(cells):
            for place, piece in cells:
                _known("place", place, view.places)
                if piece != "empty":
                    _known("piece", piece, view.pieces)
            return all(view.cells.get(place, "empty") == piece for place, piece in cells)
        case s.ExpectLight(place, role):
            _known("place", place, view.places)
            return view.lights.get(place, Role.OFF) is role
        case s.ExpectLights(role, places):
            for place in places:
                _known("place", place, view.places)
            return _with_role(view, role) == set(places)
        case s.ExpectSay(wanted):
            return wanted.casefold() in view.say.casefold()


def describe(claim: s.Claim, view: TableView, within_s: float | None = None) -> Message:
    """``expected ..., but ...`` for a claim that does not hold, or has not by its deadline."""
    expected, found = _expected_and_found(claim, view)
    if within_s is None:
        return text("expected {expected}, but {found}", expected=expected, found=found)
    return text(
        "expected {expected} within {seconds} s, but {found}",
        expected=expected,
        seconds=f"{within_s:g}",
        found=found,
    )


def _expected_and_found(claim: s.Claim, view: TableView) -> tuple[Message, Message]:
    match claim:
        case s.ExpectPhase(phase):
            return text("phase {phase}", phase=phase), text(
                "it is {found}: {say}", found=view.phase, say=view.say
            )
        case s.ExpectToMove(player):
            return text("to-move {player}", player=player or "none"), _it_is(view.to_move or "none")
        case s.ExpectResult(result):
            return text("result {result}", result=result), _it_is(_result(view.outcome))
        case s.ExpectCells(cells):
            wrong = [
                f"{place}={view.cells.get(place, 'empty')}"
                for place, piece in cells
                if view.cells.get(place, "empty") != piece
            ]
            expected = " ".join(f"{place}={piece}" for place, piece in cells)
            return text("cells {expected}", expected=expected), text(
                "there is {wrong}", wrong=" ".join(wrong)
            )
        case s.ExpectLight(place, role):
            return text("light {place} {role}", place=place, role=role), _it_is(
                view.lights.get(place, Role.OFF)
            )
        case s.ExpectLights(role, places):
            with_role = _with_role(view, role)
            lit = " ".join(place for place in view.places if place in with_role) or "none"
            named = " ".join(places) or "none"
            return text("lights {role} exactly on {expected}", role=role, expected=named), text(
                "it is on {found}", found=lit
            )
        case s.ExpectSay(wanted):
            return text("the table to say {wanted!r}", wanted=wanted), text(
                "it says {found!r}", found=view.say
            )


def _it_is(found: str) -> Message:
    return text("it is {found}", found=found)


def _with_role(view: TableView, role: Role) -> set[str]:
    if role is Role.OFF:
        return set(view.places) - set(view.lights)
    return {place for place, lit in view.lights.items() if lit is role}


def _result(outcome: Outcome | None) -> str:
    if outcome is None:
        return "none"
    return outcome.winner or "draw"


def _known(what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        raise UnknownNameError(
            "There is no {what} {name!r} here; {hint}",
            what=what,
            name=name,
            hint=nearest(name, names),
        )
