"""What the table believes that hands have done: one proposal at a time, for people to accept."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from firmware_host.perception.observation import Stillness
from firmware_host.room.zones import ZoneOverlay
from firmware_host.table.sight import Sight
from games.base import Position
from games.seated import SeatedGame

REST_S = 3.0  # after which what was seen counts, where nobody says otherwise


@dataclass(frozen=True, slots=True)
class Proposal:
    """``move``: in the game's words. ``seen``: by the sensors, so that it counts after a while of
    rest; else a computer player would like it to be done. ``since_s``: of that rest.
    """

    move: str
    seen: bool
    since_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Witness:
    """What the sensors tell of one placement: the places that were occupied before it, and the
    proposal that follows. One value a step, replaced by ``looked``.
    """

    before: AbstractSet[str] | None = None
    proposal: Proposal | None = None


def looked(
    witness: Witness, sight: Sight, overlay: ZoneOverlay, game: SeatedGame, position: Position
) -> Witness:
    """After another scan. One piece that has come to rest where none was, while nothing else
    changed its place, is proposed; whatever else happens is for people to tell.
    """
    if not sight.ready or sight.faults or sight.stillness is not Stillness.STILL or sight.unsure:
        proposal = witness.proposal
        return replace(witness, proposal=None if proposal is None or proposal.seen else proposal)
    now = sight.cells.keys()
    if witness.before is None:
        return Witness(frozenset(now))
    come = now - witness.before
    if len(come) != 1 or witness.before - now:
        return Witness(witness.before)
    zone = next((zone for zone, places in overlay.zones.items() if come <= set(places)), None)
    move = None if zone is None else game.landed(position, zone)
    if move is None:
        return Witness(witness.before)
    if witness.proposal is not None and witness.proposal.move == move:
        return witness
    return Witness(witness.before, Proposal(move, seen=True, since_s=sight.time_s))
