"""Tests of drivers/node_link.py and node.py: the driver against a scripted port: what a node
must not be, and lines that fail.
"""

import random
import struct

import pytest

from tiltboard.drivers import node_protocol as protocol
from tiltboard.drivers.errors import PartAbsentError, WrongPartError
from tiltboard.drivers.lights import LightPattern, LightsSettings
from tiltboard.drivers.node import NodeLightsDriver
from tiltboard.drivers.node_firmware import wire
from tiltboard.drivers.node_link import WAIT_S, NodeSettings

NAME = b"somebody's"


def capabilities(major=1, columns=2, rows=2) -> bytes:
    numbers = (major, 3, columns, rows, 100, 2, 2, 31, -512_000, 1000, 1_197_101, 266_462)
    return struct.pack(">BBBBBBBBiiIIB", *numbers, len(NAME)) + NAME


def key(time_us=0, number=1, codes=(512, 512, 512, 512), inputs=0x20) -> bytes:
    digits = "".join(f"{code:03x}" for code in codes)
    return struct.pack(">IBB", time_us, inputs, number) + bytes.fromhex(digits)


def delta(time_us=0, number=1, packed="0000") -> bytes:
    return struct.pack(">IBB", time_us, 0x20, number) + bytes.fromhex(packed)


class Port:
    """Answers a greeting with ``greeting``; says what ``say`` is given; keeps what it hears."""

    def __init__(self, *greeting: tuple[int, bytes]) -> None:
        self.greeting = greeting
        self.waiting = b""
        self.sequence = 0
        self.heard: list[tuple[int, bytes]] = []
        self.closed = 0
        self.gone = False
        self.stiff = False
        self.full = False
        self.out_waiting = 0

    def say(self, kind: int, body: bytes) -> None:
        self.waiting += protocol.frame(kind, self.sequence, body)
        self.sequence = (self.sequence + 1) & 0xFF

    @property
    def in_waiting(self) -> int:
        if self.gone:
            raise OSError(5, "Input/output error")  # as pyserial: a bare one
        return len(self.waiting)

    def read(self, size: int) -> bytes:
        data, self.waiting = self.waiting[:size], self.waiting[size:]
        return data

    def write(self, data: bytes) -> int:
        if self.gone or self.stiff:
            raise OSError(5, "Input/output error")
        if self.full:
            return 0
        for coded in data.split(b"\0"):
            if coded:
                plain = wire.unwrap(coded)
                self.heard.append((plain[0], plain[2:]))
                if plain[0] == protocol.HELLO:
                    for message in self.greeting:
                        self.say(*message)
        return len(data)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def settings():
    return NodeSettings("/dev/node", 460_800, 2, 2)


@pytest.fixture
def good():
    return Port((protocol.CAPABILITIES, capabilities()), (protocol.KEY, key()))


def test_another_major_version_says_which_firmware_is_needed(link_to, settings):
    port = Port((protocol.CAPABILITIES, capabilities(major=2)))
    with pytest.raises(
        WrongPartError, match=r"speaks version 2\.3 .* speaks version 1\."
    ) as raised:
        link_to(port, settings).poll("imu")
    assert raised.value.part == "imu"
    assert raised.value.remedy.startswith("Update tiltboard")
    assert "firmware for version 1.x" in raised.value.remedy
    assert port.closed == 1


def test_an_older_major_version_needs_new_firmware(link_to, settings):
    port = Port((protocol.CAPABILITIES, capabilities(major=0)), (protocol.KEY, key()))
    with pytest.raises(WrongPartError, match=r"speaks version 0\.3") as raised:
        link_to(port, settings).poll("hall")
    assert raised.value.remedy.startswith("Put firmware for version 1.x")


def test_a_plate_that_says_it_never_scans_is_refused(link_to, settings):
    still = bytearray(capabilities())
    still[4] = 0
    port = Port((protocol.CAPABILITIES, bytes(still)), (protocol.KEY, key()))
    with pytest.raises(WrongPartError, match="never scans"):
        link_to(port, settings).poll("hall")


def test_firmware_that_is_put_right_serves_without_a_restart(link_to, settings, clock):
    port = Port((protocol.CAPABILITIES, capabilities(major=2)))
    link = link_to(port, settings)
    with pytest.raises(WrongPartError):
        link.poll("hall")
    port.greeting = ((protocol.CAPABILITIES, capabilities()), (protocol.KEY, key()))
    clock.sleep(0.6)
    link.poll("hall")
    assert link.scans[-1].codes == (512, 512, 512, 512)


