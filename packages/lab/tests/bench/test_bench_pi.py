"""Tests of tiltboard_lab/bench/pi.py: the budget of a scan on each Pi, reckoned again by the
second, and against the page's table.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from tiltboard.drivers.hall import GRAY_ORDER
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard_lab.bench.pi import COMPUTERS, advance, budget, planets

PAGE = Path(__file__).resolve().parents[4] / "docs/benchmarks.md"
# Microseconds a call: an SPI transfer of three bytes, a pin (docs/benchmarks.md).
CALLS_US = {"Zero 2 W": (46, 80), "Pi 3": (38, 67), "Pi 4": (38, 22), "Pi 5": (24, 11)}
RATES = {"Zero 2 W": 25, "Pi 3": 25, "Pi 4": 50, "Pi 5": 50}


def rows() -> dict[str, list[float]]:
    table = PAGE.read_text().partition("\n## A scan on each Pi\n")[2].partition("\n## ")[0]
    lines = (
        line.strip("| ").split(" | ")
        for line in table.splitlines()
        if "Pi" in line or "Zero" in line
    )
    return {
        cells[0]: [float(re.findall(r"[\d.]+", cell)[0]) for cell in cells[1:]]
        for cells in lines
        if len(cells) == 10 and cells[0] in CALLS_US
    }


@pytest.mark.parametrize("computer", COMPUTERS, ids=lambda computer: computer.name)
def test_a_second_of_calls_makes_what_the_budget_of_a_scan_says(computer):
    profile = load_profile("plate-10")
    transfers = profile.size + len(profile.hall.spares)  # each input is converted once
    pins = len(GRAY_ORDER) + 2  # one line changes at each address; two buttons
    rate, (spi_us, pin_us) = RATES[computer.name], CALLS_US[computer.name]
    processor_us = 3380 * Fraction(str(computer.slower))
    second_us = rate * (transfers * spi_us + pins * pin_us + 390 + 200 + processor_us)
    # A conversion is 27 clocks of 1.35 MHz, during which the processor does other things.
    waiting_us = rate * (transfers * Fraction(27, 1_350_000) * 1_000_000 + 390)
    found = budget(computer, 3.38)
    assert found.of_period == pytest.approx(float(second_us / 1_000_000))
    assert found.of_core == pytest.approx(float((second_us - waiting_us) / 1_000_000))
    assert found.sum_ms * 1000 * rate == pytest.approx(float(second_us))


def test_the_pages_table_is_that_arithmetic():
    found = rows()
    assert set(found) == set(CALLS_US)
    pi4_ms = found["Pi 4"][5]
    for computer in COMPUTERS:
        reckoned = budget(computer, pi4_ms)
        goal, *parts, of_period, of_core = found[computer.name]
        assert goal == computer.goal
        assert parts == pytest.approx((*reckoned.parts_ms, reckoned.sum_ms), abs=0.03)
        assert of_period == pytest.approx(reckoned.of_period * 100, abs=1)
        assert of_core == pytest.approx(reckoned.of_core * 100, abs=1)


def energy(bodies):
    moving = sum(m * sum(v * v for v in speed) / 2 for _, speed, m in bodies)
    pulling = sum(
        one[2] * other[2] / math.dist(one[0], other[0]) for one, other in combinations(bodies, 2)
    )
    return moving - pulling


def test_the_yardstick_is_the_program_whose_time_on_a_pi_4_is_published():
    """Its output before and after a thousand steps, as its page gives it."""
    bodies = planets()
    assert f"{energy(bodies):.9f}" == "-0.169075164"
    advance(bodies, list(combinations(bodies, 2)), 1000)
    assert f"{energy(bodies):.9f}" == "-0.169087605"
