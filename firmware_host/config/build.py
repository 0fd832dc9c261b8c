"""Builds the drivers that a profile describes, so that profiles do not have to import drivers."""

from __future__ import annotations

from tiltboard.drivers import node
from tiltboard.drivers.buses import Buses
from tiltboard.drivers.node_link import NodeLink, NodeSettings
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import NodeHall


def build_plate(profile: Profile, buses: Buses) -> Plate:
    """Return the drivers of all parts of the table. The buses are opened by the first scan."""
    hall, imu, lights, panel = profile.hall, profile.imu, profile.lights, profile.panel
    if isinstance(hall, NodeHall):
        return _on_node(hall, profile, buses)
    return Plate(
        hall.driver(profile, buses),
        None if imu is None else imu.driver(buses),
        None if lights is None else lights.driver(profile.size, buses),
        None if panel is None else panel.driver(buses),
        buses.clock,
    )


def _on_node(hall: NodeHall, profile: Profile, buses: Buses) -> Plate:
    """Return the drivers for a plate with its own controller. The drivers of all parts share one
    serial link.
    """
    imu, lights = profile.imu, profile.lights
    link = NodeLink(NodeSettings(hall.port, hall.baud, profile.columns, profile.rows), buses)
    sensors = node.NodeHallDriver(link)
    return Plate(
        sensors,
        None if imu is None else node.NodeImuDriver(link, imu.arm_m, imu.spin_gain),
        None if lights is None else node.NodeLightsDriver(lights.settings(profile.size), link),
        None if profile.panel is None else node.NodePanelDriver(link),
        buses.clock,
        read_at_s=lambda: sensors.time_s,
    )
