"""The message catalogue: every text for people passes through ``translate``.

The English sentence is the key. Translations stand in gettext's catalogues beside this module, one
``NAME.po`` for each language (docs/languages.md).
"""

from __future__ import annotations

from tiltboard.firmware_host.messages.catalogue import (
    ENGLISH,
    Catalogue,
    chosen,
    languages,
)
from tiltboard.firmware_host.messages.message import Message, nearest, text

__all__ = [
    "ENGLISH",
    "Catalogue",
    "Message",
    "chosen",
    "languages",
    "nearest",
    "text",
]
