"""The message catalogue: every text for people passes through ``translate``.

The English sentence is the key. A language is a TOML file beside this module whose ``[messages]``
maps English templates to translated ones, with the same ``{named}`` fields.
"""

from __future__ import annotations

from firmware_host.messages.catalogue import Catalogue, Message, languages, text

__all__ = ["Catalogue", "Message", "languages", "text"]
