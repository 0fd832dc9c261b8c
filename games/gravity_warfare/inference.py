"""Infers players' moves from towers of pieces that appear, disappear or slide on the platform."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tiltboard.games.gravity_warfare.data import ZONES
from tiltboard.games.gravity_warfare.moves import SEEING, awaited_seats, failing, listed_of
from tiltboard.games.gravity_warfare.state import Tower, WarfareState, spelt
from tiltboard.games.seated import Witnessed


def witnessed(s: WarfareState, change: Mapping[str, int], wish: str | None) -> Witnessed | None:
    """Return the only move that explains a change of the platform. Return None if no move explains
    the change, or if several moves do.

    ``change`` maps each zone to the change in its number of towers. ``wish`` is the move that the
    player intends, if known. The sensors do not detect pieces that are put on a tower.
    """
    came = [zone for zone, count in change.items() if count > 0]
    went = [zone for zone, count in change.items() if count < 0]
    if s.phase == "place":
        return _placement_move(s, change, came, went, wish)
    if s.phase in ("take", "event") and not came and [change[zone] for zone in went] == [-1]:
        return _only([move for move, zone in _hopeful(s).items() if zone == went[0]], wish)
    if s.phase in SEEING:
        return _slide_move(s, change, came, went)
    return None


def _hopeful(s: WarfareState) -> dict[str, str]:
    """Return each move that does not report a failure, with the zone in which the move changes the
    platform.
    """
    at = {"place": 4, "take": 2, "event": 3}
    mine = ((move, move.split(":")) for move in listed_of(s, awaited_seats(s)[0]))
    deeds = ((move, words) for move, words in mine if words[1] in at and words[2] != "fail")
    return {move: words[at[words[1]]] for move, words in deeds}


def _only(meant: list[str], wish: str | None) -> Witnessed | None:
    if wish in meant and wish is not None:
        return Witnessed(wish, ZONES)
    return Witnessed(meant[0], ZONES) if len(meant) == 1 else None


def _placement_move(
    s: WarfareState, change: Mapping[str, int], came: list[str], went: list[str], wish: str | None
) -> Witnessed | None:
    """Return the move that explains the change as a placement. Either the placed piece stays on the
    platform, even if another piece slid, or the placement fails. Return None if no move, or more
    than one move, explains the change.
    """
    on_surface = {move: zone for move, zone in _hopeful(s).items() if ":under=" not in move}
    landed = [zone for zone in came if zone in on_surface.values()]
    if len(landed) > 1:
        return None
    meant = [move for move, zone in on_surface.items() if not landed or zone == landed[0]]
    found = _only(meant, wish)
    if landed and sum(change.values()) == 1:
        return found and Witnessed(found.move, (landed[0],), sure=change[landed[0]] == 1)
    if found is None or not went or [change[zone] for zone in came] != [1] * len(landed):
        return None
    fell = _gone(s, change, went)
    if fell is None:
        return None
    names = [f"{piece.name}@{at}" for at, towers in fell.items() for t in towers for piece in t]
    if not landed:
        names = [*found.move.split(":")[3].split("+"), *names]
    sure = bool(landed) and all(len(fell[at]) == len(s.zones[at]) for at in went)
    return Witnessed(f"{failing(found.move)}:fell={'+'.join(names)}", ZONES, sure=sure)


def _gone(
    s: WarfareState, change: Mapping[str, int], went: Iterable[str]
) -> dict[str, list[Tower]] | None:
    """Return the towers that left the platform, by zone. Return None if a zone had too few towers.
    The newest towers of a zone are assumed to have left.
    """
    found = {}
    for zone in went:
        towers = s.zones.get(zone, ())
        if len(towers) < -change[zone]:
            return None
        found[zone] = list(towers[change[zone] :])
    return found


def _slide_move(
    s: WarfareState, change: Mapping[str, int], came: list[str], went: list[str]
) -> Witnessed | None:
    """Return the move that reports that a tower slid to another zone, or fell although no piece was
    being placed. Return None if the change has another cause.
    """
    gone = _gone(s, change, went)
    one_way = len(went) == len(came) == 1 and sum(change.values()) == 0
    if not went or gone is None or (came and not one_way):
        return None
    stands = {zone: list(s.zones.get(zone, ())) for zone in (*went, *came)}
    for zone, towers in gone.items():
        stands[zone] = stands[zone][: -len(towers)]
        for each in came:
            stands[each] += towers
    said = [f"{zone}={'/'.join(map(spelt, stands[zone]))}" for zone in sorted(stands)]
    return Witnessed(":".join(["table", "see", *said]), ZONES, sure=False)
