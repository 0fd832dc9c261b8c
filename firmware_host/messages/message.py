"""A message for people, and a hint that suggests the correct name for a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tiltboard.games.names import PLAYERS, closest

# Pattern of a place's name on a hexagonal board: column and row.
_PLACE = re.compile(r"-?\d+,-?\d+")
# Template of a message that shows a person's name instead of the player's name. The player's name
# remains a parameter of the message.
_NAMED = "{name}"
MAX_LISTED = 40  # Maximum number of names in a hint.
# Maximum number of characters shown of one parameter, because a parameter can come from any
# request.
MAX_SHOWN = 600


class Message:
    """An English template and the values of its ``{named}`` fields. A message is immutable.

    A parameter that is itself a Message is translated first. Message is not a dataclass, because a
    dataclass would be written to JSON without translation.
    """

    __slots__ = ("capital", "params", "template")

    def __init__(
        self, template: str, params: Mapping[str, object] | None = None, *, capital: bool = False
    ) -> None:
        self.template = template
        self.params: Mapping[str, object] = params or {}
        self.capital = capital
        """True if the message begins a sentence, and therefore with a capital letter in every
        language.
        """

    def __str__(self) -> str:
        return self.fill(self.template, self.params)

    def fill(self, template: str, params: Mapping[str, object]) -> str:
        """Return ``template``, which can be in any language, with its fields replaced by
        ``params``.
        """
        # Without parameters the text is not a template, and may be a person's own words, such as a
        # name.
        short = {name: _short(value) for name, value in params.items()}
        shown = template.format(**short) if short else str(_short(template))
        return shown[:1].upper() + shown[1:] if self.capital else shown

    def __repr__(self) -> str:
        return f"Message({self.template!r}, {dict(self.params)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self.template)

    def _all(self) -> tuple[object, ...]:
        return self.template, self.params, self.capital

    def capitalised(self) -> Message:
        """Return the message with a capital letter, for the beginning of a sentence."""
        return Message(self.template, self.params, capital=True)

    def with_names(self, names: Mapping[str, Message]) -> Message:
        """Return the message with players replaced by the names of the people and bots who play.

        ``names`` is player -> name. A parameter counts as a player if its field is in ``PLAYERS``,
        or if it is capitalised: "Red" is replaced, but the colour in "a red marble" is not.
        """
        params: dict[str, object] = {}
        for field, value in self.params.items():
            word = value.template if isinstance(value, Message) and value.capital else value
            if word in names and (field in PLAYERS or word != value):
                params[field] = Message(_NAMED, {"name": names[str(word)], "player": value})
            else:
                params[field] = value.with_names(names) if isinstance(value, Message) else value
        return Message(self.template, params, capital=self.capital)

    def with_places(self, labels: Mapping[str, str]) -> Message:
        """Return the message with coordinates replaced by a board's names for its places.

        ``labels`` is coordinates, such as ``"-1,3"`` -> name.
        """
        params = {
            field: value.with_places(labels)
            if isinstance(value, Message)
            else _PLACE.sub(lambda found: labels.get(found[0], found[0]), value)
            if isinstance(value, str)
            else value
            for field, value in self.params.items()
        }
        return Message(self.template, params, capital=self.capital) if labels else self

    def without_names(self) -> Message:
        """Return the message as it was before ``with_names`` replaced the players."""
        if self.template == _NAMED and "player" in self.params:
            player = self.params["player"]
            return player if isinstance(player, Message) else Message(str(player))
        params = {
            field: value.without_names() if isinstance(value, Message) else value
            for field, value in self.params.items()
        }
        return Message(self.template, params, capital=self.capital)


def _short(value: object) -> object:
    if isinstance(value, str | list | tuple | dict) and len(shown := str(value)) > MAX_SHOWN:
        return shown[: MAX_SHOWN - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return value


def text(template: str, /, **params: object) -> Message:
    """Return a message for people. ``template`` must be a literal, so that the catalogue can find
    it.
    """
    return Message(template, params)


def _by_number(name: str) -> list[tuple[str, int]]:
    """Return a sort key that orders names by their numbers, so that "a2" comes before "a10"."""
    parts = re.findall(r"(\D*)(\d*)", name)
    return [(words, int(digits or -1)) for words, digits in parts]


def nearest(name: str, known: Iterable[str]) -> Message:
    """Return a hint with the name in ``known`` that is most similar to ``name``. If no name is
    similar, the hint lists all names or a few of them.
    """
    choices = sorted((str(choice) for choice in known), key=_by_number)
    near = closest(name, choices)
    if near is not None:
        return text("did you mean {name!r}?", name=near)
    shown = choices if len(choices) <= MAX_LISTED else [*choices[:3], "...", choices[-1]]
    return text("known are: {names}", names=", ".join(shown))
