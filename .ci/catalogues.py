"""Compiles the languages' gettext catalogues, during the build of the package (setup.py) or on
request.

Each firmware_host/messages/NAME.po becomes NAME.json, which table and page read and git ignores.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tiltboard/firmware_host/messages"
# A language exists if its catalogue exists: docs/languages.md adds one with an empty file.
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.po")))
# A fixed date, so that a catalogue changes only with its texts.
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
# The separator between a context and its message in gettext, as in catalogue.FORM.
CONTEXT_END = "\x04"


def compile_all() -> None:
    """Write the JSON file of each language, which table and page read."""
    for language in LANGUAGES:
        (FOLDER / f"{language}.json").write_text(compiled(read(language)), encoding="utf-8")


def read(language: str) -> Catalog:
    """Return the catalogue in a language's file, with the plural rule in the file.

    An empty file gives a catalogue without texts, with the plural rule that Babel knows.
    """
    content = (FOLDER / f"{language}.po").read_bytes()
    if content.strip():
        return read_po(BytesIO(content), language)
    return Catalog(
        language,
        header_comment="# tiltboard",
        project="tiltboard",
        version="1",
        creation_date=WHEN,
        revision_date=WHEN,
        fuzzy=False,
    )


def compiled(catalogue: Catalog) -> str:
    """Return a catalogue as the JSON text that table and page read."""
    messages = {}
    for message in catalogue:
        if message.id and is_translated(message):
            english, string = english_of(message.id), message.string
            key = f"{message.context}{CONTEXT_END}{english}" if message.context else english
            messages[key] = list(string) if isinstance(string, tuple) else string
    about = {"language": catalogue.locale_identifier, "plural": catalogue.plural_expr}
    whole = {**about, "messages": dict(sorted(messages.items()))}
    return json.dumps(whole, ensure_ascii=False, indent=0) + "\n"


def english_of(key: str | tuple[str, ...]) -> str:
    """Return the English text of a message, or "" for the catalogue's header."""
    return key[0] if isinstance(key, tuple) else key


def is_translated(message: Message) -> bool:
    """Return whether each plural form has a translation of the present English text."""
    forms = message.string if isinstance(message.string, tuple) else (message.string,)
    return all(forms) and not message.fuzzy


if __name__ == "__main__":
    compile_all()
