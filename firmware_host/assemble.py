"""Builds a host for a profile on whatever buses there are."""

from __future__ import annotations

import logging
from pathlib import Path

from drivers.buses import Buses
from drivers.errors import PartAbsentError, PartError
from drivers.hall import HallSettings
from drivers.hall_switches import SwitchSettings
from drivers.lights import LightsSettings
from drivers.lsm6dsox import Lsm6dsoxSettings
from drivers.matrix import MatrixSettings
from drivers.mpu6050 import ImuSettings
from drivers.panel import PanelSettings
from drivers.plate import Plate, build_plate
from firmware_host.calibration_store import CalibrationStore
from firmware_host.commands import NewGame
from firmware_host.host import Host
from firmware_host.journal import Journal
from firmware_host.profile import (
    DualSwitchHall,
    ImuConfig,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    PanelConfig,
    Profile,
)
from firmware_host.settings import Settings
from firmware_host.state import CALIBRATION_NAME, JOURNAL_NAME

_log = logging.getLogger(__name__)


def plate_for(profile: Profile, buses: Buses) -> Plate:
    """The drivers of ``profile`` on ``buses``. Opens nothing: the first scan does."""
    return build_plate(
        _hall(profile), _imu(profile.imu), _lights(profile), _panel(profile.panel), buses
    )


def _hall(profile: Profile) -> HallSettings | SwitchSettings | MatrixSettings:
    match profile.hall:
        case MuxAdcHall() as hall:
            return HallSettings(
                sensors=profile.size,
                spi_bus=hall.spi_bus,
                spi_device=hall.spi_device,
                address_pins=hall.address_pins,
                spares=tuple((spare.input, spare.carries) for spare in hall.spares),
                spi_hz=hall.spi_hz,
                reference_v=hall.reference_v,
                sensitivity_mv_mt=hall.sensitivity_mv_mt,
            )
        case DualSwitchHall() as hall:
            return SwitchSettings(hall.i2c_bus, hall.addresses, profile.columns)
        case MatrixHall() as hall:
            return MatrixSettings(hall.row_pins, hall.north_pins, hall.south_pins)


def _imu(imu: ImuConfig | None) -> ImuSettings | Lsm6dsoxSettings | None:
    match imu:
        case None:
            return None
        case Mpu6050Imu():
            return ImuSettings(i2c_bus=imu.i2c_bus, address=imu.address)
        case Lsm6dsoxImu():
            return Lsm6dsoxSettings(i2c_bus=imu.i2c_bus, address=imu.address)


def _lights(profile: Profile) -> LightsSettings | None:
    lights = profile.lights
    if lights is None:
        return None
    return LightsSettings(
        pin=lights.pin,
        count=profile.size,
        supply_a=lights.supply_a,
        brightness=lights.brightness,
        gamma=lights.gamma,
        channel_ma=lights.channel_ma,
        idle_ma=lights.idle_ma,
    )


def _panel(panel: PanelConfig | None) -> PanelSettings | None:
    if panel is None:
        return None
    return PanelSettings(panel.confirm_pin, panel.back_pin, panel.buzzer_pin)


def open_host(profile: Profile, buses: Buses, state: Path, settings: Settings) -> Host:
    """A host that goes on where the journal in ``state`` ends.

    Call it in the thread that will step it. Raises JournalInUseError, JournalFullError, and what
    ``settings`` make impossible (RulesError, BoardDoesNotFitError).
    """
    opened = Journal.open_or_set_aside(state / JOURNAL_NAME, buses.clock)
    if opened.set_aside is not None:
        _log.warning("%s %s", opened.set_aside.problem, opened.set_aside.message())
    try:
        return Host(
            profile,
            plate_for(profile, buses),
            opened.journal,
            CalibrationStore(state / CALIBRATION_NAME, profile),
            buses.clock,
            first_game=_first_game(profile, settings),
            notice=None if opened.set_aside is None else opened.set_aside.message(),
        )
    except BaseException:
        opened.journal.close()
        raise


def _first_game(profile: Profile, settings: Settings) -> NewGame:
    """As the settings say; the usual game as it fits the table where they do not."""
    usual = settings.game == Settings().game and not settings.options
    return NewGame(settings.game, profile.first_options if usual else settings.options)


def missing_table(profile: Profile, buses: Buses) -> tuple[PartError, ...]:
    """What is missing where no part of the table answers; empty where at least one does.

    A table with only some parts is run: it pauses, says which are lost, and goes on when they come.
    """
    plate = plate_for(profile, buses)
    try:
        plate.scan()
        plate.show([(0.0, 0.0, 0.0)] * profile.size)
        faults = plate.scan().faults
    finally:
        plate.close()
    nothing = len(faults) == plate.part_count and all(
        isinstance(fault, PartAbsentError) for fault in faults
    )
    return faults if nothing else ()
