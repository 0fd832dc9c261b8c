"""Compile the languages' gettext catalogues: as the package is built (setup.py), and on request.

firmware_host/messages/NAME.po becomes the NAME.json that table and page read, and what the parser
of commands says (commands/NAME/LC_MESSAGES/messages.po) gettext's own form. Neither is in git.
"""

from __future__ import annotations

import json
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tiltboard/firmware_host/messages"
LANGUAGES = ("de", "es", "fr", "pl")
CONTEXT_END = "\x04"  # as gettext joins a context and its message; catalogue.FORM


def compile_all() -> None:
    """Every language's two files."""
    for language in LANGUAGES:
        (FOLDER / f"{language}.json").write_text(compiled(read(language)), encoding="utf-8")
        source = FOLDER / "commands" / language / "LC_MESSAGES/messages.po"
        with source.open("rb") as lines, source.with_suffix(".mo").open("wb") as file:
            write_mo(file, read_po(lines, language))


def read(language: str) -> Catalog:
    """A language as it stands in its file; an empty one where there is none yet."""
    file = FOLDER / f"{language}.po"
    if not file.exists():
        return Catalog(language)
    with file.open("rb") as lines:
        return read_po(lines, language)


def compiled(catalogue: Catalog) -> str:
    """As table and page read it."""
    messages = {}
    for message in catalogue:
        english, string = english_of(message.id), message.string
        if english and is_whole(string):
            key = f"{message.context}{CONTEXT_END}{english}" if message.context else english
            messages[key] = list(string) if isinstance(string, tuple) else string
    about = {"language": str(catalogue.locale), "plural": catalogue.plural_expr}
    whole = {**about, "messages": dict(sorted(messages.items()))}
    return json.dumps(whole, ensure_ascii=False, indent=0) + "\n"


def english_of(key: str | tuple[str, ...]) -> str:
    """A message's English text; empty: the catalogue's head."""
    return key[0] if isinstance(key, tuple) else key


def is_whole(string: str | tuple[str, ...]) -> bool:
    """Whether it is translated, in every plural form."""
    return all(string) if isinstance(string, tuple) else bool(string)


if __name__ == "__main__":
    compile_all()
