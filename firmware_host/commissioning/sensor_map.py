"""Which input answered for which place, and what that says about the wires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firmware_host.commissioning.findings import Finding, note, problem
from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.wires import MUX_INPUTS, measure, wire_of
from firmware_host.config.profile import Profile
from firmware_host.config.wiring import MuxAdcHall, NodeHall
from firmware_host.messages import Message, text

FEWEST = 4  # places that must agree before a whole cable is blamed
MAPPED = text("It may stay so: the table knows it now.")


def judge(profile: Profile, progress: Progress) -> Iterator[Finding]:
    """What is wired otherwise than the profile says, and is mapped; and what does not answer."""
    names = profile.places
    wires = progress.inputs
    cables = _crossed_cables(profile, wires)
    for one, other in cables:
        yield note("sensors", _crossed(profile, one, other), MAPPED)
    told: set[int] = set()
    for place, wire in sorted(wires.items()):
        if wire == place or place in told or _by_cable(profile, place, wire, cables):
            continue
        if wires.get(wire) == place:
            told.add(wire)
            swapped = text(
                "The wires of {one} and {other} are swapped.", one=names[place], other=names[wire]
            )
            yield note("sensors", swapped, MAPPED)
        else:
            elsewhere = text(
                "{place} is read at {wire}, which is {there}'s.",
                place=names[place],
                wire=wire_of(profile, wire),
                there=names[wire],
            )
            yield note("sensors", elsewhere, MAPPED)
    for place in sorted(progress.broken):
        found = text("{place} does not react, or reads nonsense.", place=names[place])
        yield problem("sensors", found, measure(profile, place))
    down = upside_down(profile, progress)
    if down and len(down) == len(progress.own_mt):
        yield note(
            "sensors",
            text("Every sensor looks down. The table knows it now."),
            text("If none does, the piece stood with its north pole down: tiltboard calibrate"),
        )
        return
    for place in down:
        yield note("sensors", text("The sensor of {place} looks down.", place=names[place]), MAPPED)


def upside_down(profile: Profile, progress: Progress) -> list[int]:
    """Places that see the other pole than the one that is there."""
    up = 1.0 if profile.capabilities.measures else -1.0  # switches see the north pole first
    return [place for place, mt in sorted(progress.own_mt.items()) if mt * up < 0]


def _crossed(profile: Profile, one: int, other: int) -> Message:
    if isinstance(profile.hall, MuxAdcHall | NodeHall):
        return text("Multiplexers {one} and {other} are exchanged.", one=one, other=other)
    return text("Rows {one} and {other} are exchanged.", one=one + 1, other=other + 1)


def _cable(profile: Profile, place: int) -> tuple[int, int]:
    """What a place shares with others (multiplexer, or row), and its wire of that."""
    shared = MUX_INPUTS if isinstance(profile.hall, MuxAdcHall | NodeHall) else profile.columns
    return divmod(place, shared)


def _crossed_cables(profile: Profile, wires: Mapping[int, int]) -> list[tuple[int, int]]:
    """Pairs of multiplexers, or rows, of which each answers for the other."""
    moved: dict[tuple[int, int], int] = {}
    stayed: set[int] = set()
    for place, reacted in wires.items():
        (home, wire), (there, wire_there) = _cable(profile, place), _cable(profile, reacted)
        if home == there:
            stayed.add(home)
        elif wire == wire_there:
            moved[home, there] = moved.get((home, there), 0) + 1
    return [
        (home, there)
        for (home, there), count in moved.items()
        if home < there
        and min(count, moved.get((there, home), 0)) >= FEWEST
        and not {home, there} & stayed
    ]


def _by_cable(profile: Profile, place: int, reacted: int, cables: list[tuple[int, int]]) -> bool:
    (home, wire), (there, wire_there) = _cable(profile, place), _cable(profile, reacted)
    return tuple(sorted((home, there))) in cables and wire == wire_there
