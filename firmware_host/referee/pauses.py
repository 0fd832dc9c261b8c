"""When the board cannot be judged, and why."""

from __future__ import annotations

from firmware_host.config.errors import JournalError
from firmware_host.guidance import troubles
from firmware_host.messages import Message
from firmware_host.perception.observation import Stillness
from firmware_host.referee.asking import Asking
from firmware_host.table.sight import Sight


def why_paused(sight: Sight, trouble: JournalError | None) -> Message | None:
    """What play waits for; None where it goes on."""
    if sight.faults:
        return troubles.part_missing(sight.faults)
    if trouble is not None:
        return troubles.part_missing([trouble])
    if not sight.ready:
        return troubles.not_ready()
    if sight.stillness is not Stillness.STILL:
        return troubles.not_still(sight.stillness)
    return None


def may_answer(sight: Sight, trouble: JournalError | None, asking: Asking) -> bool:
    """Whether the plate is only tilted as much as answers the question that is asked."""
    return (
        not sight.faults
        and trouble is None
        and sight.ready
        and sight.stillness in (Stillness.TILTED, Stillness.MOVING)
        and asking.may_lean(sight.tilt_rad)
    )
