"""Creates the host for a table profile and the given hardware buses."""

from __future__ import annotations

import logging
from pathlib import Path

from tiltboard.drivers.buses import Buses
from tiltboard.drivers.errors import PartAbsentError, PartError
from tiltboard.firmware_host import stop
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.files import CALIBRATION_NAME, JOURNAL_NAME
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import Settings, engine_commands
from tiltboard.firmware_host.engines.engine_pool import EnginePool
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.host.lobby import presets_for, usual_options
from tiltboard.firmware_host.journal.writer import Journal, Starts
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.perception.calibration import CalibrationStore
from tiltboard.firmware_host.stop import StopRequest
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.registry import HOSTED, game_type

_log = logging.getLogger(__name__)


def open_host(
    profile: Profile,
    buses: Buses,
    state: Path,
    settings: Settings,
    first_game: NewGame | None = None,
    *,
    boot: str | None = None,
) -> Host:
    """Return a host that resumes the current game of the journal in ``state``. If the journal has
    no current game, the host starts ``first_game``, or the game of the ``settings`` if
    ``first_game`` is None. ``boot``: identifier of this boot of the Pi, or None to ask the system.

    Call this function in the thread that will step the host. Raises JournalInUseError,
    JournalFullError, and RulesError or BoardDoesNotFitError if the ``settings`` are impossible.
    """
    stop.check()
    first_game = first_game or _first_game(profile, settings)
    journal = Journal.open(state / JOURNAL_NAME, buses.clock, or_set_aside=True)
    aside = journal.set_aside
    if aside is not None:
        _log.warning("%s %s", aside.problem, aside.message())
    damaged: list[Message] = []
    starts = Starts(journal, damaged.append, boot)
    try:
        left = starts.begin()
        return Host(
            profile,
            build_plate(profile, buses),
            journal,
            CalibrationStore(state / CALIBRATION_NAME, profile, damaged.append),
            buses.clock,
            first_game=first_game,
            notice=left if aside is None else aside.message(),
            scanned=starts.count_scan,
            stopped=starts.end,
            damaged=damaged,
            engines=EnginePool(engine_commands(settings), ponders=settings.ponder),
            far=settings.far,
        )
    except StopRequest:
        starts.end()
        journal.close()
        raise
    except BaseException:
        journal.close()
        raise


def _first_game(profile: Profile, settings: Settings) -> NewGame:
    """Return the game of the ``settings``. If the settings choose no options and no board of that
    game fits the table, return the first game with a board that fits. Raises RulesError.
    """
    kind = game_type(settings.game)
    if kind.presets and not settings.options and not presets_for(kind, profile):
        kind = next((each for each in HOSTED.values() if presets_for(each, profile)), kind)
    return NewGame(kind.name, settings.options or usual_options(kind, profile))


def missing_table(profile: Profile, buses: Buses) -> tuple[PartError, ...]:
    """Return the faults of all parts if no part of the table answers, or an empty tuple if at least
    one part answers.

    A table on which only some parts work still runs: it pauses, reports the missing parts, and
    continues when they are connected.
    """
    plate = build_plate(profile, buses)
    try:
        plate.scan()
        plate.show([None] * profile.size)
        faults = plate.scan().faults
    finally:
        plate.close()
    nothing = len(faults) == plate.part_count and all(
        isinstance(fault, PartAbsentError) for fault in faults
    )
    return faults if nothing else ()