def test_another_plate_is_refused(link_to, settings):
    port = Port((protocol.CAPABILITIES, capabilities(columns=7, rows=7)), (protocol.KEY, key()))
    with pytest.raises(WrongPartError, match="has 7 x 7 places; the profile says 2 x 2"):
        link_to(port, settings).poll("hall")


def test_a_later_minor_version_may_append_and_add(link_to, settings):
    port = Port(
        (protocol.CAPABILITIES, capabilities() + b"more"),
        (0x90, b"news"),
        (protocol.KEY, key() + b"\x77"),
    )
    link = link_to(port, settings)
    link.poll("hall")
    assert link.scans[-1].codes == (512, 512, 512, 512)
    assert link.capabilities.name == NAME.decode()


def test_nothing_plugged_in_is_said_with_its_remedy_and_tried_again_later(link_to, settings, clock):
    link = link_to(None, settings)
    with pytest.raises(PartAbsentError, match="no /dev/node") as raised:
        link.poll("lights")
    assert raised.value.part == "lights"
    assert "USB cable" in raised.value.remedy
    link._buses.port = Port((protocol.CAPABILITIES, capabilities()), (protocol.KEY, key()))
    clock.sleep(0.4)
    with pytest.raises(PartAbsentError):
        link.poll("lights")
    clock.sleep(0.2)
    link.poll("lights")
    assert link.session == 1


