"""Zones: parts of the plate in which a piece can be on any place. The module also finds the moves
that changes in the zones suggest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import hypot, pi

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.sight import Magnet, Sight, Stillness
from tiltboard.games.base import Game, Position
from tiltboard.games.seated import SeatedGame

# Name of every piece in a zone, because sensors detect that there is a piece, but not its kind.
PIECE = "piece"


class ZoneOverlay(Overlay):
    """The mapping of a game with private seats to a plate of any size. Places keep their plate
    names.
    """

    def __init__(self, profile: Profile, game: SeatedGame) -> None:
        # Overlay.__init__ is not called, because a zone has no fixed places and any magnet counts
        # as a piece.
        self.game = game
        self.places = profile.places
        self._piece_of = {Magnet.N_STRONG: PIECE}
        self._magnet_of = dict.fromkeys((*game.pieces, PIECE), Magnet.N_STRONG)
        self._last = None
        half_x, half_y = (profile.columns - 1) / 2, (profile.rows - 1) / 2
        zones: dict[str, list[tuple[float, str]]] = {zone: [] for zone in game.board}
        middle: list[tuple[float, str]] = []
        for index, place in enumerate(self.places):
            row, column = divmod(index, profile.columns)
            x, y = (column - half_x) / half_x, (row - half_y) / half_y
            away = hypot(x, y)
            zone = game.zone_at(x, y)
            (middle if zone is None else zones[zone]).append((away, place))
        self.zones: Mapping[str, tuple[str, ...]] = {
            zone: tuple(place for _, place in sorted(found)) for zone, found in zones.items()
        }
        """Zone -> places in the zone, nearest to the centre first."""
        self.zone_of = {place: zone for zone, found in self.zones.items() for place in found}
        """Place -> zone that contains the place."""
        self.middle = tuple(place for _, place in sorted(middle))
        """Places in no zone, nearest to the centre first."""
        self._index_of = {name: index for index, name in enumerate(self.places)}
        self.index_of_game_place = {
            zone: self._index_of[places[-1]] for zone, places in self.zones.items() if places
        }
        self._index_of |= self.index_of_game_place

    def magnets(self, cells: Mapping[str, str]) -> dict[int, Magnet]:
        """Return an empty mapping, because a piece can be on any place of its zone."""
        return {}


def overlay_for(profile: Profile, game: Game) -> Overlay:
    """Return the overlay of ``game``, which maps places of the plate to the game's places and
    pieces. Raises BoardDoesNotFitError.
    """
    return ZoneOverlay(profile, game) if isinstance(game, SeatedGame) else Overlay(profile, game)


TURNED_RAD = pi  # Minimum angle in radians by which the plate must turn to count as spun.
# Time in seconds after which a proposed move counts, if the sensors are certain of the move and no
# person objects.
REST_S = 3.0

Places = frozenset[str]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A move that waits for confirmation, in the game's notation."""

    move: str
    seen: bool
    """True if the sensors detected the move, False if a player asked for it."""
    since_s: float = 0.0
    """Time of the scan that detected the move, in seconds."""
    sure: bool = True
    """True if the move counts without confirmation, once ``REST_S`` seconds have passed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence from the sensors about moves that people made by hand. The function
    ``updated_evidence`` returns new evidence after each scan.
    """

    before: Places | None = None
    """Occupied places after the last change that was explained by a move, or None before the first
    scan.
    """
    now: Places | None = None
    """Occupied places in the last scan, or None if that scan was not readable."""
    proposal: Proposal | None = None
    explained: Places | None = None
    """Occupied places that will be the value of ``before`` if the proposed move is accepted, or
    None.
    """
    refused: Places | None = None
    """Occupied places in the scan whose proposed move people rejected, or None."""
    landed: bool = False
    """True if a piece has landed in a zone since the scan of ``before``. ``again``: True if that
    piece was then removed, so that the next proposed move is doubtful.
    """
    again: bool = False
    spin_rad: float | None = None
    """Angle of the plate in the first scan after the scan of ``before``, in radians. None if there
    has been no such scan yet.
    """

    def with_doubt(self) -> Evidence:
        """Return the evidence with its proposed move marked as doubtful. A doubtful move counts
        only if a person confirms it.
        """
        found = self.proposal
        return self if found is None else replace(self, proposal=replace(found, sure=False))

    def after_decline(self) -> Evidence:
        """Return the evidence after people have rejected the proposed move. No move is proposed
        until the occupied places change.
        """
        return replace(self, proposal=None, refused=self.now)


def updated_evidence(
    evidence: Evidence,
    sight: Sight,
    overlay: ZoneOverlay,
    position: Position,
    wish: str | None,
) -> Evidence:
    """Return the evidence after another scan. No move is proposed while the plate moves or a place
    cannot be read. ``wish``: the move that people must carry out, or None.
    """
    if not sight.ready or sight.faults or sight.stillness is not Stillness.STILL or sight.unsure:
        return evidence if evidence.now is None else replace(evidence, now=None, proposal=None)
    if evidence.spin_rad is None and sight.spin_rad is not None:
        evidence = replace(evidence, spin_rad=sight.spin_rad)
    now, before, game = frozenset(sight.cells), evidence.before, overlay.game
    if now == evidence.now:
        return evidence
    counts = _counts(overlay, now)
    if before is None or counts == game.standing(position):
        again = evidence.again or evidence.landed
        spin_rad = evidence.spin_rad
        return Evidence(now, now, landed=evidence.landed, again=again, spin_rad=spin_rad)
    evidence = replace(evidence, now=now, proposal=None)
    change = dict(counts)
    for zone, count in _counts(overlay, before).items():
        change[zone] = change.get(zone, 0) - count
    change = {zone: count for zone, count in change.items() if count}
    if not change:
        return replace(evidence, again=evidence.again or evidence.landed)
    began_rad, now_rad = evidence.spin_rad, sight.spin_rad
    turned = None  # True if the plate was spun, or None if unknown.
    if began_rad is not None and now_rad is not None:
        turned = abs(now_rad - began_rad) >= TURNED_RAD
    refused = now == evidence.refused
    found = None if refused else game.witnessed(position, change, wish, turned)
    if found is None:
        return evidence
    there = {each for each in now | before if overlay.zone_of.get(each) in found.zones}
    return replace(
        evidence,
        proposal=Proposal(found.move, True, sight.time_s, found.sure and not evidence.again),
        explained=(before - there) | (now & there),
        landed=True,
    )


def _counts(overlay: ZoneOverlay, places: Places) -> Counter[str]:
    """Return the number of occupied ``places`` in each zone. Places in the middle belong to no zone
    and are not counted.
    """
    return Counter(overlay.zone_of[place] for place in places if place in overlay.zone_of)
