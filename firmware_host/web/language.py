"""Selects the language of responses: the user's choice, or else the browser's preferred language,
or else the table's default language.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.requests import HTTPConnection

from tiltboard.firmware_host.messages import Catalogue, Message, chosen

COOKIE = "tiltboard-language"
MAX_WISHES = 20


def catalogue_for(visit: HTTPConnection, own: Catalogue) -> Catalogue:
    """Return the catalogue for a request or a WebSocket. ``own`` is the catalogue of the table's
    default language.
    """
    wishes = [
        visit.cookies.get(COOKIE, ""),
        *accepted_languages(visit.headers.get("accept-language", "")),
    ]
    language = chosen(wishes)
    return own if language in (None, own.language) else Catalogue.load(language or "")


def accepted_languages(header: str) -> list[str]:
    """Return the languages of an Accept-Language header (RFC 9110, 12.5.4), most preferred language
    first.
    """
    weighed = []
    for wish in header.split(",")[:MAX_WISHES]:
        language, _, parameter = wish.partition(";")
        name, _, value = parameter.partition("=")
        try:
            weight = float(value) if name.strip() == "q" else 1.0
        except ValueError:
            weight = 0.0
        if weight > 0:
            weighed.append((language.strip(), weight))
    return [language for language, _ in sorted(weighed, key=lambda each: -each[1])]


def encoder(catalogue: Catalogue) -> Callable[[object], bytes]:
    """Return a function that encodes values as JSON, with messages in the language of
    ``catalogue``.
    """

    def translated(value: object) -> str:
        if isinstance(value, Message):
            return catalogue.translate(value)
        raise NotImplementedError(f"{type(value).__name__} has no JSON")

    return msgspec.json.Encoder(enc_hook=translated).encode