def test_unplugging_is_noticed_at_once_and_the_port_given_back(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    good.gone = True
    clock.sleep(0.01)
    with pytest.raises(PartAbsentError, match="not plugged in"):
        link.poll("hall")
    assert good.closed == 1
    good.gone = False
    clock.sleep(0.6)
    link.poll("hall")
    assert link.session == 2


def test_a_node_that_never_answers_is_waited_for_a_third_of_a_second(link_to, settings, clock):
    port = Port()
    with pytest.raises(PartAbsentError, match="does not answer") as raised:
        link_to(port, settings).poll("hall")
    assert 0.3 <= clock.now() < 0.31
    assert "TX to RX" in raised.value.remedy
    assert {kind for kind, _ in port.heard} == {protocol.HELLO}
    assert len(port.heard) == 6  # every 50 ms


def test_a_node_that_falls_silent_is_lost_after_half_a_second(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    clock.sleep(0.45)
    link.poll("hall")
    clock.sleep(0.1)
    with pytest.raises(PartAbsentError, match="does not answer"):
        link.poll("hall")


@pytest.mark.parametrize("out_waiting", [0, 4096])  # a pty never counts what waits; a line does
def test_a_node_that_sends_and_reads_nothing_is_lost_after_half_a_second(
    link_to, settings, good, clock, out_waiting
):
    link = link_to(good, settings)
    link.poll("hall")
    good.full, good.out_waiting = True, out_waiting
    link.send(protocol.TONE, bytes(2))
    began_s = clock.now()
    with pytest.raises(PartAbsentError, match="does not answer on /dev/node"):
        for number in range(200):
            clock.sleep(0.01)
            good.say(protocol.DELTA, delta(10_000 * number))
            link.poll("hall")
    assert clock.now() - began_s == pytest.approx(0.5, abs=0.03)
    assert good.closed == 1


def test_last_words_have_time_to_leave_and_no_more(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    good.full = True
    link.send(protocol.TONE, bytes(2))
    began_s = clock.now()
    link.close()
    assert good.closed == 1
    assert 0.05 < clock.now() - began_s < 0.2  # twice what 2,048 bytes take at 460,800 baud


def test_gaps_and_damage_do_no_harm_and_a_missed_key_is_asked_for(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    good.sequence += 3
    good.say(protocol.DELTA, delta(10_000, 1, "1f00"))
    clock.sleep(0.01)
    link.poll("hall")
    assert link.scans[-1].codes == (513, 511, 512, 512)
    spoilt = bytearray(protocol.frame(protocol.KEY, good.sequence, key(20_000, 2)))
    spoilt[5] ^= 0x10
    good.waiting += bytes(spoilt)
    good.sequence += 1
    good.say(protocol.DELTA, delta(30_000, 2))
    clock.sleep(0.01)
    link.poll("hall")
    assert good.heard[-1] == (protocol.KEY_PLEASE, b"")
    good.say(protocol.KEY, key(40_000, 3, (100, 200, 300, 400)))
    clock.sleep(0.01)
    link.poll("hall")
    assert link.scans[-1].codes == (100, 200, 300, 400)


def test_times_are_ours_over_the_wrap_of_the_nodes_clock(link_to, settings, good, clock):
    link = link_to(good, settings)
    start_us = (1 << 32) - 25_000
    good.greeting = ((protocol.CAPABILITIES, capabilities()), (protocol.KEY, key(start_us)))
    link.poll("hall")
    first_s = link.scans[-1].time_s
    for step in range(1, 8):
        clock.sleep(0.01)
        good.say(protocol.DELTA, delta((start_us + step * 10_000) & 0xFFFFFFFF))
        link.poll("hall")
        assert link.scans[-1].time_s == pytest.approx(first_s + step * 0.01, abs=1e-4)


def test_pings_keep_the_node_alive(link_to, settings, good, clock):
    link = link_to(good, settings)
    for step in range(200):
        good.say(protocol.DELTA, delta(step * 10_000))
        link.poll("hall")
        clock.sleep(0.01)
    pings = [body for kind, body in good.heard if kind == protocol.PING]
    assert len(pings) == 3


def test_what_was_lost_on_the_way_is_told_again(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    session = link.session
    status = struct.Struct(">IhhHHBB")
    for lost, sessions in ((0, 0), (1, 1), (1, 1), (3, 2)):
        good.say(protocol.STATUS, status.pack(1, 2500, 2500, lost, 0, 255, 0))
        good.say(protocol.DELTA, delta())
        clock.sleep(0.25)
        link.poll("hall")
        assert link.session == session + sessions


def test_a_line_that_loses_all_the_time_is_not_filled_with_repetitions(
    link_to, settings, good, clock
):
    link = link_to(good, settings)
    link.poll("hall")
    session = link.session
    status = struct.Struct(">IhhHHBB")
    for lost in range(100):  # a second
        good.say(protocol.STATUS, status.pack(1, 2500, 2500, lost, 0, 255, 0))
        good.say(protocol.DELTA, delta())
        clock.sleep(0.01)
        link.poll("hall")
    assert link.session - session in (5, 6)  # every 0.2 s


def noise(size: int) -> bytes:
    return bytes(1 + 37 * index % 255 for index in range(size))


def test_what_makes_no_sense_is_said_as_such_and_a_node_that_comes_is_met(link_to, settings, clock):
    port = Port()
    port.waiting = noise(400)
    link = link_to(port, settings)
    with pytest.raises(PartAbsentError, match="make no sense") as raised:
        link.poll("hall")
    assert "baud" in raised.value.remedy
    port.greeting = ((protocol.CAPABILITIES, capabilities()), (protocol.KEY, key()))
    clock.sleep(0.6)
    link.poll("hall")
    assert link.session == 1


def test_a_node_that_begins_to_babble_is_lost_as_one_that_is_silent(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    for _ in range(49):
        good.waiting += noise(400)  # 40 kB a second, near to all that the line carries
        clock.sleep(0.01)
        link.poll("hall")
    good.waiting += noise(400)
    clock.sleep(0.02)
    with pytest.raises(PartAbsentError, match="make no sense"):
        link.poll("hall")
    good.waiting = b"\0"  # what a host says first, to end whatever stands on the line
    clock.sleep(0.6)
    link.poll("hall")
    assert link.session == 2


def test_babble_between_good_readings_costs_none_of_them(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    for step in range(1, 100):
        good.waiting += b"\0" + noise(300) + b"\0"
        good.say(protocol.DELTA, delta(step * 10_000, 1, "1000"))
        clock.sleep(0.01)
        link.poll("hall")
        assert link.scans[-1].codes == (513, 512, 512, 512)
    assert link.scan_count == 100


def test_a_number_that_comes_twice_is_left_out(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    good.say(protocol.DELTA, delta(10_000, 1, "1000"))
    good.sequence -= 1
    good.say(protocol.DELTA, delta(20_000, 1, "2000"))
    good.say(protocol.DELTA, delta(30_000, 1, "3000"))
    clock.sleep(0.01)
    link.poll("hall")
    assert [scan.codes[0] for scan in link.scans] == [513, 515]


def test_a_node_that_starts_anew_in_the_middle_of_a_frame_is_met_again(
    link_to, settings, good, clock
):
    link = link_to(good, settings)
    link.poll("hall")
    session = link.session
    whole = protocol.frame(protocol.KEY, good.sequence, key(10_000, 2))
    good.waiting += whole[: len(whole) // 2]
    good.sequence = 0
    for _ in range(49):
        clock.sleep(0.01)
        link.poll("hall")
    clock.sleep(0.02)
    with pytest.raises(PartAbsentError):
        link.poll("hall")
    clock.sleep(0.6)
    link.poll("hall")
    assert link.session == session + 1
    assert link.scans[-1].codes == (512, 512, 512, 512)


def test_a_node_that_answers_and_sends_no_readings_is_lost(link_to, settings, good, clock):
    link = link_to(good, settings)
    link.poll("hall")
    clock.sleep(0.4)
    good.say(protocol.PONG, struct.pack(">II", 1, 2))
    link.poll("hall")
    clock.sleep(0.15)
    with pytest.raises(PartAbsentError, match="does not answer"):
        link.poll("hall")


def test_a_line_that_breaks_under_a_message_is_lost_and_all_is_told_to_the_next(
    link_to, settings, good, clock
):
    link = link_to(good, settings)
    lights = NodeLightsDriver(LightsSettings(count=4, supply_a=1.0), link)
    lights.flush()
    good.stiff = True
    lights.ask([LightPattern((255, 0, 0))] * 4)
    clock.sleep(0.05)
    lights.flush()  # what breaks here shows at the next poll
    clock.sleep(0.01)
    with pytest.raises(PartAbsentError, match="not plugged in"):
        lights.flush()
    good.stiff = False
    good.heard.clear()
    clock.sleep(0.6)
    lights.flush()
    told = [body for kind, body in good.heard if kind == protocol.LIGHTS]
    assert [body[5:9] for body in told] == [bytes((0, 255, 0, 0))]
    assert protocol.SETUP in {kind for kind, _ in good.heard}


def test_a_port_that_another_program_has_is_said_so(link_to, settings, clock):
    link = link_to(None, settings)

    def taken(port, baud):
        raise OSError(11, f"Could not exclusively lock port {port}")  # as pyserial does

    link._buses.serial = taken
    with pytest.raises(PartAbsentError, match="in use by something else") as raised:
        link.poll("hall")
    assert "second tiltboard" in raised.value.remedy


class Paced:
    """Readings that come a time after each look of 10 ms, as SHIFT moves it, and ``held_s(number)``
    later each. ``waited_s``: what each look took; ``shifted``: after which looks it was told to.
    """

    PERIOD_S = 0.01

    def __init__(self, link, good, clock, held_s=lambda _: 0.0):
        self._link, self._port, self._clock, self._held_s = link, good, clock, held_s
        self.waited_s, self.shifted = [], []

    def look(self, count):
        clock, port = self._clock, self._port
        link, period_s = self._link, self.PERIOD_S
        link.poll("hall")
        start_s, phase_s, sent = clock.now(), 0.006, 0

        def now_come(_):
            nonlocal sent, phase_s
            for kind, body in port.heard:
                if kind == protocol.SHIFT:
                    phase_s += int.from_bytes(body, "big") / 1e6
                    self.shifted.append(len(self.waited_s))
            port.heard.clear()
            while clock.now() - start_s >= sent * period_s + phase_s + self._held_s(sent):
                port.say(protocol.DELTA, delta(sent * 10_000))
                sent += 1
            return len(port.waiting)

        type(port).in_waiting, former = property(now_come), type(port).in_waiting
        try:
            for scan in range(count):
                clock.sleep(start_s + scan * period_s - clock.now())
                began_s = clock.now()
                link.await_reading("hall")
                self.waited_s.append(clock.now() - began_s)
        finally:
            type(port).in_waiting = former


def test_readings_are_waited_for_and_put_in_step(link_to, settings, good, clock):
    link = link_to(good, settings)
    paced = Paced(link, good, clock)
    paced.look(200)
    assert all(0.0 < wait_s <= 0.002 for wait_s in paced.waited_s[-50:])


def test_readings_that_come_unevenly_are_not_chased(link_to, settings, good, clock):
    """As a Pico's come: up to 1.5 ms late, and each hundredth by a collection of 4 ms."""
    stream = random.Random(1)
    late_s = [stream.uniform(0.0, 0.0015) + 0.004 * (number % 100 == 99) for number in range(2000)]
    link = link_to(good, settings)
    paced = Paced(link, good, clock, late_s.__getitem__)
    paced.look(1000)
    assert [scan for scan in paced.shifted if scan > 200] == []
    met = [wait_s for wait_s in paced.waited_s[200:] if 0.0 < wait_s < WAIT_S]
    assert len(met) > 0.95 * 800
