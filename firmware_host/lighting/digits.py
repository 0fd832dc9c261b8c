"""A code of digits drawn in the places, for whoever stands at the table's low edge.

Digits are three places wide and five high. Two are shown at a time where there is room for two, one
where not, from the first to the last, with a row of dots above that says how far it is; then a
pause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmware_host.lighting.lights import ORANGE, WHITE, Rgb

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
    """A code that is shown from ``since_s`` on, for so long that it can be read at leisure."""

    code: str
    since_s: float

    def over(self, now_s: float) -> bool:
        """Whether it has been shown for long enough."""
        return now_s - self.since_s >= CODE_SHOWN_S

    def lights(self, columns: int, rows: int, now_s: float) -> dict[int, Rgb]:
        """As ``drawn``."""
        return drawn(self.code, columns, rows, now_s - self.since_s)


def round_s(code: str, columns: int) -> float:
    """How long it takes to show all of ``code`` once."""
    return len(_pages(code, columns)) * PAGE_S + PAUSE_S


def drawn(code: str, columns: int, rows: int, since_s: float) -> dict[int, Rgb]:
    """Plate index -> colour of the lights that are on ``since_s`` after the beginning; empty in the
    pause, and on a plate that has no room for a digit.
    """
    if columns < WIDE or rows < HIGH:
        return {}
    pages = _pages(code, columns)
    page = int(since_s % round_s(code, columns) / PAGE_S)
    if page >= len(pages):
        return {}
    digits = pages[page]
    dots = rows >= HIGH + 2
    width = len(digits) * (WIDE + 1) - 1
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
        lit |= {row * columns + left + 2 * number: ORANGE for number in range(page + 1)}
    return lit


def _pages(code: str, columns: int) -> list[str]:
    together = 2 if columns >= 2 * WIDE + 1 else 1
    return [code[at : at + together] for at in range(0, len(code), together)]
