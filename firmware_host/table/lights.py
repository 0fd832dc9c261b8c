"""The lights of the table: the colour and the rhythm of each role, the bubble of a simulated spirit
level, and digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, hypot, inf, radians, tau

from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.status import GameStatus, Phase, Quality, Role, Sound
from tiltboard.games.base import Game
from tiltboard.games.registry import GAMES

Rgb = tuple[int, int, int]

ORANGE: Rgb = (230, 159, 0)
SKY_BLUE: Rgb = (86, 180, 233)
BLUISH_GREEN: Rgb = (0, 158, 115)
YELLOW: Rgb = (240, 228, 66)
BLUE: Rgb = (0, 114, 178)
VERMILLION: Rgb = (213, 94, 0)
REDDISH_PURPLE: Rgb = (204, 121, 167)
WHITE: Rgb = (255, 255, 255)
GRAY: Rgb = (153, 153, 153)

PIECES: Mapping[str, Rgb] = {
    "red": VERMILLION,
    "blue": BLUE,
    "white": WHITE,
    "green": BLUISH_GREEN,
    "black": REDDISH_PURPLE,
    "yellow": YELLOW,
}

# Light colours for the sides of the board and for choices, by plain colour name.
TINTS: Mapping[str, Rgb] = {
    "green": BLUISH_GREEN,
    "orange": ORANGE,
    "gray": GRAY,
    "purple": REDDISH_PURPLE,
    "blue": SKY_BLUE,
}


def tint(name: str) -> Rgb:
    """Return the light colour for a plain colour name, or white if the name is unknown."""
    return TINTS.get(name) or PIECES.get(name, WHITE)


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """The explanation of the light for one role or quality. ``colour`` is None if the light has the
    colour of the piece to put.
    """

    role: Role | Quality
    meaning: Message
    rhythm: Message
    colour: Rgb | None

    @property
    def hex(self) -> str | None:
        """The colour as ``#rrggbb``, or None if the colour varies."""
        return None if self.colour is None else "#{:02x}{:02x}{:02x}".format(*self.colour)


LEGEND: tuple[LegendEntry, ...] = (
    LegendEntry(
        Role.WRONG, text("This piece must leave its place."), text("fast blinking"), VERMILLION
    ),
    LegendEntry(
        Role.REMOVE, text("Take this piece off the board."), text("two short blinks"), ORANGE
    ),
    LegendEntry(Role.LIFT, text("Lift this piece."), text("slow blinking"), YELLOW),
    LegendEntry(Role.PUT, text("Put a piece of this colour here."), text("breathing"), None),
    LegendEntry(Role.WIN, text("This won the game."), text("steady, bright"), BLUISH_GREEN),
    LegendEntry(Role.LEGAL, text("You may put a piece here."), text("steady, dim"), SKY_BLUE),
    LegendEntry(
        Quality.BEST, text("With assist: the best move."), text("bright, swelling"), BLUISH_GREEN
    ),
    LegendEntry(
        Quality.GOOD, text("With assist: a good move."), text("steady, quite bright"), BLUISH_GREEN
    ),
    LegendEntry(
        Quality.BAD, text("With assist: a bad move."), text("faint, slowly fading"), VERMILLION
    ),
    LegendEntry(Role.LAST, text("The last move."), text("dim, with a short wink"), WHITE),
)

GRID_S = 0.25
LOOKS_S = 12.0  # Common period of all light patterns, in seconds.
LOOK_STEPS = 32  # Number of brightness steps in one breath (a smooth swing of the brightness).
# Number of different brightness levels in one breath (a smooth swing of the brightness). With few
# levels, the lights need not be written in every scan.
_BREATH_STEPS = 16


