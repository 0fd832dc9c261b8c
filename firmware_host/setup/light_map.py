"""Which light shone for which place, and what that says about the chain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from firmware_host.messages import text
from firmware_host.profile import Profile, Ws2812Lights
from firmware_host.setup.findings import Finding, problem

NO_LIGHT = "none"


def judge(profile: Profile, seen: Mapping[str, str]) -> Iterator[Finding]:
    """``seen``: place whose light was switched on -> the place that was seen to shine, or none;
    of both ends of each row.
    """
    wrong = {name: saw for name, saw in seen.items() if saw != name}
    if not wrong:
        return
    mirrored = {profile.places[i]: profile.places[j] for i, j in _row_ends(profile)}
    if isinstance(profile.lights, Ws2812Lights) and wrong == mirrored:
        order = "rows" if profile.lights.order == "serpentine" else "serpentine"
        yield problem(
            "lights",
            text("Every second row runs the other way."),
            text('Set order = "{order}" under [lights] in the profile.', order=order),
        )
        return
    dark = [name for name, saw in wrong.items() if saw == NO_LIGHT]
    if dark:
        yield _dark(profile, list(seen), dark)
    elsewhere = [(name, saw) for name, saw in wrong.items() if saw != NO_LIGHT]
    if elsewhere:
        yield problem(
            "lights",
            text("Lights are elsewhere: {pairs}.", pairs=pairs(elsewhere)),
            text("Wire the chain as the wiring page's table of lights says, row by row."),
        )


def pairs(seen: Iterable[tuple[str, str]]) -> str:
    """What was asked for, and what was seen."""
    return ", ".join(f"{name} -> {saw}" for name, saw in seen)


def _dark(profile: Profile, seen: Sequence[str], dark: Sequence[str]) -> Finding:
    """Where the chain ends, if it does; else which lights are dark."""
    order = sorted(seen, key=lambda name: profile.light_of(profile.places.index(name)))
    first = min(order.index(name) for name in dark)
    measure = text(
        "DOUT of each light must reach DIN of the next. With a multimeter: 5 V across the first"
        " dark one."
    )
    if first and order[first:] == [name for name in order if name in dark]:
        return problem(
            "lights",
            text(
                "The chain of lights ends between {last} and {dark}.",
                last=order[first - 1],
                dark=order[first],
            ),
            measure,
        )
    return problem("lights", text("Dark: {places}.", places=", ".join(dark)), measure)


def _row_ends(profile: Profile) -> Iterator[tuple[int, int]]:
    """Both ends of every second row, and what shines there if rows run the other way."""
    columns = profile.columns
    for row in range(1, profile.rows, 2):
        west, east = row * columns, (row + 1) * columns - 1
        yield west, east
        yield east, west
