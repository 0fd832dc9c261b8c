"""Tests of drivers/plate.py and frame.py: the whole plate: frames, faults, back-off, and what
happens when each part is unplugged.
"""

import errno
import itertools

import pytest

from tiltboard.drivers.errors import PartAbsentError, PartError
from tiltboard.drivers.frame import Frame
from tiltboard.drivers.hall import MuxHallArray
from tiltboard.drivers.lights import LightPattern, LightsSettings, LightStrip
from tiltboard.drivers.mpu6050 import Mpu6050
from tiltboard.drivers.panel import Panel
from tiltboard.drivers.plate import Plate

WHITE = [LightPattern((255, 255, 255))] * 100


def scans(plate, buses, count: int, every_s: float = 0.02) -> list[Frame]:
    frames = []
    for _ in range(count):
        frames.append(plate.scan())
        buses.clock.sleep(every_s)
    return frames


def test_building_opens_nothing(plate, buses) -> None:
    assert (buses.board.open_count, buses.mpu.open_count, buses.strips) == (0, 0, [])


def test_frames(plate, buses) -> None:
    frames = scans(plate, buses, 12, every_s=0.021)
    assert [frame.number for frame in frames] == list(range(12))
    assert all(len(frame.field_mt) == 100 for frame in frames)
    assert all(frame.faults == () for frame in frames)
    # 0.1 s of reset and 0.05 s of settling: the IMU is starting, which is no fault
    assert [frame.motion is not None for frame in frames] == [False] * 8 + [True] * 4
    assert frames[-1].temperature_c == pytest.approx(25.0)
    assert frames[-1].pressed == frozenset()
    times = [frame.time_s for frame in frames]
    assert times == [pytest.approx(100.0 + 0.021 * number) for number in range(12)]


def test_time_is_when_the_last_sensor_was_read(plate, buses) -> None:
    before_s = buses.clock.now()
    convert = buses.board.convert

    def slow(tx: list[int]) -> list[int]:
        buses.clock.time_s += 35e-6
        return convert(tx)

    buses.board.convert = slow
    read = buses.mpu.read
    buses.mpu.read = lambda *args: buses.clock.sleep(0.001) or read(*args)
    frame = plate.scan()
    assert frame.time_s == pytest.approx(before_s + 112 * 35e-6)


def test_buttons_reach_the_frame(plate, buses) -> None:
    plate.scan()
    buses.factory.pin(24).drive_low()
    assert plate.scan().pressed == {"back"}


def test_buttons_are_read_at_the_time_of_the_frame_whatever_hangs(plate, buses) -> None:
    """Found by the soak: a long press over a bus that hung was taken for a short one."""
    scans(plate, buses, 12)
    back = buses.factory.pin(24)
    back.drive_low()

    def hang(*_args) -> None:
        buses.clock.sleep(1.0)
        back.drive_high()  # let go meanwhile
        raise OSError(errno.ETIMEDOUT, "Connection timed out")

    buses.mpu.transfer = hang
    before_s = buses.clock.now()
    frame = plate.scan()
    assert buses.clock.now() - before_s >= 1.0
    assert (frame.pressed, frame.time_s) == ({"back"}, pytest.approx(before_s, abs=0.1))
    buses.mpu.transfer = lambda address: None
    buses.board.convert = hang
    frame = plate.scan()
    assert (frame.pressed, frame.time_s) == (frozenset(), pytest.approx(buses.clock.now(), abs=0.1))


def unplug_hall(buses) -> None:
    buses.board.plugged = False


def plug_hall(buses) -> None:
    buses.board.plugged = True


def unplug_imu(buses) -> None:
    buses.mpu.error = errno.EREMOTEIO


def plug_imu(buses) -> None:
    buses.mpu.error = None
    buses.mpu.power_up()


def unplug_lights(buses) -> None:
    buses.strips[-1].error = buses.missing["pixels"] = OSError(errno.EIO, "Input/output error")


def plug_lights(buses) -> None:
    buses.missing.clear()


def unplug_panel(buses) -> None:
    buses.broken_pins.add(23)


def plug_panel(buses) -> None:
    buses.broken_pins.clear()


