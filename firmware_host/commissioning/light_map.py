"""Which light shone for which place, and what that says about the chain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from firmware_host.commissioning.findings import Finding, note, problem
from firmware_host.config.profile import Profile
from firmware_host.messages import text

NO_LIGHT = "none"


def find_order(profile: Profile, seen: Mapping[str, str]) -> tuple[int, ...] | None:
    """The light under each place, if the chain runs in any of the usual ways: from any corner,
    along rows or columns, to and fro or always the same way; None if it does not.

    ``seen``: place whose light the profile says was lit -> place where it was seen.
    """
    index = profile.places.index
    if NO_LIGHT in seen.values():
        return None
    for order in _orders(profile):
        if all(order[index(saw)] == profile.light_of(index(lit)) for lit, saw in seen.items()):
            return order
    return None


def _orders(profile: Profile) -> Iterator[tuple[int, ...]]:
    columns, rows = profile.columns, profile.rows
    for by_row, to_and_fro, from_east, from_north in product((True, False), *[(False, True)] * 3):
        chain = []
        for line in range(rows if by_row else columns):
            steps = range(columns if by_row else rows)
            for step in reversed(steps) if to_and_fro and line % 2 else steps:
                row, column = (line, step) if by_row else (step, line)
                row = rows - 1 - row if from_north else row
                column = columns - 1 - column if from_east else column
                chain.append(row * columns + column)
        at = {place: light for light, place in enumerate(chain)}
        yield tuple(at[place] for place in range(profile.size))


def judge(
    profile: Profile, seen: Mapping[str, str], light_at: Sequence[int], *, right: bool
) -> Iterator[Finding]:
    """``seen``: as for ``find_order``, of both ends of each row. ``light_at``: the order that was
    found; ``right``: with it, or from the first, the whole board was seen as it should be.
    """
    if right:
        if light_at:
            yield note(
                "lights",
                text("The chain of lights runs another way than the profile says."),
                text("It may stay so: the table lights the right places."),
            )
        return
    wrong = {name: saw for name, saw in seen.items() if saw != name}
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
    if not wrong and seen:
        yield problem(
            "lights",
            text("Both ends of every row shine, but not all lights between them."),
            text("Look for the light that is dark or has another colour, and replace it."),
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
