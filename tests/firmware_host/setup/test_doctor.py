"""The doctor finds what is missing, and says how to mend it."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest
from click.testing import CliRunner

from drivers.clock import SystemClock
from drivers.mounting import Mounting
from firmware_host.cli.doctor import command
from firmware_host.journal import Journal
from firmware_host.perception.calibration import uncalibrated, write_calibration
from firmware_host.profile import load_profile
from firmware_host.setup.answers import FORMAT as BRINGUP_FORMAT
from firmware_host.setup.answers import Answers
from firmware_host.setup.boot_config import settings_in
from firmware_host.setup.doctor import examine
from firmware_host.setup.machine import this_machine
from firmware_host.setup.part_check import check_parts
from firmware_host.setup.progress import Progress, write_progress
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


def plain(*words):
    ran = CliRunner().invoke(command, [*map(str, words), "--json"])
    return [json.loads(line) for line in ran.output.splitlines()]


def test_settings_and_profile_that_cannot_be_read_are_problems_among_others(tmp_path):
    settings = tmp_path / "tiltboard.toml"
    settings.write_text('prot = 1\nprofile = "plate-7"\n')
    lines = plain("--sim", "--state", tmp_path, "--config", settings)
    [problem] = [line for line in lines if line["state"] == "problem"]
    assert problem["subject"] == "settings"
    assert "did you mean 'port'" in problem["found"]
    assert "lights" in {line["subject"] for line in lines}  # the rest is looked at all the same
    lines = plain("--sim", "--state", tmp_path, "--profile", "plate-8")
    [problem] = [line for line in lines if line["state"] == "problem"]
    assert problem["subject"] == "table"
    assert "computer" in {line["subject"] for line in lines}


def test_a_simulated_table_that_is_wired_wrongly_is_diagnosed(tmp_path):
    arguments = ["--sim", "--state", str(tmp_path)]
    for fault in ("address-open S2", "sensor-dead d4"):
        ran = CliRunner().invoke(command, [*arguments, "--fault", fault])
        assert ran.exit_code == 1
        assert "PROBLEM  sensors" in ran.output
    assert "scale: d4." in ran.output


def test_how_the_tilt_sensor_lies_is_said(sim, plate_10):
    def imu(calibration=None):
        found = check_parts(plate_10, sim.buses, calibration)
        return [(str(f.state), str(f.found)) for f in found if f.subject == "imu"]

    sim.imu_lies = Mounting("-x", "+y", "-z")
    [(state, found)] = imu()
    assert (state, found) == ("note", "The tilt sensor does not lie flat with its face up.")
    flat = replace_zeroed(uncalibrated(plate_10), (True,) * plate_10.size)
    known = msgspec.structs.replace(flat, level_rad=(0.0, 0.0), mounting=("-x", "+y", "-z"))
    [(state, found), (_, lies)] = imu(known)
    assert state == "ok"
    assert found.startswith("The plate leans by")
    assert "face down and its x arrow to the west" in lies
    sim.imu_lies = Mounting()
    [(state, found)] = imu(known)
    assert (state, "otherwise than when" in found) == ("problem", True)


def test_what_was_interrupted_and_what_is_worth_a_look_are_notes(pi, examined, tmp_path, plate_10):
    state = tmp_path / "state"
    state.mkdir()
    progress = Progress.fresh(plate_10)
    progress.own_mt[0] = 12.0
    write_progress(state / "calibration-progress.json", progress)
    answers = Answers(BRINGUP_FORMAT, "plate-10", good=["colours"])
    (state / "bringup.json").write_bytes(msgspec.json.encode(answers))
    calibration = msgspec.structs.replace(
        replace_zeroed(uncalibrated(plate_10), (True,) * plate_10.size),
        noise_mt=(0.035,) * 99 + (0.4,),
        carried_mt=12.0,
        gain=(1.01,) * 100,
    )
    write_calibration(state / "calibration.json", calibration)
    notes = [(subject, found) for subject, found, _ in examined(pi, states=("note",))]
    assert [subject for subject, _ in notes] == ["calibration", "bring-up", "calibration"]
    assert "j10 is noisy" in notes[0][1]
    assert "1 of 111" in notes[2][1]


def test_this_machine_is_described():
    machine = this_machine(SystemClock())
    assert machine.has_package("msgspec")
    assert not machine.has_package("no_such.package")
    assert machine.free_bytes(machine.root) > 0
    assert replace(machine, root=machine.root / "nowhere").model is None
