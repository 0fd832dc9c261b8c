"""The built-in games, and the games that installed packages add.

A package adds a game through an entry point in the group ``tiltboard.games``. The entry point
refers to a ``tiltboard.games.base.GameType``. A game that cannot be used is omitted and does not
affect other games. ``BROKEN`` contains the reason for each omitted game.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

from tiltboard.games.base import BrokenGameError, Credit, GameType, RulesError, UnknownGameError
from tiltboard.games.names import closest
from tiltboard.ground.plugins import PluginError, load_entry_point

GROUP = "tiltboard.games"
BUILT_IN = {
    "momentum": "tiltboard.games.momentum.game:MOMENTUM",
    "attraktion": "tiltboard.games.attraktion.game:ATTRAKTION",
    "gravity-connect": "tiltboard.games.gravity_connect.game:GRAVITY_CONNECT",
    "gravity-trap": "tiltboard.games.gravity_trap.game:GRAVITY_TRAP",
}


def load(point: EntryPoint) -> GameType:
    """Load the game of an entry point. Raises BrokenGameError with the fault in one line."""
    try:
        return load_entry_point(point, lambda kind: _check_kind(point.name, kind))
    except PluginError as error:
        raise BrokenGameError(
            "The game {name} ({source}) cannot be used: {why}. Update or uninstall its package.",
            name=point.name,
            source=point.value,
            why=error.why,
        ) from error


def _check_kind(name: str, kind: object) -> GameType:
    """Return ``kind`` if it is a usable game with the given name. Raises PluginError with the
    reason if not.
    """
    if not isinstance(kind, GameType):
        raise PluginError(f"it is a {type(kind).__name__}, not a tiltboard.games.base.GameType")
    if kind.name != name:
        raise PluginError(f"its own name is {kind.name}")
    if not isinstance(kind.credit, Credit):
        raise PluginError("its credit is not a tiltboard.games.base.Credit")
    for part in ("option_specs", "presets", "rules_summary"):
        tuple(getattr(kind, part))
    _ = kind.at_the_table, kind.seated
    kind.create({}).start().legal()
    return kind


def load_all(points: list[EntryPoint]) -> tuple[dict[str, GameType], dict[str, RulesError]]:
    """Return the usable games by name, and the errors of the unusable games by name. If two games
    have the same name, the first game is used.
    """
    found: dict[str, GameType] = {}
    broken: dict[str, RulesError] = {}
    for point in points:
        if point.name in found:
            broken[point.value] = BrokenGameError(
                "A second game {name} ({source}) is ignored; the first one is used.",
                name=point.name,
                source=point.value,
            )
            continue
        try:
            found[point.name] = load(point)
        except BrokenGameError as error:
            broken[point.name] = error
    return found, broken


EVERY_GAME: Mapping[str, GameType]
"""All usable games by name, including games that ``tiltboard rules`` supports but the host cannot
play.
"""
BROKEN: Mapping[str, RulesError]
EVERY_GAME, BROKEN = load_all(
    [
        *(EntryPoint(name, value, GROUP) for name, value in BUILT_IN.items()),
        *sorted(entry_points(group=GROUP), key=lambda point: point.name),
    ]
)
GAMES: Mapping[str, GameType] = {
    name: kind for name, kind in EVERY_GAME.items() if kind.at_the_table
}
"""The games whose boards the table's sensors read, by name."""
HOSTED: Mapping[str, GameType] = {
    name: kind for name, kind in EVERY_GAME.items() if kind.at_the_table or kind.seated
}
"""The games that can be played at the table or on the page, by name."""


def file_of(game: str, file: str) -> str:
    """Return the text of a file in the package of a game, or "" if there is no such file."""
    kind = EVERY_GAME.get(game)
    return "" if kind is None else kind.file(file)


def game_type(name: str, games: Mapping[str, GameType] | None = None) -> GameType:
    """Return the game type called ``name`` from ``games``, or from HOSTED if ``games`` is None.

    Raises UnknownGameError with the names of existing games, or BrokenGameError if the game cannot
    be used.
    """
    known = HOSTED if games is None else games
    if name in known:
        return known[name]
    if name in BROKEN:
        raise BROKEN[name]
    near = closest(name, known)
    if near is not None:
        raise UnknownGameError(
            "There is no game {name}; the games are: {known}. Did you mean {near}?",
            name=name,
            known=", ".join(known),
            near=near,
        )
    raise UnknownGameError(
        "There is no game {name}; the games are: {known}.", name=name, known=", ".join(known)
    )
