"""Tests of drivers/node_firmware/node.py and pico.py: what befalls a node that no scenario can
name: nothing is lost, and each is told.
"""

import os
import re
import select
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from tiltboard.drivers.node_firmware import plate as figures
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.table import SimTable

BEGUN = """
game momentum size=7 pie=false
put red f1
expect to-move blue
"""
GOES_ON = """
expect phase turn
expect to-move blue
expect cells f1=red
"""


def until(session, holds, most_s: float) -> None:
    end_s = session.clock.now() + most_s
    while not holds():
        assert session.clock.now() < end_s, session.host.status.say
        session.tick()


def told(session, words: str, most_s: float) -> None:
    until(session, lambda: words in str(session.host.status.say), most_s)


def goes_on(session, play) -> None:
    """As it was, when what was seen too late has been told too."""
    session.run_until(session.clock.now() + 0.6)
    until(session, lambda: session.host.status.phase is Phase.TURN, 4.0)
    play(GOES_ON)


def test_a_game_goes_on_after_what_no_scenario_can_name(session, play):
    node, line = session.table.node, session.table.node.line
    play(BEGUN)

    # The cable comes out in the middle of a frame.
    while node.said.endswith(b"\0"):
        session.clock.advance(0.0003)
        node.run(session.clock.now())
    session.faults.inject("node-unplugged")
    told(session, "not plugged in", 0.3)
    session.run_until(session.clock.now() + 1.0)
    session.faults.heal("node-unplugged")
    goes_on(session, play)

    # The line hands on nothing.
    line.noise = lambda _: b""
    told(session, "does not answer", 1.0)
    line.noise = bytes
    goes_on(session, play)

    # The host reads nothing until the system's buffer is full.
    overrun = line.overrun
    for _ in range(120):
        session.clock.advance(0.01)
        line.pump()
    assert line.overrun > overrun
    goes_on(session, play)

    # The processor stands still, and its watchdog starts it again.
    boots, hung_s = node.chip.last["boots"], session.clock.now()
    node.hang()
    told(session, "does not answer", 1.0)
    until(session, lambda: node.chip.last["boots"] > boots, 5.0)
    # The host, which tries for 0.3 s every half second, looks that much later.
    assert 0 <= session.clock.now() - hung_s - figures.WATCHDOG_MS / 1000 < 0.8
    goes_on(session, play)
    play("put blue b6\nexpect to-move red")


@pytest.mark.parametrize(("major", "remedy"), [(0, "Put firmware for"), (2, "Update tiltboard")])
def test_older_and_newer_firmware_say_what_is_needed(emulated, major, remedy):
    from tests.campaigns.pico.emulated import ROOT, copied

    text = (ROOT / "drivers" / "node_firmware" / "node.py").read_text("utf-8")
    emulated.files = copied(node=text.replace("MAJOR, MINOR = 1, 1", f"MAJOR, MINOR = {major}, 0"))
    with SimTable(load_profile("node"), seed=3) as table:
        plate = build_plate(table.profile, table.buses)
        faults = plate.scan().faults
        assert {fault.part for fault in faults} >= {"hall", "imu"}
        assert f"speaks version {major}.0" in faults[0].problem
        assert faults[0].remedy.startswith(remedy)
        plate.close()


class Plugged:
    """The Pico's own USB, as a terminal that other programs open."""

    def __init__(self, chip, answers, path: Path) -> None:
        self._chip, self._answers = chip, answers
        self._master, slave = os.openpty()
        tty.setraw(slave)
        path.symlink_to(os.ttyname(slave))

    def live(self, seconds: float) -> None:
        end_ns = self._chip.ns + seconds * 1e9
        while self._chip.ns < end_ns:
            sent = b""
            if select.select([self._master], [], [], 0)[0]:
                sent = os.read(self._master, 512)
            answer = self._chip.order(self._answers, until=self._chip.ns + 2e6, line=sent.hex())
            for _, kind, value in answer["happened"]:
                if kind == "line":
                    os.write(self._master, bytes.fromhex(value))

    def run(self, *command) -> str:
        """Another program, while the Pico lives."""
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            while process.poll() is None:
                self.live(0.01)
            assert process.stdout is not None
            out = process.stdout.read()
        assert process.returncode == 0, out
        return out


def test_a_maker_puts_the_firmware_on_it_and_later_other_firmware(kit, tmp_path):
    """By the commands of docs/wiring-node.md, over USB, with the real mpremote."""
    from tests.campaigns.pico.emulated import BACK, ROOT, Chip, commands

    mpremote = [sys.executable, "-m", "mpremote", "connect", str(tmp_path / "port")]
    chip = Chip(kit, None, tmp_path, usb=True)
    answers = {"scan": {"scan": bytes(336).hex(), "pins": {}}}.get
    try:
        chip.order(answers, pins={BACK: True, "14": True, "20": True})
        plugged = Plugged(chip, lambda what, *_: answers(what), tmp_path / "port")
        while not chip.last.get("online"):
            plugged.live(0.05)
        plugged.live(0.5)
        for line in commands():
            names = [
                str(path)
                for word in line.split()[1:]
                for path in (sorted(ROOT.glob(word)) if "*" in word else [word])
            ]
            names = [str(ROOT / n) if n.startswith("drivers") else n for n in names]
            plugged.run(*mpremote, *names)
        listed = plugged.run(*mpremote, "ls", ":node_firmware")
        for path in sorted((ROOT / "drivers" / "node_firmware").glob("*.py")):
            assert re.search(rf"^ +{path.stat().st_size} {path.name}$", listed, re.MULTILINE)
        chip.order(answers, power=True)
        plugged.live(1.5)
        assert chip.last["feeds"] > 3  # main.py goes round
        chip.order(answers, power=True, pins={BACK: False})
        plugged.live(1.0)
        assert chip.last["feeds"] == 0
        chip.order(answers, pins={BACK: True})
        # At its prompt again, where other firmware replaces this.
        text = (ROOT / "drivers" / "node_firmware" / "node.py").read_text("utf-8")
        other = tmp_path / "node.py"
        other.write_text(text.replace("MAJOR, MINOR = 1, 1", "MAJOR, MINOR = 1, 10"))
        plugged.run(*mpremote, "cp", str(other), ":node_firmware/node.py")
        listed = plugged.run(*mpremote, "ls", ":node_firmware")
        assert re.search(rf"^ +{other.stat().st_size} node.py$", listed, re.MULTILINE)
        assert other.stat().st_size == len(text.encode()) + 1
        chip.order(answers, power=True)
        plugged.live(1.5)
        assert chip.last["feeds"] > 3
    finally:
        chip.stop()
