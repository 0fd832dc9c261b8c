"""The functions that the host calls through the entry point ``tiltboard.online``.

Each function imports its modules only when it is called, to keep the start fast.
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
    """Return this table's match with other tables. If ``folder`` has a stored match, the stored
    match continues. Raises FarError.
    """
    from tiltboard_online.far.match_session import Far

    return Far(folder, settings, begin, tell)


def read_code(typed: str) -> str:
    """Return a typed match code in its standard form. Raises NotPossibleError if the code is
    invalid.
    """
    from tiltboard_online.far import seal

    return seal.read_code(typed)


def why_unreachable(settings: FarSettings) -> Message | None:
    """Return the reason why other tables cannot be reached, or None if they can be reached. The
    check takes some seconds.
    """
    from tiltboard_online.far import link

    return link.why_unreachable(settings)


def telling(table: Table, settings: Settings, state: Path, spoken: Catalogue) -> Teller:
    """Return the object that publishes the table's state for spectators and the smart home. Raises
    FarError or ConfigError.
    """
    from tiltboard_online.broadcast.publisher import Telling

    return Telling(table, settings, state, spoken)


def look_key(state: Path) -> str:
    """Return the key in this table's link for spectators. Raises NotPossibleError."""
    from tiltboard_online.broadcast import publisher as broadcast

    return broadcast.look_key(state)
