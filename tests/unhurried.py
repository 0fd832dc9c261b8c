"""Tables that scan less often: what people, games and faults do to them takes as long, and is
computed in half the time.

Each table's whole game under faults (tests/sim/test_profile_games.py; a node's in the soak, each
night), commands, benches and all of perception's own tests keep the profile's rate;
test_slow_computer.py has an even lower one.
"""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from tiltboard.firmware_host.config.profile import Profile, load_profile

SCANS_PER_S = 20


@cache
def unhurried(name: str) -> Profile:
    """Return the profile of that name, with a low rate; a node's firmware follows it."""
    return replace(load_profile(name), scans_per_s=SCANS_PER_S)
