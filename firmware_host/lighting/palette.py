"""Colours that people with any common kind of colour vision tell apart.

Okabe and Ito, "Color Universal Design" (2002, revised 2008), https://jfly.uni-koeln.de/color/: the
published sRGB values.
"""

from __future__ import annotations

from collections.abc import Mapping

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

# Of sides and choices: plain names.
TINTS: Mapping[str, Rgb] = {
    "green": BLUISH_GREEN,
    "orange": ORANGE,
    "gray": GRAY,
    "purple": REDDISH_PURPLE,
    "blue": SKY_BLUE,
}


def tint(name: str) -> Rgb:
    """The light of a plain colour's name; white for names that it does not know."""
    return TINTS.get(name) or PIECES.get(name, WHITE)


def piece_colour(kind: str) -> Rgb:
    """The light of a kind of piece; white for kinds without a colour of their own."""
    return PIECES.get(kind, WHITE)
