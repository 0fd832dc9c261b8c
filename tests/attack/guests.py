"""Not a test: random messages from several devices, most of them meaningful."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from msgspec import inspect

from tiltboard.firmware_host.table.commands import ClaimSeat
from tiltboard.firmware_host.web.requests import PageCommand

KINDS = (*inspect.type_info(PageCommand).types, inspect.type_info(ClaimSeat))
GAMES = ("momentum", "attraktion", "gravity-connect", "gravity-trap", "gravity-warfare")
OPTIONS: dict[str, Sequence[dict[str, Any]]] = {
    "momentum": ({"size": 7}, {"size": 5, "marbles": 4}, {}),
    "gravity-warfare": ({"mode": "simple"}, {"mode": "1v1"}, {"players": 3, "rounds": 1}),
}
STRANGE = (
    "{a}",
    "{name}",
    "{0}",
    "%s",
    "\N{SNOWMAN}",
    "x" * 40,
    "None",
    "-1",
    "chance",
    " ",
    "a" * 4000,
)


class Guest:
    """A source of random messages. ``known``: words that are valid now, for text fields."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known: list[str] = []
        self.texts: list[str] = []

    def message(self) -> dict[str, Any]:
        """Return a random message of any kind, or a message that advances the game."""
        rng = self.rng
        if rng.random() < 0.01:
            game = rng.choice((*GAMES, *GAMES[-1:] * 3))
            return {"type": "game", "game": game, "options": rng.choice(OPTIONS.get(game, ({},)))}
        moves = [word for word in self.known if ":" in word]
        if moves and rng.random() < 0.8:
            move = rng.choice(moves)
            who = move.partition(":")[0]
            if who in ("chance", "table"):
                move = "chance" if who == "chance" else move
                return {"type": "seat-move", "player": None, "move": move}
            return {"type": "seat-move", "player": who, "move": move}
        if self.texts and rng.random() < 0.02:
            return {"type": "import", "text": rng.choice(self.texts)}
        made: dict[str, Any] = self._value(rng.choice(KINDS))
        return made

    def _value(self, kind: inspect.Type) -> Any:
        rng = self.rng
        match kind:
            case inspect.Metadata():
                return self._value(kind.type)
            case inspect.StructType():
                made = {each.encode_name: self._value(each.type) for each in kind.fields}
                left = {each.encode_name for each in kind.fields if not each.required}
                for name in left:
                    if rng.random() < 0.6:
                        del made[name]
                return made if kind.tag is None else {str(kind.tag_field): kind.tag, **made}
            case inspect.UnionType():
                return self._value(rng.choice(kind.types))
            case inspect.LiteralType():
                return rng.choice(kind.values)
            case inspect.EnumType():
                return rng.choice(list(kind.cls)).value
            case inspect.BoolType():
                return rng.random() < 0.5
            case inspect.IntType():
                return rng.choice((0, 0, 1, 2, 3, 5, 10, -1, 2**53, 2**64))
            case inspect.FloatType():
                return rng.choice((0.0, 0.5, 3.0, 60.0, -1.0, 1e300))
            case inspect.StrType():
                return rng.choice((*self.known, *self.known, *STRANGE))
            case inspect.DictType():
                return {
                    self._value(kind.key_type): self._value(kind.value_type)
                    for _ in range(rng.randrange(3))
                }
            case inspect.ListType() | inspect.VarTupleType() | inspect.CollectionType():
                return [self._value(kind.item_type) for _ in range(rng.randrange(4))]
            case inspect.NoneType():
                return None
        return rng.choice((None, 1, "d4", "{a}", [], {}))
