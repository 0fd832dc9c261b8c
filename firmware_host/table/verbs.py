"""What every verb of the table's vocabulary is made of."""

from __future__ import annotations

from typing import Annotated

import msgspec

from firmware_host.config.errors import NotPossibleError

# Without control characters: names stand in sentences and in the log
Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")
]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Verb(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A thing to ask for. The limits of its fields are checked where one is decoded."""


class GameVerb(Verb, frozen=True, kw_only=True, omit_defaults=True):
    """A thing to ask of the game. ``game``, ``step``: its number, and the number of its step
    (``Standing.step``), as whoever asks saw them. Where the game has gone on meanwhile, nothing is
    done. None: whatever stands now.
    """

    game: Number | None = None
    step: Number | None = None

    def check_current(self, game: int | None, step: int) -> None:
        """Raises NotPossibleError where ``game`` and ``step`` are not those that were meant."""
        if self.game not in (None, game) or self.step not in (None, step):
            raise NotPossibleError(
                "The game has gone on meanwhile.", remedy="Look again, and then decide."
            )
