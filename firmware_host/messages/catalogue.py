"""The catalogues that translate messages.

A catalogue is a JSON file that ``make languages`` creates from a gettext catalogue (``NAME.po``).
It is an object with the ``language``, gettext's rule for ``plural`` forms, and ``messages``.
``messages`` maps each English sentence to its translation, or to all plural forms of the
translation. A key that begins with the name of a grammatical form and ``FORM`` is a sentence in
that form (``msgctxt`` in the ``.po`` file). The page reads the same file.
"""

from __future__ import annotations

import gettext
import string
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

import msgspec

from tiltboard.firmware_host.messages.message import Message
from tiltboard.games.names import PLAYERS

ENGLISH = "en"
FORM = "\x04"  # Separator that gettext puts between a context and its message.
TWO_FORMS = "n != 1"
COUNT = "count"  # Name of the field that selects the plural form.
# Fields that contain a built-in word of the games, such as a colour or a side. The catalogue
# translates these words too.
WORDS = PLAYERS | {"piece", "side"}


class _Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: str
    plural: str
    messages: dict[str, str | list[str]]


class Catalogue:
    """The translations into one language. English needs no file, because the keys are English
    sentences.
    """

    def __init__(
        self,
        language: str = ENGLISH,
        messages: Mapping[str, str | list[str]] | None = None,
        plural: str = TWO_FORMS,
    ) -> None:
        self.language = language
        self.messages = dict(messages or {})
        self._plural = gettext.c2py(plural)

    @staticmethod
    @cache
    def load(language: str) -> Catalogue:
        """Return the catalogue of ``language``, one of ``languages``."""
        if language == ENGLISH:
            return Catalogue()
        file = resources.files("tiltboard.firmware_host.messages") / f"{language}.json"
        read = msgspec.json.decode(file.read_bytes(), type=_Language)
        return Catalogue(language, read.messages, read.plural)

    def translate(self, message: Message, form: str = "") -> str:
        """Return the message in this language, or in English if there is no translation.

        ``form`` is the grammatical form that is needed, if the language has forms. A translation
        requests the form of a field with ``{piece:acc}``.
        """
        params = {name: self._inner(name, value) for name, value in message.params.items()}
        return message.fill(self._sentence(message, form), params)

    def _inner(self, name: str, value: object) -> object:
        if isinstance(value, str) and name in WORDS:
            value = Message(value, capital=name in PLAYERS)
        return _Inner(self, value) if isinstance(value, Message) else value

    def _sentence(self, message: Message, form: str) -> str:
        template = message.template
        found = self.messages.get(form + FORM + template) if form else None
        if found is None:
            found = self.messages.get(template, template)
        if isinstance(found, str):
            return found
        count = message.params.get(COUNT)
        return found[self._plural(count) if isinstance(count, int) else -1]


class _Inner:
    """A message inside another message, translated in the form that the outer message requests."""

    def __init__(self, catalogue: Catalogue, message: Message) -> None:
        self._catalogue = catalogue
        self._message = message

    def __format__(self, form: str) -> str:
        return self._catalogue.translate(self._message, form)

    def __str__(self) -> str:
        return format(self)

    def __repr__(self) -> str:
        # This method formats a field such as {piece!r}, which quotes a word.
        return repr(format(self))


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that people can choose, English first."""
    folder = resources.files("tiltboard.firmware_host.messages")
    others = (p.name.removesuffix(".json") for p in folder.iterdir() if p.name.endswith(".json"))
    return (ENGLISH, *sorted(others))


def chosen(wishes: Iterable[str]) -> str | None:
    """Return the first language in ``wishes`` that is available, or None if no language is
    available.

    An item can also name a country, such as ``de-AT`` or ``de_DE.UTF-8``.
    """
    for wish in wishes:
        language = wish.strip().replace("_", "-").partition("-")[0].partition(".")[0].lower()
        if language in languages():
            return language
    return None


def fields(template: str) -> set[str]:
    """Return the names of a template's fields."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}
