"""Tests of firmware_host/perception/perception.py and firmware_host/table/sight.py: however
often a table is scanned, it takes the same time to see what people do and what fails.
"""

import random

import pytest

from tiltboard.firmware_host.table.sight import Magnet

N, S, WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.S_WEAK
RATES = (25, 50, 100)


def seconds_until(table, told, most_s: float = 6.0, each_scan=lambda: None) -> float:
    """Until ``told`` of the observation."""
    rate = table.plate.profile.scans_per_s
    for scans in range(1, round(most_s * rate) + 1):
        each_scan()
        table.run()
        if told(table.last):
            return scans / rate
    raise AssertionError(f"not within {most_s} s at {rate} scans/s")


def dead(table) -> float:
    table.plate.failed_mt = {"e5": 27.5}  # the output ends before both rails
    return seconds_until(table, lambda seen: "dead" in seen.faulty.values())


def stuck(table) -> float:
    table.plate.failed_mt = {"e5": 0.3}
    return seconds_until(table, lambda seen: "stuck" in seen.faulty.values())


def noisy(table) -> float:
    rng, e5 = random.Random(3), table.plate.index("e5")

    def hiss() -> None:
        table.plate.extra_mt = {e5: rng.gauss(0, 0.5)}

    return seconds_until(table, lambda seen: "noisy" in seen.faulty.values(), each_scan=hiss)


def drifting(table) -> float:
    e5, rate = table.plate.index("e5"), table.plate.profile.scans_per_s
    since = table.plate.number

    def creep() -> None:
        table.plate.extra_mt = {e5: 0.05 * (table.plate.number - since) / rate}

    return seconds_until(table, lambda seen: "drifting" in seen.faulty.values(), 20.0, creep)


def healed(table) -> float:
    stuck(table)
    table.plate.failed_mt = {}
    return seconds_until(table, lambda seen: not seen.faulty)


def weak_piece(table) -> float:
    table.plate.put("e5", WEAK)
    return seconds_until(table, lambda seen: WEAK in seen.magnets)


def weak_magnet(table) -> float:
    table.plate.put("e5", S, strength=0.4)
    return seconds_until(table, lambda seen: seen.weak)


def unclear(table) -> float:
    table.plate.put("e5", S, dx=12.0)
    return seconds_until(table, lambda seen: seen.unsure)


@pytest.mark.parametrize(
    "takes_s", [dead, stuck, noisy, drifting, healed, weak_piece, weak_magnet, unclear]
)
def test_it_takes_as_long_at_every_rate(table, takes_s):
    strong = frozenset({N, S}) if takes_s is weak_magnet else None
    times = [takes_s(table(scans_per_s=rate, classes=strong)) for rate in RATES]
    assert max(times) - min(times) <= max(0.1, 0.1 * max(times))


@pytest.mark.parametrize("rate", RATES)
def test_a_piece_is_accepted_after_three_scans_and_zeroing_takes_no_longer(table, rate):
    """Noise goes by the number of readings averaged, so that this is no time."""
    t = table(scans_per_s=rate)
    assert t.plate.number / rate < 1.0
    t.plate.put("d4", N)
    t.run(2 / rate)
    assert t.seen() == {}
    assert t.named(t.run()) == [("placed", "d4")]
