"""Options in JSON types checked against their specifications, for every game."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from games.base import OptionError, OptionSpec

MOST = 1_000_000_000  # of a number without a limit of its own


def checked(title: str, specs: Iterable[OptionSpec], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given: each known, of its type and within its range.

    An option that is None counts as not given; defaults are *not* filled in. Lists of places become
    sorted tuples; whether they are places of the board is *not* checked. ``title`` names the game
    in the error. Raises OptionError.
    """
    known = {spec.name: spec for spec in specs}
    values = {}
    for name, value in given.items():
        if name not in known:
            raise OptionError(
                "{title} has no option {name}; it has: {known}.",
                title=title,
                name=name,
                known=", ".join(known),
            )
        if value is not None:
            values[name] = _checked(known[name], value)
    return values


def _checked(spec: OptionSpec, value: Any) -> Any:
    """``value`` if it has the option's type and range; lists of places become sorted tuples."""
    if spec.kind == "bool":
        if not isinstance(value, bool):
            raise OptionError("{name} must be true or false.", name=spec.name)
        return value
    if spec.kind == "int":
        low = -MOST if spec.low is None else spec.low
        high = MOST if spec.high is None else spec.high
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise OptionError(
                "{label}: a whole number from {low} to {high}.",
                label=spec.label or spec.name,  # what players call it
                name=spec.name,
                low=low,
                high=high,
            )
        return value
    if spec.kind == "choice" or (spec.kind == "board" and isinstance(value, str)):
        if value not in spec.choices:
            raise OptionError(
                "There is no {name} {value}; there are: {known}.",
                name=spec.name,
                value=value,
                known=", ".join(spec.choices),
            )
        return value
    if spec.kind == "board":
        if not isinstance(value, Mapping):
            raise OptionError("{name} must be a name or an object.", name=spec.name)
        return value
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or not all(isinstance(place, str) for place in value)
    ):
        raise OptionError("{name} must be a list of places.", name=spec.name)
    return tuple(sorted(set(value)))


def json_object(name: str, text: str) -> Any:
    """``text`` read as JSON. Raises OptionError, with the option's ``name``, where it is not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OptionError("{name} is not JSON: {why}.", name=name, why=error) from None
