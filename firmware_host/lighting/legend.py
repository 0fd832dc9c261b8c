"""The light language as data, for the page and the handbook."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.lighting.palette import (
    BLUISH_GREEN,
    ORANGE,
    SKY_BLUE,
    VERMILLION,
    WHITE,
    YELLOW,
    Rgb,
)
from firmware_host.messages import Message, text
from firmware_host.table.standing import Quality, Role


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One role, or a quality. ``colour`` None: that of the piece that is wanted."""

    role: Role | Quality
    meaning: Message
    rhythm: Message
    colour: Rgb | None

    @property
    def hex(self) -> str | None:
        """``#rrggbb``."""
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
