"""The functions that the table calls (entry point ``tiltboard.online``), with imports when
called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tiltboard.firmware_host.config.files import Tell
from tiltboard.firmware_host.config.settings import FarSettings, Settings
from tiltboard.firmware_host.host.online import FarMatch, Teller
from tiltboard.firmware_host.messages import Catalogue, Message
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import NewGame


def open_match(
    folder: Path, settings: FarSettings, begin: Callable[[NewGame], int], tell: Tell | None
) -> FarMatch:
    """Continue the match that is kept in ``folder``, if any. Raises FarError."""
    from tiltboard_online.far.match_session import Far

    return Far(folder, settings, begin, tell)


def read_code(typed: str) -> str:
    """Return a match's code as it is written. Raises NotPossibleError if it is none."""
    from tiltboard_online.far import seal

    return seal.read_code(typed)


def why_unreachable(settings: FarSettings) -> Message | None:
    """Return why no other table can be reached, or None; looks it up, for some seconds."""
    from tiltboard_online.far import link

    return link.why_unreachable(settings)


def telling(table: Table, settings: Settings, state: Path, spoken: Catalogue) -> Teller:
    """Return what tells lookers and the house of ``table``. Raises FarError, ConfigError."""
    from tiltboard_online.broadcast.publisher import Telling

    return Telling(table, settings, state, spoken)


def look_key(state: Path) -> str:
    """Return the key of the link to look on at this table. Raises NotPossibleError."""
    from tiltboard_online.broadcast import publisher as broadcast

    return broadcast.look_key(state)