UNPLUGGED = [
    # part, unplug, plug in, what a frame lacks meanwhile
    ("hall", unplug_hall, plug_hall, {"field_mt", "temperature_c"}),
    ("imu", unplug_imu, plug_imu, {"motion"}),
    ("lights", unplug_lights, plug_lights, set()),
    ("panel", unplug_panel, plug_panel, set()),
]


@pytest.mark.parametrize("case", UNPLUGGED, ids=lambda case: case[0])
def test_unplug_and_plug_in(plate, buses, case) -> None:
    part, unplug, plug, lacks = case
    scans(plate, buses, 12)
    unplug(buses)
    plate.show(WHITE)
    gone = scans(plate, buses, 5)
    for frame in gone[-3:]:
        assert [fault.part for fault in frame.faults] == [part]
        assert isinstance(frame.faults[0], PartAbsentError)
        assert frame.faults[0].remedy
        assert (frame.field_mt == ()) == ("field_mt" in lacks)
        assert (frame.temperature_c is None) == ("temperature_c" in lacks)
        assert (frame.motion is None) == ("motion" in lacks)
    plug(buses)
    back = scans(plate, buses, 30)[-1]
    assert back.faults == ()
    assert len(back.field_mt) == 100
    assert back.motion is not None
    assert back.temperature_c is not None
    assert plate.shown != bytes(300)


def test_gpio_lost_takes_array_and_panel_and_gives_them_back(plate, buses) -> None:
    buses.missing["gpio"] = PermissionError(errno.EACCES, "denied", "/dev/gpiochip0")
    frames = scans(plate, buses, 5)
    assert [fault.part for fault in frames[-1].faults] == ["hall", "panel"]
    buses.missing.clear()
    assert scans(plate, buses, 20)[-1].faults == ()


def test_faults_come_in_one_order(plate, buses) -> None:
    buses.missing["gpio"] = buses.missing["i2c"] = buses.missing["pixels"] = OSError(
        errno.ENODEV, "nothing"
    )
    frame = plate.scan()
    assert [fault.part for fault in frame.faults] == ["hall", "imu", "lights", "panel"]
    assert all(isinstance(fault, PartError) for fault in frame.faults)


def fail_next(buses, part: str, count: int) -> None:
    """Let the next ``count`` uses of a part fail."""
    owner, name = {
        "hall": (buses.board, "convert"),
        "imu": (buses.mpu, "transfer"),
    }[part]
    real, left = getattr(owner, name), [None] * count

    def failing(*args):
        if left:
            left.pop()
            raise OSError(errno.EIO, "Input/output error")
        return real(*args)

    setattr(owner, name, failing)


@pytest.mark.parametrize("part", ["hall", "imu"])
@pytest.mark.parametrize("count", [1, 2])
def test_what_one_scan_misses_is_neither_told_nor_lost(plate, buses, part: str, count: int) -> None:
    """One failure is repeated at once; if that fails too, the scan keeps the last value."""
    before = scans(plate, buses, 12)[-1]
    fail_next(buses, part, count)
    for frame in scans(plate, buses, 10):
        assert frame.faults == ()
        assert frame.field_mt == before.field_mt
        assert frame.motion is not None
        assert frame.motion.tilt_rad == pytest.approx(before.motion.tilt_rad, abs=0.01)


@pytest.mark.parametrize("part", ["hall", "imu"])
def test_what_two_scans_miss_is_told(plate, buses, part: str) -> None:
    scans(plate, buses, 12)
    fail_next(buses, part, 3)  # a use, its repetition, and that of the next scan
    first, second = scans(plate, buses, 2)
    assert first.faults == ()
    assert [fault.part for fault in second.faults] == [part]


def test_a_bad_conversion_a_second_costs_no_scan(plate, buses) -> None:
    """A spike on a test input, and MISO all ones, one conversion each in turn."""
    scans(plate, buses, 12)
    real, due_s, bent = buses.board.convert, [buses.clock.now()], [b"\xff\xff\xff", b"\0\x03\0"]

    def bad_now_and_then(tx: list[int]) -> list[int]:
        answer = real(tx)
        if buses.clock.now() >= due_s[0] and tx[1] == 0xE0:  # channel 6: the test inputs
            due_s[0] += 1.0
            bent.reverse()
            return list(bent[0])
        return answer

    buses.board.convert = bad_now_and_then
    frames = scans(plate, buses, 250)
    assert due_s[0] > buses.clock.now()
    assert all(len(frame.field_mt) == 100 and not frame.faults for frame in frames)


