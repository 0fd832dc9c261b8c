"""Profiles with a low scan rate: a simulated action takes the same virtual time with half the
computation.

Some tests keep the profile's own rate: a whole game under faults for each table
(tests/sim/test_profile_games.py; for a node in the nightly soak), commands, benches, and all tests
of perception. test_slow_computer.py uses an even lower rate.
"""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from tiltboard.firmware_host.config.profile import Profile, load_profile

SCANS_PER_S = 20


@cache
def unhurried(name: str) -> Profile:
    """Return the profile ``name`` with a low scan rate, which a node's firmware also uses."""
    return replace(load_profile(name), scans_per_s=SCANS_PER_S)
