"""The drivers of a table's parts from its profile."""

from __future__ import annotations

from os import PathLike

from tiltboard.drivers.buses import Buses
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import Profile, load_profile


def plate(profile: str | PathLike[str] | Profile, buses: Buses | None = None) -> Plate:
    """Return the drivers of all parts of a table: sensors, tilt sensor, lights, panel.

    ``profile``: a profile, the name of one that ships, or the path of its TOML file. ``buses``: by
    default this Raspberry Pi's own. Nothing is opened before the first scan; ``close`` gives all
    buses back. Raises TiltboardError for a profile that cannot be read. A part that is not there is
    a fault in the frame, and is tried again:

        >>> from tiltboard.testing import SimBuses
        >>> with SimBuses() as buses:  # nothing hangs on them
        ...     frame = plate("plate-7", buses).scan()
        >>> [lost.part for lost in frame.faults]
        ['hall', 'imu']
    """
    from tiltboard.drivers.pi_buses import PiBuses

    table = profile if isinstance(profile, Profile) else load_profile(profile)
    return build_plate(table, PiBuses() if buses is None else buses)