def test_back_off_doubles_to_two_seconds(plate, buses) -> None:
    scans(plate, buses, 12)
    attempts: list[float] = []
    transfer = buses.mpu.transfer

    def refused(address: int) -> None:
        attempts.append(buses.clock.now())
        raise OSError(errno.ETIMEDOUT, "timed out")

    buses.mpu.transfer = refused
    frames = scans(plate, buses, 200, every_s=0.05)
    assert all(frame.faults for frame in frames[1:])
    gaps = [b - a for a, b in itertools.pairwise(attempts)]
    wanted = [0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]
    assert len(gaps) == len(wanted)
    assert all(want - 1e-9 <= gap <= want + 0.051 for gap, want in zip(gaps, wanted, strict=True))
    buses.mpu.transfer = transfer
    buses.mpu.power_up()
    assert scans(plate, buses, 120)[-1].faults == ()


def test_a_bus_that_times_out_does_not_eat_the_scans(plate, buses) -> None:
    scans(plate, buses, 12)

    def hangs(address: int) -> None:
        buses.clock.time_s += 1.0  # the kernel's I2C time-out
        raise OSError(errno.ETIMEDOUT, "timed out")

    buses.mpu.transfer = hangs
    start_s = buses.clock.now()
    frames = scans(plate, buses, 100, every_s=0.1)
    stalled_s = buses.clock.now() - start_s - 100 * 0.1
    assert stalled_s < 0.5 * (buses.clock.now() - start_s)
    assert all(len(frame.field_mt) == 100 for frame in frames)


def test_a_fault_lasts_until_the_imu_measures_again(plate, buses) -> None:
    scans(plate, buses, 12)
    buses.mpu.power_up()
    frames = scans(plate, buses, 30)
    faulty = [bool(frame.faults) for frame in frames]
    assert faulty[0]
    assert faulty == sorted(faulty, reverse=True)  # once, without a gap, and then over
    assert not faulty[-1]
    assert all(frame.motion is None for frame in frames if frame.faults)
    assert all(frame.motion is not None for frame in frames if not frame.faults)


def test_colours_asked_for_while_the_strip_is_away_are_not_lost(plate, buses) -> None:
    plate.scan()
    unplug_lights(buses)
    buses.clock.sleep(0.1)
    plate.show(WHITE)
    assert plate.scan().faults[0].part == "lights"
    plate.show([LightPattern((0, 0, 255))] * 100)  # within the back-off
    plug_lights(buses)
    scans(plate, buses, 10)
    assert plate.shown[:3] == bytes((0, 0, 128))


def test_a_late_change_is_written_by_the_scan(plate, buses) -> None:
    plate.show(WHITE)
    plate.show([LightPattern((0, 255, 0))] * 100)
    assert plate.shown[:3] == bytes((128, 128, 128))
    scans(plate, buses, 3)
    assert plate.shown[:3] == bytes((0, 128, 0))


def test_dimmed_says_the_supplys_share(hall_settings, buses) -> None:
    plate = Plate(
        MuxHallArray(hall_settings, buses),
        Mpu6050(buses, 1, 0x68),
        LightStrip(buses, LightsSettings(count=100, supply_a=1.0)),
        Panel(buses, 23, 24, 12),
        buses.clock,
    )
    plate.show(WHITE)
    assert plate.dimmed == pytest.approx(0.9 / (6.0 * 128 / 255), abs=1e-6)


def test_close_leaves_all_dark_and_quiet(plate, buses) -> None:
    plate.show(WHITE)
    plate.tone(440.0)
    scans(plate, buses, 3)
    plate.close()
    assert buses.strips[-1].frames[-1][1] == bytes(300)
    assert buses.factory.pin(12).frequency is None
    assert all(buses.factory.pin(pin).function == "input" for pin in (5, 6, 13, 26, 12))