@dataclass(frozen=True, slots=True)
class Pattern:
    """The brightness of a light over time, from 0 to 1 as the eye perceives it."""

    levels: tuple[float, ...]
    """Brightness levels from 0 to 1. Each level is shown for a quarter of a second. After the last
    level, the pattern starts again with the first level.
    """
    breath_s: float | None = None
    """Period of a smooth swing between the first two levels, in seconds, brightest at the start. If
    the period is None, the levels are shown one after the other.
    """

    def look(self, rgb: Rgb) -> LightPattern:
        """Return the light pattern with these brightness levels in the colour ``rgb``."""
        if self.breath_s is None:
            return LightPattern(rgb, self.levels, GRID_S)
        bright, dim = self.levels
        swings = [(1 + cos(tau * (step + 0.5) / LOOK_STEPS)) / 2 for step in range(LOOK_STEPS)]
        steps = [round(swing * _BREATH_STEPS) / _BREATH_STEPS for swing in swings]
        levels = tuple(dim + (bright - dim) * step for step in steps)
        return LightPattern(rgb, levels, self.breath_s / LOOK_STEPS)


PATTERNS: Mapping[Role | Quality, Pattern] = {
    Role.WRONG: Pattern((1.0, 0.2)),
    Role.REMOVE: Pattern((1.0, 0.2, 1.0, 0.2, 0.2, 0.2, 0.2, 0.2)),
    Role.LIFT: Pattern((1.0, 1.0, 1.0, 0.3, 0.3, 0.3)),
    Role.PUT: Pattern((1.0, 0.4), breath_s=2.0),
    Role.WIN: Pattern((1.0,)),
    Role.LEGAL: Pattern((0.4,)),
    Quality.BEST: Pattern((1.0, 0.6), breath_s=1.0),
    Quality.GOOD: Pattern((0.75,)),
    Quality.BAD: Pattern((0.22, 0.08), breath_s=4.0),
    Role.LAST: Pattern((0.35,) * 10 + (0.15,) * 2),
}

PAUSED = Pattern((0.5, 0.15), breath_s=4.0)  # Pattern of the board's corners during a pause.
# Pattern for the pieces of a player at another table who sends a phrase.
SPOKEN = Pattern((0.5, 0.0), breath_s=3.0)
GLOW = Pattern((0.6,))  # Pattern for lights that announce an event.
TRAIL = Pattern((0.2,))  # Pattern for the places on the path of a piece.
RUNNER = Pattern((0.9,))  # Pattern for the light that runs along a path.
RUNNER_REST = 3  # Pause of the running light between two runs along its path, in steps of GRID_S.
TINT_S = 1.0  # Duration of each colour of an alternating light, in seconds.


