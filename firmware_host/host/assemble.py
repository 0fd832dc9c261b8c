"""Builds a host for a profile on whatever buses there are."""

from __future__ import annotations

import logging
from pathlib import Path

from drivers.attitude import Vector
from drivers.buses import Buses
from drivers.errors import PartAbsentError, PartError
from drivers.hall import HallSettings
from drivers.hall_switches import MatrixSettings, SwitchSettings
from drivers.lights import LightsSettings, StripSettings
from drivers.lsm6dsox import Lsm6dsoxSettings
from drivers.mpu6050 import ImuSettings
from drivers.node_link import NodeSettings
from drivers.panel import PanelSettings
from drivers.plate import Plate, build_node_plate, build_plate
from firmware_host.config.paths import CALIBRATION_NAME, JOURNAL_NAME
from firmware_host.config.profile import Profile
from firmware_host.config.settings import Settings, engine_commands
from firmware_host.config.wiring import (
    DualSwitchHall,
    GpioPanel,
    ImuConfig,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    NodeHall,
    NodeLights,
    Ws2812Lights,
)
from firmware_host.engines.room import EngineRoom
from firmware_host.host.host import Host
from firmware_host.host.menu import usual_options
from firmware_host.journal import Journal, Starts
from firmware_host.perception.calibration_store import CalibrationStore
from firmware_host.table.commands import NewGame
from games.registry import game_type

_log = logging.getLogger(__name__)


def plate_for(profile: Profile, buses: Buses) -> Plate:
    """The drivers of ``profile`` on ``buses``. Opens nothing: the first scan does."""
    hall = profile.hall
    if isinstance(hall, NodeHall):
        return _node_plate(profile, hall, buses)
    return build_plate(
        _hall(profile, hall), _imu(profile), _lights(profile), _panel(profile), buses
    )


def _node_plate(profile: Profile, hall: NodeHall, buses: Buses) -> Plate:
    settings = NodeSettings(hall.port, hall.baud, profile.columns, profile.rows)
    lights = profile.lights
    own = _light_settings(lights, profile.size) if isinstance(lights, NodeLights) else None
    return build_node_plate(
        settings,
        own,
        buses,
        imu_arm_m=None if profile.imu is None else _arm_m(profile.imu),
        spin_gain=1.0 if profile.imu is None else profile.imu.spin_gain,
        panel=profile.panel is not None,
    )


def _hall(
    profile: Profile, hall: MuxAdcHall | DualSwitchHall | MatrixHall
) -> HallSettings | SwitchSettings | MatrixSettings:
    match hall:
        case MuxAdcHall():
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
        case DualSwitchHall():
            return SwitchSettings(hall.i2c_bus, hall.addresses, profile.columns)
        case MatrixHall():
            return MatrixSettings(hall.row_pins, hall.north_pins, hall.south_pins)


def _imu(profile: Profile) -> ImuSettings | Lsm6dsoxSettings | None:
    imu = profile.imu
    if isinstance(imu, Mpu6050Imu):
        return ImuSettings(imu.i2c_bus, imu.address, _arm_m(imu), imu.spin_gain)
    if isinstance(imu, Lsm6dsoxImu):
        return Lsm6dsoxSettings(imu.i2c_bus, imu.address, _arm_m(imu), imu.spin_gain)
    return None


def _arm_m(imu: ImuConfig) -> Vector:
    east, north, up = imu.arm_mm
    return east / 1000, north / 1000, up / 1000


def _lights(profile: Profile) -> StripSettings | None:
    lights = profile.lights
    if not isinstance(lights, Ws2812Lights):
        return None
    light_settings = _light_settings(lights, profile.size)
    return StripSettings(lights.pin, light_settings, lights.supply_pin, lights.writer)


def _light_settings(lights: Ws2812Lights | NodeLights, count: int) -> LightsSettings:
    return LightsSettings(
        count=count,
        supply_a=lights.supply_a,
        brightness=lights.brightness,
        gamma=lights.gamma,
        channel_ma=lights.channel_ma,
        idle_ma=lights.idle_ma,
    )


def _panel(profile: Profile) -> PanelSettings | None:
    panel = profile.panel
    if not isinstance(panel, GpioPanel):
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
    starts = Starts(opened.journal)
    try:
        left = starts.begin()
        return Host(
            profile,
            plate_for(profile, buses),
            opened.journal,
            CalibrationStore(state / CALIBRATION_NAME, profile),
            buses.clock,
            first_game=_first_game(profile, settings),
            notice=left if opened.set_aside is None else opened.set_aside.message(),
            scanned=starts.scanned,
            engines=EngineRoom(engine_commands(settings), ponders=settings.ponder),
        )
    except BaseException:
        opened.journal.close()
        raise


def _first_game(profile: Profile, settings: Settings) -> NewGame:
    """As the settings say; the usual game as it fits the table where they do not."""
    options = settings.options or usual_options(game_type(settings.game), profile.capabilities)
    return NewGame(settings.game, options)


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
