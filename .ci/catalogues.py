"""Compile the languages' gettext catalogues: as the package is built (setup.py), and on request.

firmware_host/messages/NAME.po becomes the NAME.json that table and page read, which is not in git.
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
# A language is there because its catalogue is: docs/languages.md adds one by making an empty file.
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.po")))
WHEN = datetime(2026, 1, 1, tzinfo=UTC)  # A catalogue changes with its texts, and not by the day.
CONTEXT_END = "\x04"  # as gettext joins a context and its message; catalogue.FORM


def compile_all() -> None:
    """Write the file that table and page read, for every language."""
    for language in LANGUAGES:
        (FOLDER / f"{language}.json").write_text(compiled(read(language)), encoding="utf-8")


def read(language: str) -> Catalog:
    """Return the catalogue in a language's file, with the plural rule that stands there.

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
    """As table and page read it."""
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
    """A message's English text; empty: the catalogue's head."""
    return key[0] if isinstance(key, tuple) else key


def is_translated(message: Message) -> bool:
    """Whether every plural form has a translation that was made for this English text."""
    forms = message.string if isinstance(message.string, tuple) else (message.string,)
    return all(forms) and not message.fuzzy


if __name__ == "__main__":
    compile_all()