def runner_at(length: int, now_s: float) -> int:
    """Return where the running light is on a path of ``length`` places, as an index. During the
    pause between two runs, the result is at least ``length``.

    The light moves one place per quarter of a second, so each place of the path flashes once per
    run.
    """
    return int((now_s + 5e-7) // GRID_S) % (length + RUNNER_REST)


ANNOUNCE_S = 2.0
_RUN_OVER = (None, Role.LEGAL, Role.LAST)  # Roles that the running light can cover for a moment.
_COLOURS = {entry.role: entry.colour for entry in LEGEND}


class Lighting:
    """Computes the lights for the state of the game. The lights are computed again only if
    something has changed.
    """

    def __init__(self) -> None:
        self._announce_until_s = -inf
        self._key: tuple[object, ...] | None = None
        self._looks: tuple[LightPattern | None, ...] = ()

    def looks(
        self, status: GameStatus, overlay: Overlay, now_s: float, bubble: str | None = None
    ) -> tuple[LightPattern | None, ...]:
        """Return the light pattern (colour and rhythm) of each place in the order of plate indices,
        or None for a dark place. All patterns begin at a multiple of LOOKS_S.

        ``bubble``: the place of the spirit level's bubble, or None if there is no bubble.
        """
        if Sound.LAST_MARBLE in status.sounds:
            self._announce_until_s = now_s + ANNOUNCE_S
        announcing = now_s < self._announce_until_s
        turn = int((now_s + 5e-7) // TINT_S) if status.tint else 0
        spot = runner_at(len(status.path), now_s) if status.path else 0
        key = (
            *(status.roles, status.piece_for, status.tint, turn, status.path, spot),
            *(status.path_colour, overlay.places, status.phase, announcing, bubble),
            *(status.quality, status.spoken_by),
        )
        if key != self._key:
            looks: list[LightPattern | None] = [None] * len(overlay.places)
            for place, rgb, pattern in _lit_places(status, announcing, turn, spot, bubble):
                looks[overlay.index_of(place)] = pattern.look(rgb)
            self._looks = tuple(looks)
            self._key = key
        return self._looks


def piece_light(game: Game | None, piece: str) -> Rgb:
    """Return the light colour for a kind of piece. The result is the colour that the game gives to
    the piece, or else the colour with the piece's name. If neither is known, the result is white.
    """
    known = None if game is None else GAMES.get(game.name)
    named = None if known is None else known.look_of(piece).colour
    return PIECES.get(named or piece, WHITE)


def _lit_places(
    status: GameStatus, announcing: bool, turn: int, spot: int, bubble: str | None
) -> Iterator[tuple[str, Rgb, Pattern]]:
    """Yield each lit place with its colour and pattern. A later entry for a place overrides an
    earlier entry.

    ``turn``: index of the current colour in alternating lights. ``spot``: index of the running
    light on its path. ``bubble``: the place of the spirit level's bubble, or None.
    """
    if status.phase is Phase.PAUSED and status.game is not None:
        for place in _corners(status.game):
            yield place, ORANGE, PAUSED
        if bubble is not None:
            yield bubble_at(status.game, (0.0, 0.0)), ORANGE, TRAIL
            yield bubble, WHITE, GLOW
    if announcing and status.position is not None:
        for place, piece in status.position.cells.items():
            if status.position.reserve.get(piece) == 1:
                yield place, piece_light(status.game, piece), GLOW
    way = WHITE if status.path_colour is None else tint(status.path_colour)
    for place in status.path:
        yield place, way, TRAIL
    for place, role in status.roles.items():
        # Rating of a move that ends on this place, if ratings are shown.
        quality = status.quality.get(place)
        has_meaning = role is Role.LEGAL and quality in PATTERNS
        meaning = quality if has_meaning and quality is not None else role
        colour = _COLOURS[meaning]
        tints = status.tint.get(place)
        if role is Role.LEGAL and tints:
            colour = tint(tints[turn % len(tints)])
        if colour is None:
            wanted = status.piece_for.get(place)
            colour = WHITE if wanted is None else piece_light(status.game, wanted)
        yield place, colour, PATTERNS[meaning]
    if spot < len(status.path) and status.roles.get(status.path[spot]) in _RUN_OVER:
        yield status.path[spot], way, RUNNER
    if status.spoken_by is not None and status.game is not None:
        cells = {} if status.position is None else status.position.cells
        theirs = [place for place, piece in cells.items() if piece == status.spoken_by]
        for place in theirs or _corners(status.game):
            if status.roles.get(place) in _RUN_OVER:
                yield place, piece_light(status.game, status.spoken_by), SPOKEN


def _corners(game: Game) -> list[str]:
    """Return the corners of the board: the first and last place of its lowest row and of its
    highest row.
    """
    rows = {row for _, row in game.board.values()}
    found = []
    for row in {min(rows), max(rows)}:
        here = sorted((column, place) for place, (column, r) in game.board.items() if r == row)
        found += [here[0][1], here[-1][1]]
    return found


FULL_RAD = radians(8.0)  # Tilt at which the bubble reaches the edge of the board, in radians.


def bubble_at(game: Game, tilt_rad: tuple[float, float]) -> str:
    """Return the place that is nearest to the bubble of a simulated spirit level. ``tilt_rad``: the
    tilt about x and about y, as in Motion.

    A positive tilt about x raises the north edge, and a positive tilt about y raises the west edge.
    The bubble moves to the higher side.
    """
    columns, rows = zip(*game.board.values(), strict=True)
    west, east, south, north = min(columns), max(columns), min(rows), max(rows)
    share = 1 / max(FULL_RAD, hypot(*tilt_rad)) / 2
    column = (west + east) / 2 - share * tilt_rad[1] * (east - west)
    row = (south + north) / 2 + share * tilt_rad[0] * (north - south)
    return min([(hypot(x - column, y - row), place) for place, (x, y) in game.board.items()])[1]


# Digits are three places wide and five places high, and people read them from the table's low edge.
# Groups of two digits (or of one digit on a narrow plate) are shown in turn, and a pause follows
# the last group. If there is room, a row of dots above the digits shows how many groups the number
# has. Between two numbers, the lights are dark for the time of one group.

WIDE, HIGH = 3, 5
PAGE_S = 2.0
PAUSE_S = 1.5
CODE_SHOWN_S = 60.0
CODE_LEVEL = 0.8

FONT: Mapping[str, tuple[str, ...]] = {
    "0": ("###", "#.#", "#.#", "#.#", "###"),
    "1": (".#.", "##.", ".#.", ".#.", "###"),
    "2": ("###", "..#", "###", "#..", "###"),
    "3": ("###", "..#", ".##", "..#", "###"),
    "4": ("#.#", "#.#", "###", "..#", "..#"),
    "5": ("###", "#..", "###", "..#", "###"),
    "6": ("###", "#..", "###", "#.#", "###"),
    "7": ("###", "..#", ".#.", ".#.", ".#."),
    "8": ("###", "#.#", "###", "#.#", "###"),
    "9": ("###", "#.#", "###", "..#", "###"),
}


@dataclass(frozen=True, slots=True)
class CodeShown:
    """A code that the lights show for CODE_SHOWN_S seconds, starting at ``since_s``."""

    code: str
    since_s: float

    def is_over(self, now_s: float) -> bool:
        """Return whether the code has been shown for at least CODE_SHOWN_S seconds."""
        return now_s - self.since_s >= CODE_SHOWN_S

    def shown_once(self, now_s: float, columns: int) -> bool:
        """Return whether the whole code has been shown at least once."""
        return now_s - self.since_s >= round_s(self.code, columns) - PAUSE_S


def round_s(code: str, columns: int) -> float:
    """Return the time needed to show ``code`` once and pause, in seconds."""
    return len(_pages(code, columns)) * PAGE_S + PAUSE_S


def lit_places_at(code: str, columns: int, rows: int, since_s: float) -> dict[int, Rgb]:
    """Return the lit places at ``since_s`` seconds after ``code`` was first shown: plate index ->
    colour. The result is empty during the pause, and on a plate without room for a digit.
    """
    if columns < WIDE or rows < HIGH:
        return {}
    pages = _pages(code, columns)
    page = int(since_s % round_s(code, columns) / PAGE_S)
    digits, which, count = pages[page] if page < len(pages) else ("", 0, 0)
    if not digits:
        return {}
    width = len(digits) * (WIDE + 1) - 1
    apart = 2 if 2 * count - 1 <= width else 1
    dots = rows >= HIGH + 2 and count <= width
    left, low = (columns - width) // 2, (rows - HIGH - 2 * dots) // 2
    lit: dict[int, Rgb] = {}
    for number, digit in enumerate(digits):
        for line, cells in enumerate(FONT[digit]):
            for cell, mark in enumerate(cells):
                if mark == "#":
                    row, column = low + HIGH - 1 - line, left + number * (WIDE + 1) + cell
                    lit[row * columns + column] = WHITE
    if dots:
        row = low + HIGH + 1
        lit |= {row * columns + left + apart * number: ORANGE for number in range(which + 1)}
    return lit


def _pages(code: str, columns: int) -> list[tuple[str, int, int]]:
    """Return the groups of digits of ``code``. Each group has its digits, its index within its
    number, and the number of groups in that number.
    """
    together = 2 if columns >= 2 * WIDE + 1 else 1
    pages: list[tuple[str, int, int]] = []
    for number in code.split(" "):
        starts = range(0, len(number), together)
        pages += [("", 0, 0)] if pages else []
        pages += [(number[at : at + together], at // together, len(starts)) for at in starts]
    return pages
