"""What hands seem to have done, from where on the platform something came, went or slid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from games.gravity_warfare.data import ZONES
from games.gravity_warfare.moves import SEEING, awaited, listed_of
from games.gravity_warfare.table import State, Tower
from games.seated import Witnessed


def witnessed(s: State, change: Mapping[str, int], wish: str | None) -> Witnessed | None:
    """The move that fits, where one does. ``change``: zone -> how many towers more stand there.
    ``wish``: what was to be done, where somebody has said so. What is put on a tower nobody feels.
    """
    came = [zone for zone, count in change.items() if count > 0]
    went = [zone for zone, count in change.items() if count < 0]
    if s.phase == "place":
        return _placed(s, change, came, went, wish)
    if s.phase in ("take", "event") and not came and [change[zone] for zone in went] == [-1]:
        taken = [move for move in _hopeful(s) if _zone_of(move) == went[0]]
        return _only(taken, wish)
    if s.phase in SEEING:
        return _slid(s, change, came, went)
    return None


def _hopeful(s: State) -> list[str]:
    """What hands may do now, but failing."""
    mine = (move.split(":") for move in listed_of(s, awaited(s)[0]))
    deeds = (words for words in mine if words[1] in ("place", "take", "event"))
    return [":".join(words) for words in deeds if words[2] != "fail"]


def _zone_of(move: str) -> str:
    words = move.split(":")
    return words[{"place": 4, "take": 2, "event": 3}[words[1]]]


def _only(meant: list[str], wish: str | None) -> Witnessed | None:
    if wish in meant and wish is not None:
        return Witnessed(wish, ZONES)
    return Witnessed(meant[0], ZONES) if len(meant) == 1 else None


def _placed(
    s: State, change: Mapping[str, int], came: list[str], went: list[str], wish: str | None
) -> Witnessed | None:
    """What was seen of a placement: it holds, even where another piece slid; or something fell."""
    on_surface = [move for move in _hopeful(s) if ":under=" not in move]
    landed = [zone for zone in came if any(_zone_of(move) == zone for move in on_surface)]
    if len(landed) == 1 and sum(change.values()) == 1:
        found = _only([m for m in on_surface if _zone_of(m) == landed[0]], wish)
        return found and Witnessed(found.move, (landed[0],), sure=change[landed[0]] == 1)
    if not went or len(landed) > 1 or [change[zone] for zone in came] != [1] * len(landed):
        return None
    meant = [m for m in on_surface if not landed or _zone_of(m) == landed[0]]
    found = _only(meant, wish)
    fell = _gone(s, change, went)
    if found is None or fell is None:
        return None
    who, _, _, pieces, zone = found.move.split(":")
    names = [f"{piece}@{at}" for at, towers in fell.items() for t in towers for piece in _names(t)]
    if not landed:
        names = [*pieces.split("+"), *names]
    sure = bool(landed) and all(len(fell[at]) == len(s.zones[at]) for at in went)
    return Witnessed(f"{who}:place:fail:{pieces}:{zone}:fell={'+'.join(names)}", ZONES, sure=sure)


def _gone(
    s: State, change: Mapping[str, int], went: Iterable[str]
) -> dict[str, list[Tower]] | None:
    """The towers that left these zones: the newest, as nobody sees which."""
    found = {}
    for zone in went:
        towers = s.zones.get(zone, ())
        if len(towers) < -change[zone]:
            return None
        found[zone] = list(towers[change[zone] :])
    return found


def _slid(
    s: State, change: Mapping[str, int], came: list[str], went: list[str]
) -> Witnessed | None:
    """Between placements: a tower slid to another zone, or something fell at no one's cost."""
    gone = _gone(s, change, went)
    one_way = len(went) == len(came) == 1 and sum(change.values()) == 0
    if not went or gone is None or (came and not one_way):
        return None
    stands = {zone: list(s.zones.get(zone, ())) for zone in (*went, *came)}
    for zone, towers in gone.items():
        stands[zone] = stands[zone][: -len(towers)]
        for each in came:
            stands[each] += towers
    said = [f"{zone}={'/'.join(map(_said, stands[zone]))}" for zone in sorted(stands)]
    return Witnessed(":".join(["table", "see", *said]), ZONES, sure=False)


def _names(tower: Tower) -> list[str]:
    return [piece.name for piece in tower]


def _said(tower: Tower) -> str:
    return "+".join(_names(tower))
