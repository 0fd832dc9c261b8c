"""The service's log: one cause does not fill the card, however often it comes about."""

from __future__ import annotations

import logging
from dataclasses import dataclass

MOST_AT_ONCE = 10  # of one cause
AGAIN_S = 60.0  # after so long as many again
MOST_CHARACTERS = 4_000  # of one record; the page's own messages may be as long as what was sent
MOST_CAUSES = 1_000  # remembered, the oldest forgotten first


@dataclass(slots=True)
class _Cause:
    since_s: float
    written: int = 0
    left_out: int = 0


class OneCauseAtATime(logging.Filter):
    """Lets ten records a minute through from each place in the code, and says with the next one
    how many it has left out. To be put on a handler. Time is that of the records.
    """

    def __init__(self) -> None:
        super().__init__()
        self._causes: dict[tuple[str, int, object], _Cause] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        kind = record.exc_info[0] if record.exc_info else None
        key = record.pathname, record.lineno, kind
        cause = self._causes.pop(key, None) or _Cause(record.created)
        self._causes[key] = cause
        while len(self._causes) > MOST_CAUSES:
            del self._causes[next(iter(self._causes))]
        left_out = 0
        if not 0 <= record.created - cause.since_s < AGAIN_S:
            left_out, cause.left_out = cause.left_out, 0
            cause.since_s, cause.written = record.created, 0
        cause.written += 1
        if cause.written > MOST_AT_ONCE:
            cause.left_out += 1
            return False
        said = record.getMessage()
        said = said if len(said) <= MOST_CHARACTERS else said[:MOST_CHARACTERS] + " ..."
        record.msg = f"{said} (and {left_out} more such lines)" if left_out else said
        record.args = None
        return True


def log_to_standard_error() -> None:
    """What the service writes: into systemd's journal, or a terminal."""
    handler = logging.StreamHandler()
    handler.addFilter(OneCauseAtATime())
    style = "%(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=style, handlers=[handler])
