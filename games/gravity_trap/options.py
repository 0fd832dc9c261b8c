"""Options of Gravity Trap, and how they fit together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.base import OptionError, OptionSpec, Preset
from games.gravity_trap.board import Board
from games.gravity_trap.boardfile import DEFAULT, SHIPPED, shipped
from games.option_values import checked

NO_COPY = "no-copy"
ALLOW = "allow"

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "board",
        "board",
        "The board, by name or as a file. The first one is our own reconstruction.",
        DEFAULT,
        choices=SHIPPED,
        label="Board",
        choice_labels=tuple(shipped(name).title for name in SHIPPED),
    ),
    OptionSpec(
        "mirror",
        "choice",
        "May the second player copy every move on the opposite side? Usually not, where the "
        "board knows what is opposite.",
        None,
        choices=(NO_COPY, ALLOW),
        label="Copying moves",
        choice_labels=("not allowed", "allowed"),
    ),
)
PRESETS = tuple(Preset({"Board": shipped(name).title}, {"board": name}) for name in SHIPPED)


@dataclass(frozen=True, slots=True)
class Options:
    """All options, checked, defaults filled in. ``board``: a name, or the board itself."""

    board: str | Mapping[str, Any]
    mirror: str

    def as_json(self) -> dict[str, Any]:
        """As JSON types, in the order of ``SPECS``."""
        return {"board": self.board, "mirror": self.mirror}


def read(given: Mapping[str, Any]) -> tuple[Options, Board]:
    """Check options in JSON types and fill in the defaults.

    An option that is None counts as not given. Raises OptionError.
    """
    values = checked("Gravity Trap", SPECS, given)
    chosen = values.get("board", DEFAULT)
    named = isinstance(chosen, str)
    board = shipped(chosen) if named else Board.from_json(chosen)
    mirror = values.get("mirror", ALLOW if board.opposite is None else NO_COPY)
    if mirror == NO_COPY and board.opposite is None:
        raise OptionError(
            "Copying moves can only be forbidden on a board that says which bases are opposite to "
            "each other."
        )
    return Options(chosen if named else board.as_json(), mirror), board
