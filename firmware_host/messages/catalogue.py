"""Messages as values, and the languages they can be shown in."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

import msgspec

from firmware_host.config.errors import ConfigError
from firmware_host.config.reading import nearest, parse_toml

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Message:
    """An English template and what fills its ``{named}`` fields.

    A parameter that is itself a Message is translated first. ``capital``: it begins a sentence, so
    that its first letter is upper case, in every language.
    """

    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    capital: bool = False

    def __str__(self) -> str:
        return self.filled(self.template, self.params)

    def filled(self, template: str, params: Mapping[str, object]) -> str:
        """``template``, in whichever language, with ``params`` in its fields."""
        shown = template.format(**params)
        return shown[:1].upper() + shown[1:] if self.capital else shown


def text(template: str, /, **params: object) -> Message:
    """A message for people. ``template`` must be a literal, so that the catalogue can find it."""
    return Message(template, params)


class _CatalogueFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: str
    messages: dict[str, str]


class Catalogue:
    """One language. English needs no file: its sentences are the keys."""

    def __init__(self, language: str = ENGLISH, messages: Mapping[str, str] | None = None) -> None:
        self.language = language
        self.messages = dict(messages or {})

    @classmethod
    def load(cls, language: str) -> Catalogue:
        """Read a shipped language. Raises ConfigError for one that does not exist."""
        if language == ENGLISH:
            return cls()
        if language not in languages():
            raise ConfigError(
                "There is no language {language!r}; {hint}",
                remedy="Choose one that ships, or add its catalogue.",
                language=language,
                hint=nearest(language, languages()),
            )
        path = resources.files("firmware_host.messages") / f"{language}.toml"
        loaded = parse_toml(path.read_text("utf-8"), _CatalogueFile, source=f"language {language}")
        for english, translated in loaded.messages.items():
            if _fields(english) != _fields(translated):
                raise ConfigError(
                    "language {language}: {message!r} has other fields than its English sentence.",
                    remedy="Use the same {{named}} fields.",
                    language=language,
                    message=translated,
                )
        return cls(language, loaded.messages)

    def translate(self, message: Message) -> str:
        """The sentence in this language; English where there is no translation."""
        params = {
            name: self.translate(value) if isinstance(value, Message) else value
            for name, value in message.params.items()
        }
        return message.filled(self.messages.get(message.template, message.template), params)


def languages() -> tuple[str, ...]:
    """Languages that can be chosen."""
    folder = resources.files("firmware_host.messages")
    others = (p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))
    return (ENGLISH, *sorted(others))


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}
