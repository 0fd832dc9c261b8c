"""Tables that scan less often: what people, games and faults do to them takes as long, and is
computed in half the time.

Each table's whole game under faults (tests/sim/test_profile_games.py), commands, benches and all of
perception's own tests keep the profile's rate; test_slow_computer.py has an even lower one.
"""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.wiring import NodeHall

SCANS_PER_S = 20


@cache
def unhurried(name: str) -> Profile:
    """The profile of that name; a node keeps its rate, which is its firmware's."""
    profile = load_profile(name)
    if isinstance(profile.hall, NodeHall):
        return profile
    return replace(profile, scans_per_s=SCANS_PER_S)
