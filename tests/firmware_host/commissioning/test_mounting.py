"""Tests of firmware_host/commissioning/mounting.py: a tilt sensor that lies in any of 24 ways is
found out by calibration, and read rightly then.
"""

from __future__ import annotations

from math import atan, cos, degrees, radians, sin

import msgspec
import pytest

from tests.unhurried import unhurried
from tiltboard.drivers.attitude import FLAT, Mounting, all_mountings
from tiltboard.firmware_host.commissioning.mounting import describe, is_level, mounting_of, refusal
from tiltboard.firmware_host.commissioning.progress import SweepPart
from tiltboard.firmware_host.commissioning.tasks import EAST, NORTH, Ask
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.host.pacer import Pacer

G = 9.80665
UP = (0.0, 0.0, G)


def felt(x_deg, y_deg=0.0):
    """By the physics of a rigid body: about x by the first angle, then about its own y."""
    a, b = radians(x_deg), radians(y_deg)
    return -G * sin(b) * cos(a), G * sin(a), G * cos(b) * cos(a)


def test_there_are_24_ways_and_each_leads_back():
    found = set(all_mountings())
    assert len(found) == 24
    for orientation in found:
        assert orientation.on_plate(orientation.on_chip((1.0, 2.0, 3.0))) == (1.0, 2.0, 3.0)
        # A turn keeps lengths and handedness: what is east x north stays up.
        east, north = orientation.on_chip((1.0, 0.0, 0.0)), orientation.on_chip((0.0, 1.0, 0.0))
        cross = (
            east[1] * north[2] - east[2] * north[1],
            east[2] * north[0] - east[0] * north[2],
            east[0] * north[1] - east[1] * north[0],
        )
        assert cross == orientation.on_chip((0.0, 0.0, 1.0))
    with pytest.raises(ValueError, match="no chip"):
        Mounting("+x", "-y", "+z")


@pytest.fixture(scope="module")
def tiny():
    plate = unhurried("plate-10")
    return msgspec.structs.replace(plate, name="tiny", columns=2, rows=1)


WAYS = list(all_mountings())
TRIED = [("tiny", orientation) for orientation in WAYS]
TRIED += [(name, way) for name in ("plate-10", "plate-7", "node") for way in WAYS[1::9]]


@pytest.mark.parametrize(
    ("name", "orientation"), TRIED, ids=lambda v: getattr(v, "north", v) + getattr(v, "up", "")
)
def test_it_works_however_it_lies(swept, tiny, name, orientation):
    profile = tiny if name == "tiny" else unhurried(name)

    def glue(table):
        table.imu_orientation = orientation

    run = swept(profile, seed=2, parts=(SweepPart.EDGES,), prepare=glue)
    assert run.refused == []
    found, table = run.calibration(), run.table
    assert found.orientation == orientation
    x_g, y_g, z_g = orientation.on_plate(table.imu.spread.accel_offset_g)
    level = atan(y_g / (1 + z_g)), atan(-x_g / (1 + z_g))
    assert found.level_rad == pytest.approx(level, abs=0.012)
    with table:
        plate, pacer = build_plate(profile, table.buses), Pacer(table.clock, profile.scans_per_s)
        plate.mount(found.orientation)
        table.hands.tilt(radians(6), radians(-4))
        until_s = table.clock.now() + 4
        while table.clock.now() < until_s:
            pacer.wait()
            frame = plate.scan()
        tilt = [
            degrees(t - zero)
            for t, zero in zip(frame.motion.tilt_rad, found.level_rad, strict=True)
        ]
        assert tilt == pytest.approx([6, -4], abs=0.8)
        plate.close()


def test_another_edge_than_the_lit_one_has_both_asked_for_again(swept, tiny):
    """Somebody lifts the south edge for the north one, and then the right one."""
    lifts = {"north": [(-9, 0), (9, 0)], "east": [(0, -9), (0, -9)]}

    def wrong(run):
        last = None
        while not run.sweep.done:
            task, now_s = run.step.task, run.table.clock.now()
            at_rest = now_s > run.table.world.plate.busy_until_s
            if task != last and task is not None and task.ask is Ask.EDGE and at_rest:
                x, y = lifts[task.name].pop(0)
                run.table.world.plate.tilt(radians(x), radians(y), now_s, for_s=1.5)
                last = task
            yield None

    run = swept(tiny, parts=(SweepPart.EDGES,), mishap=wrong)
    edges = [task.name for task in run.asked if task.ask is Ask.EDGE]
    assert edges == ["north", "east", "north", "east"]
    assert [words[:33] for words in run.refused] == ["The two edges contradict each oth"]
    assert run.calibration().orientation == FLAT


def test_a_corner_is_no_edge():
    assert "corner" in str(refusal(NORTH, UP, {"north": felt(7, -6)}))
    assert refusal(NORTH, UP, {"north": felt(7, -1)}) is None
    assert "contradict" in str(refusal(EAST, UP, {"north": felt(7), "east": felt(7)}))
    assert refusal(EAST, UP, {"north": felt(7), "east": felt(0, -7)}) is None


def test_offsets_are_no_slope():
    # MPU-6050: 50 mg in its plane, 80 mg along z, which lies level when the chip stands on edge.
    assert is_level((0.05 * G, 0.04 * G, G))
    assert not is_level(felt(8))
    assert is_level((0.0, G, 0.08 * G))


def test_it_is_told_in_words():
    assert "as the wiring page" in str(describe(FLAT))
    forces = {
        "north": (0.0, G * sin(0.1), -G * cos(0.1)),
        "east": (-G * sin(0.1), 0, -G * cos(0.1)),
    }
    orientation = mounting_of((0.0, 0.0, -G), forces)
    assert orientation == Mounting("-x", "+y", "-z")
    assert (
        str(describe(orientation))
        == "The tilt sensor lies with its face down and its x arrow to the west."
    )
