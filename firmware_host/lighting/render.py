"""One colour per place of the plate, from how the game stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from drivers.lights import Look
from firmware_host.lighting.bubble import bubble_at
from firmware_host.lighting.legend import LEGEND
from firmware_host.lighting.palette import ORANGE, WHITE, Rgb, piece_colour, tint
from firmware_host.lighting.patterns import (
    GLOW,
    PATTERNS,
    PAUSED,
    RUNNER,
    TRAIL,
    Pattern,
    runner_at,
    tint_turn,
)
from firmware_host.table.overlay import Overlay
from firmware_host.table.standing import Phase, Quality, Role, Sound, Standing
from games.base import Game
from games.registry import GAMES

Colour = tuple[float, float, float]

ANNOUNCE_S = 2.0
DARK: Colour = (0.0, 0.0, 0.0)
_RUN_OVER = (None, Role.LEGAL, Role.LAST)  # roles that wait while the running light passes
_COLOURS = {entry.role: entry.colour for entry in LEGEND}


class Lighting:
    """Renders standings. Deterministic in what it is given; draws only what has changed."""

    def __init__(self) -> None:
        self._announce_until_s: float | None = None
        self._roles: Mapping[str, Role] = {}
        self._quality: Mapping[str, Quality] = {}
        self._patterns: Sequence[Pattern] = ()
        self._key: tuple[object, ...] | None = None
        self._colours: tuple[Colour, ...] = ()
        self._looks_key: tuple[object, ...] | None = None
        self._looks: tuple[Look | None, ...] = ()

    def looks(
        self, standing: Standing, overlay: Overlay, now_s: float, bubble: str | None = None
    ) -> tuple[Look | None, ...]:
        """The same for lights that keep their rhythm by themselves: a look per place, or dark.

        All begin at a multiple of LOOKS_S.
        """
        announcing = self._announcing(standing, now_s)
        turn = tint_turn(now_s) if standing.tint else 0
        spot = runner_at(len(standing.path), now_s) if standing.path else 0
        key = (
            *(standing.roles, standing.piece_for, standing.tint, turn, standing.path, spot),
            *(standing.path_colour, overlay.places, standing.phase, announcing, bubble),
            standing.quality,
        )
        if key != self._looks_key:
            looks: list[Look | None] = [None] * len(overlay.places)
            for place, rgb, pattern in _lit(standing, announcing, turn, spot, bubble):
                looks[overlay.index_of(place)] = pattern.look(rgb)
            self._looks = tuple(looks)
            self._looks_key = key
        return self._looks

    def render(
        self, standing: Standing, overlay: Overlay, now_s: float, bubble: str | None = None
    ) -> tuple[Colour, ...]:
        """Red, green, blue from 0 to 1, as the eye sees them, per place in plate index order.

        ``bubble``: where that of a spirit level is.
        """
        announcing = self._announcing(standing, now_s)
        paused = standing.phase is Phase.PAUSED
        if standing.roles is not self._roles or standing.quality is not self._quality:
            self._roles, self._quality = standing.roles, standing.quality
            meanings: set[Role | Quality] = {*standing.roles.values(), *standing.quality.values()}
            self._patterns = [PATTERNS[each] for each in meanings if each in PATTERNS]
        levels = tuple([pattern.level(now_s) for pattern in self._patterns])
        breath = PAUSED.level(now_s) if paused else None
        turn = tint_turn(now_s) if standing.tint else 0
        path, spot = standing.path, runner_at(len(standing.path), now_s) if standing.path else 0
        key = (
            *(standing.roles, standing.piece_for, standing.tint, turn, path, spot),
            *(standing.path_colour, overlay.places, levels, breath, announcing, bubble),
            standing.quality,
        )
        if key != self._key:
            colours = [DARK] * len(overlay.places)
            for place, rgb, pattern in _lit(standing, announcing, turn, spot, bubble):
                colours[overlay.index_of(place)] = shade(rgb, pattern.level(now_s))
            self._colours = tuple(colours)
            self._key = key
        return self._colours

    def _announcing(self, standing: Standing, now_s: float) -> bool:
        if Sound.LAST_MARBLE in standing.sounds:
            self._announce_until_s = now_s + ANNOUNCE_S
        elif self._announce_until_s is not None and now_s >= self._announce_until_s:
            self._announce_until_s = None
        return self._announce_until_s is not None


def _piece_colour(game: Game | None, piece: str) -> Rgb:
    """The light of a kind of piece: its own colour, or the one that the game names."""
    known = None if game is None else GAMES.get(game.name)
    named = None if known is None else known.look_of(piece).colour
    return piece_colour(named or piece)


def _lit(
    standing: Standing, announcing: bool, turn: int, spot: int, bubble: str | None
) -> Iterator[tuple[str, Rgb, Pattern]]:
    """Every place that is lit, with colour and pattern; a later one counts.

    ``turn``: which of several colours; ``spot``: where the light that runs along the path is.
    """
    if standing.phase is Phase.PAUSED and standing.game is not None:
        for place in _corners(standing.game):
            yield place, ORANGE, PAUSED
        if bubble is not None:
            yield bubble_at(standing.game, (0.0, 0.0)), ORANGE, TRAIL
            yield bubble, WHITE, GLOW
    if announcing and standing.position is not None:
        for place, piece in standing.position.cells.items():
            if standing.position.reserve.get(piece) == 1:
                yield place, _piece_colour(standing.game, piece), GLOW
    way = WHITE if standing.path_colour is None else tint(standing.path_colour)
    for place in standing.path:
        yield place, way, TRAIL
    for place, role in standing.roles.items():
        meaning = _meaning(standing, place, role)
        colour = _COLOURS[meaning]
        tints = standing.tint.get(place)
        if role is Role.LEGAL and tints:
            colour = tint(tints[turn % len(tints)])
        if colour is None:
            wanted = standing.piece_for.get(place)
            colour = WHITE if wanted is None else _piece_colour(standing.game, wanted)
        yield place, colour, PATTERNS[meaning]
    if spot < len(standing.path) and standing.roles.get(standing.path[spot]) in _RUN_OVER:
        yield standing.path[spot], way, RUNNER


def _meaning(standing: Standing, place: str, role: Role) -> Role | Quality:
    """What the light says: of a legal place what a move there is worth, where that is shown."""
    quality = standing.quality.get(place)
    if role is not Role.LEGAL or quality is None or quality not in PATTERNS:
        return role
    return quality


def _corners(game: Game) -> list[str]:
    """The first and last place of the lowest and of the highest row."""
    rows = {row for _, row in game.board.values()}
    found = []
    for row in {min(rows), max(rows)}:
        here = sorted((column, place) for place, (column, r) in game.board.items() if r == row)
        found += [here[0][1], here[-1][1]]
    return found


def shade(rgb: Rgb, level: float) -> Colour:
    """A colour at that brightness, 0 to 1."""
    red, green, blue = rgb
    return red / 255 * level, green / 255 * level, blue / 255 * level
