"""Which sensor answered on which place, and what that says about the wires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firmware_host.messages import text
from firmware_host.profile import DualSwitchHall, MatrixHall, MuxAdcHall, NodeHall, Profile
from firmware_host.setup.findings import Finding, note, problem
from firmware_host.setup.wires import MUX_INPUTS, measure, wire_of

FEWEST = 4  # places that must agree before a whole cable is blamed


def judge(profile: Profile, answers: Mapping[int, tuple[int | None, bool]]) -> Iterator[Finding]:
    """``answers``: place of the piece -> the place that reacted (None: none), and whether it read
    south. A piece with its south pole down was asked for.
    """
    names = profile.places
    cables = _exchanged_cables(profile, answers)
    for one, other in cables:
        yield _exchanged(profile, one, other)
    told: set[int] = set()
    for place, (reacted, _) in answers.items():
        if reacted is None:
            yield problem(
                "sensors",
                text("{place} does not react.", place=names[place]),
                measure(profile, place),
            )
        elif (
            reacted != place
            and place not in told
            and not _by_cable(profile, place, reacted, cables)
        ):
            back = answers.get(reacted, (None, False))[0] == place
            told |= {place, reacted} if back else {place}
            if back:
                yield _swapped(profile, min(place, reacted), max(place, reacted))
            else:
                yield _elsewhere(profile, place, reacted)
    yield from _poles(profile, answers)


def _swapped(profile: Profile, one: int, other: int) -> Finding:
    return problem(
        "sensors",
        text(
            "The wires of {one} and {other} are swapped.",
            one=profile.places[one],
            other=profile.places[other],
        ),
        text(
            "Exchange them: {one} goes to {wire}, {other} to {wire_too}.",
            one=profile.places[one],
            wire=wire_of(profile, one),
            other=profile.places[other],
            wire_too=wire_of(profile, other),
        ),
    )


def _elsewhere(profile: Profile, place: int, reacted: int) -> Finding:
    return problem(
        "sensors",
        text(
            "A piece on {place} is read on {there}.",
            place=profile.places[place],
            there=profile.places[reacted],
        ),
        text(
            "The wire of {place} goes to {wire}.",
            place=profile.places[place],
            wire=wire_of(profile, place),
        ),
    )


def odd_poles(answers: Mapping[int, tuple[int | None, bool]]) -> list[int]:
    """Places whose sensors saw the other pole than most."""
    seen = {place: south for place, (reacted, south) in answers.items() if reacted is not None}
    mostly_south = _mostly_south(answers)
    return [place for place, south in seen.items() if south is not mostly_south]


def _mostly_south(answers: Mapping[int, tuple[int | None, bool]]) -> bool:
    seen = [south for reacted, south in answers.values() if reacted is not None]
    return 2 * sum(seen) >= len(seen)


def _poles(profile: Profile, answers: Mapping[int, tuple[int | None, bool]]) -> Iterator[Finding]:
    for place in odd_poles(answers):
        yield problem(
            "sensors",
            text("{place} sees the other pole than the rest.", place=profile.places[place]),
            text("Its sensor looks down: turn it over. (Or the piece was turned over there.)"),
        )
    if not _mostly_south(answers):
        yield note(
            "sensors",
            text("The piece read north everywhere."),
            text("It stood with its north pole down; if not, all sensors look down."),
        )


def _exchanged(profile: Profile, one: int, other: int) -> Finding:
    match profile.hall:
        case DualSwitchHall(addresses=addresses):
            return problem(
                "sensors",
                text("Rows {one} and {other} are exchanged.", one=one + 1, other=other + 1),
                text(
                    "Exchange their cables, or the address jumpers of their MCP23017: row {one} is"
                    " read at {address:#04x}, row {other} at {address_too:#04x}.",
                    one=one + 1,
                    other=other + 1,
                    address=addresses[one],
                    address_too=addresses[other],
                ),
            )
        case MatrixHall(row_pins=pins):
            return problem(
                "sensors",
                text("Rows {one} and {other} are exchanged.", one=one + 1, other=other + 1),
                text(
                    "Exchange their wires: row {one} goes to GPIO{pin}, row {other} to"
                    " GPIO{pin_too}.",
                    one=one + 1,
                    other=other + 1,
                    pin=pins[one],
                    pin_too=pins[other],
                ),
            )
    return problem(
        "sensors",
        text("Multiplexers {one} and {other} are exchanged.", one=one, other=other),
        text(
            "Exchange the wires from their common pins to the converter: multiplexer {one} goes"
            " to CH{one}, {other} to CH{other}.",
            one=one,
            other=other,
        ),
    )


def _cable(profile: Profile, place: int) -> tuple[int, int]:
    """What a place shares with others (multiplexer, or row), and its wire of that."""
    shared = MUX_INPUTS if isinstance(profile.hall, MuxAdcHall | NodeHall) else profile.columns
    return divmod(place, shared)


def _exchanged_cables(
    profile: Profile, answers: Mapping[int, tuple[int | None, bool]]
) -> list[tuple[int, int]]:
    """Pairs of multiplexers, or rows, of which each answers for the other."""
    moved: dict[tuple[int, int], int] = {}
    stayed: set[int] = set()
    for place, (reacted, _) in answers.items():
        if reacted is not None:
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
