"""The doctor finds what is missing, and says how to mend it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from drivers.clock import SystemClock
from firmware_host.cli.doctor import command
from firmware_host.journal import Journal
from firmware_host.perception.calibration import uncalibrated, write_calibration
from firmware_host.profile import load_profile
from firmware_host.setup.boot_config import settings_in
from firmware_host.setup.doctor import examine
from firmware_host.setup.machine import this_machine
from firmware_host.setup.part_check import check_parts
from hw_sim.table import SimTable


@pytest.fixture
def examined(plate_10, tmp_path):
    """What is wrong, as (subject, found, remedy); ``parts``: what asking them finds."""

    def look(computer, *, profile=plate_10, parts=(), states=("problem",)):
        findings = examine(profile, computer.machine, tmp_path / "state", lambda: list(parts))
        return [
            (f.subject, str(f.found), str(f.remedy or "")) for f in findings if f.state in states
        ]

    return look


def test_nothing_is_wrong_with_a_computer_that_is_as_the_wiring_page_asks(pi, examined):
    assert examined(pi, states=("problem", "note")) == []


def test_a_laptop_is_told_how_to_simulate(laptop, examined):
    [(subject, found, remedy)] = examined(laptop)
    assert subject == "hardware"
    assert "no Raspberry Pi here" in found
    assert "Debian GNU/Linux 12" in found
    assert "tiltboard sim" in remedy


def test_a_plate_with_its_own_computer_needs_no_pi(laptop, examined):
    node = load_profile("node")
    [(subject, found, remedy)] = examined(laptop, profile=node)
    assert subject == "devices"
    assert node.hall.port in found
    assert "Plug the plate in" in remedy


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("dtparam=spi=on", "dtparam=spi=on"),
        ("dtoverlay=spi1-1cs", "dtoverlay=spi1-1cs"),
        ("dtparam=i2c_arm=on,", "dtparam=i2c_arm=on"),
    ],
)
def test_a_missing_line_is_a_problem_with_that_line_as_remedy(pi, examined, line, missing):
    text = (pi.root / "boot/firmware/config.txt").read_text()
    without = text.replace(line, "dtparam=" if line.endswith(",") else f"#{line}")
    pi.write("boot/firmware/config.txt", without)
    [(subject, found, remedy)] = examined(pi)
    assert subject == "config.txt"
    assert missing in found
    assert remedy == f"Add {missing} to /boot/firmware/config.txt, and restart the Pi."


def test_a_slow_tilt_sensor_and_a_wandering_clock_are_notes(pi, examined):
    pi.write("boot/firmware/config.txt", "dtparam=spi,i2c=on\ndtoverlay=spi1-1cs,cs0_pin=18\n")
    notes = [found for subject, found, _ in examined(pi, states=("note",))]
    assert [found.partition(" ")[0] for found in notes] == [
        "dtparam=i2c_arm_baudrate=400000",
        "core_freq=500",
        "core_freq_min=500",
    ]
    assert examined(pi) == []


def test_config_lines_are_in_force_as_the_pi_reads_them():
    text = "[pi5]\ndtparam=spi=on\n[none]\na=1\n[all]\ndtparam=i2c_arm=off # later\nb=2\n"
    assert settings_in(text, "Raspberry Pi 4 Model B") == {"dtparam=i2c_arm=off", "b=2"}
    assert "dtparam=spi=on" in settings_in(text, "Raspberry Pi 5 Model B Rev 1.0")


def test_a_device_without_permission_names_the_group(pi, examined):
    pi.groups = frozenset({"spi", "gpio"})
    pi.forbidden = {"dev/i2c-1"}
    [(_, found, remedy)] = examined(pi)
    assert found == "maker may not use /dev/i2c-1."
    assert remedy == "Run: sudo usermod -aG i2c maker, then log in again."
    pi.member_of = frozenset({"i2c"})
    [(_, _, remedy)] = examined(pi)
    assert remedy.startswith("Log out and in again")
    pi.groups = frozenset({"i2c"})
    [(_, _, remedy)] = examined(pi)
    assert "udev" in remedy


def test_a_pi_5_lights_through_pio_and_takes_no_rpi_gpio(pi, examined):
    pi.write("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    pi.write("boot/firmware/config.txt", "dtoverlay=spi1-1cs\ndtparam=i2c_arm=on\n")
    pi.packages = pi.packages - {"lgpio"} | {"RPi.GPIO"}
    found = [(subject, text) for subject, text, _ in examined(pi)]
    assert found == [
        ("packages", "The Python package lgpio is missing."),
        ("devices", "There is no /dev/pio0, for the lights."),
    ]


def test_missing_device_full_disk_and_dead_clock(pi, examined):
    pi.remove("dev/spidev1.0")
    pi.free_bytes = 3_000_000
    pi.date_s = 100_000.0
    assert [subject for subject, *_ in examined(pi)] == ["devices", "clock", "disk"]


def test_journal_damage_future_games_and_calibration(pi, examined, tmp_path, plate_10):
    state = tmp_path / "state"
    state.mkdir()

    class Tomorrow(SystemClock):
        def calendar(self) -> float:
            return pi.date_s + 3 * 86_400

    with Journal.open(state / "journal.sqlite", Tomorrow()) as journal:
        journal.start("momentum", {})
        # While it runs, its parts are not touched.
        notes = {s: f for s, f, _ in examined(pi, parts=["never asked"], states=("note",))}
        assert "is running" in notes["parts"]
        assert "not been calibrated" in notes["calibration"]
    [(subject, found, _)] = examined(pi)
    assert (subject, "2026-05-31" in found) == ("clock", True)
    pi.date_s += 3 * 86_400
    assert examined(pi) == []
    size = plate_10.size
    some = replace_zeroed(uncalibrated(plate_10), (True,) * (size - 1) + (False,))
    write_calibration(state / "calibration.json", some)
    assert [f for _, f, _ in examined(pi, states=("note",))] == ["The zero of j10 is not known."]
    write_calibration(state / "calibration.json", replace_zeroed(some, (True,) * size))
    [(_, found, remedy)] = examined(pi, states=("note",))
    assert "measured with a magnet" in found
    assert "tiltboard calibrate" in remedy
    path = state / "journal.sqlite"
    path.write_bytes(path.read_bytes()[:4096] + b"\x55" * 8192)
    (state / "calibration.json").write_text("{")
    assert [subject for subject, *_ in examined(pi)] == ["journal", "calibration"]


def replace_zeroed(calibration, zeroed):
    import msgspec

    return msgspec.structs.replace(calibration, zeroed=zeroed)


def parts_of(table):
    return [(f.subject, str(f.found)) for f in check_parts(table.profile, table.buses) if f.remedy]


def test_whole_parts_raise_no_question(sim):
    findings = check_parts(sim.profile, sim.buses)
    assert {f.subject for f in findings} == {"hall", "imu", "lights", "panel"}
    assert parts_of(sim) == []


@pytest.mark.parametrize(
    ("fault", "targets", "subject", "says"),
    [
        ("sensor-dead", ("d4",), "hall", "past the end of their scale: d4."),
        ("i2c-nack", (), "imu", ""),
        ("spi-silent", (), "hall", "converter"),
        ("wrong-id", (), "imu", ""),
    ],
)
def test_a_broken_part_is_found(sim, fault, targets, subject, says):
    sim.faults.inject(fault, targets)
    [(found_subject, found)] = parts_of(sim)
    assert found_subject == subject
    assert says in found


def test_a_button_that_is_always_closed_is_found(sim):
    sim.hands.press("confirm", 10.0)
    sim.clock.advance(1.0)
    [(subject, found)] = parts_of(sim)
    assert (subject, found) == ("panel", "The button confirm is closed all the time.")


@pytest.mark.parametrize("name", ["plate-7", "matrix-gpio", "node"])
def test_every_profile_can_be_asked(name):
    with SimTable(load_profile(name)) as table:
        assert parts_of(table) == []


def test_command_line(tmp_path):
    arguments = ["--sim", "--state", str(tmp_path)]
    ran = CliRunner().invoke(command, arguments)
    assert ran.exit_code == 0, ran.output
    assert "0 problems." in ran.output
    ran = CliRunner().invoke(command, [*arguments, "--json"])
    lines = [json.loads(line) for line in ran.output.splitlines()]
    assert {line["state"] for line in lines} <= {"ok", "note"}


def test_this_machine_is_described():
    machine = this_machine(SystemClock())
    assert machine.has_package("msgspec")
    assert not machine.has_package("no_such.package")
    assert machine.free_bytes(machine.root) > 0
    assert replace(machine, root=machine.root / "nowhere").model is None
