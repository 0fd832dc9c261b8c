"""Messages for people, and the catalogues that translate them.

Each message is identified by its English sentence. The translations are in gettext catalogues
beside this module, one ``NAME.po`` for each language (docs/languages.md).
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
