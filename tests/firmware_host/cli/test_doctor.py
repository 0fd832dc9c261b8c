"""Tests of firmware_host/cli/doctor.py and pi_checks.py: the doctor finds what is missing, and
says how to mend it.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace

import msgspec
import pytest
from click.testing import CliRunner

from tiltboard.drivers.attitude import Mounting
from tiltboard.firmware_host.cli.doctor import check_parts, command, examine
from tiltboard.firmware_host.cli.pi_checks import Service, service_of, this_machine
from tiltboard.firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Progress,
    SweepPart,
    write_progress,
)
from tiltboard.firmware_host.config.pi_board import GPIO, I2C, SPI
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.perception.calibration import assumed_calibration, write_calibration
from tiltboard.ground.clock import SystemClock
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.wiring_errors import miswire
from tiltboard.hw_sim.world.magnet import MagnetKind


@pytest.fixture
def examined(plate_10, tmp_path):
    """What is wrong, as (subject, found, remedy); ``parts``: what asking them finds."""

    def look(computer, *, profile=plate_10, parts=(), states=("problem",), speaker=None):
        state = tmp_path / "state"
        findings = examine(profile, computer.machine, state, lambda: list(parts), speaker=speaker)
        return [
            (f.subject, str(f.found), str(f.remedy or "")) for f in findings if f.state in states
        ]

    return look


def test_nothing_is_wrong_with_a_computer_that_is_as_the_wiring_page_asks(pi, examined):
    assert examined(pi, states=("problem", "note")) == []


def test_a_loudspeaker_needs_a_sound_card_that_the_unit_allows(pi, examined):
    found = [(subject, said) for subject, said, _ in examined(pi, speaker="espeak-ng")]
    assert ("devices", "There is no /dev/snd/controlC0, for the speaker.") in found
    assert ("service", "The service may not use /dev/snd/controlC0: its unit keeps it.") in found


@pytest.mark.parametrize(("compiled", "said"), [(None, []), (True, []), (False, ["engines"])])
def test_kernels_that_are_not_compiled_are_mentioned(pi, examined, compiled, said):
    pi.compiled = compiled
    noted = examined(pi, states=("problem", "note"))
    assert [subject for subject, *_ in noted] == said
    assert all(remedy == "Run: tiltboard warm" for *_, remedy in noted)


def test_a_file_in_the_place_of_the_state_folder_is_a_problem(pi, examined, tmp_path):
    (tmp_path / "state").write_text("")
    [(subject, found, remedy)] = examined(pi)
    assert (subject, found) == ("state", f"maker may not write in {tmp_path / 'state'}.")
    assert "--state" in remedy


def test_a_laptop_is_told_how_to_simulate(laptop, examined):
    [(subject, found, remedy)] = examined(laptop)
    assert subject == "hardware"
    assert "no Raspberry Pi here" in found
    assert "Debian GNU/Linux 12" in found
    assert "tiltboard sim" in remedy


def test_a_plate_with_its_own_computer_needs_no_pi(laptop, examined):
    node = load_profile("node")
    laptop.service = None
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
    file = "/boot/firmware/config.txt"
    assert remedy == (
        f"Write [all] and below it {missing} at the end of {file}, and restart the Pi."
    )


def test_a_slow_tilt_sensor_is_a_note_and_a_core_clock_that_moves_a_problem(pi, examined):
    pi.write("boot/firmware/config.txt", "dtparam=spi,i2c=on\ndtoverlay=spi1-1cs,cs0_pin=18\n")
    [(_, found, _)] = examined(pi, states=("note",))
    assert found.startswith("dtparam=i2c_arm_baudrate=400000 ")
    assert [found for _, found, _ in examined(pi)] == [
        "core_freq=500 is missing; the lights needs it.",
        "core_freq_min=500 is missing; the lights needs it.",
    ]


@pytest.mark.parametrize(
    "model", ["3 Model B Plus Rev 1.3", "Zero 2 W Rev 1.0", "4 Model B Rev 1.4"]
)
def test_a_core_clock_that_stands_still_for_another_reason_needs_no_line(pi, examined, model):
    pi.write("proc/device-tree/model", f"Raspberry Pi {model}\0")
    lines = "dtparam=spi=on,i2c=on,i2c_baudrate=400000\ndtoverlay=spi1-1cs\n"
    for still in ("enable_uart=1", "force_turbo=1"):
        pi.write("boot/firmware/config.txt", f"{lines}{still}\n")
        assert examined(pi) == []
    pi.write("boot/firmware/config.txt", f"{lines}enable_uart=1\ndtoverlay=disable-bt\n")
    assert {found.partition("=")[0] for _, found, _ in examined(pi)} <= {
        "core_freq",
        "core_freq_min",
    }
    assert examined(pi)


def test_a_bus_without_its_device_file_needs_the_module_that_makes_it(pi, examined):
    pi.remove("dev/i2c-1")
    [(_, found, remedy)] = examined(pi)
    assert found == "There is no /dev/i2c-1, for the imu."
    assert "echo i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf" in remedy


SAGS = "The Pi's supply falls below 4.63 V."


def test_a_supply_that_falls_is_a_problem(pi, examined):
    pi.write("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    pi.write("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    pi.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    assert examined(pi) == []
    assert [line for line in examined(pi, states=("ok",)) if line[0] == "supply"]
    pi.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    [(subject, found, remedy)] = examined(pi)
    assert (subject, found) == ("supply", SAGS)
    assert "short cable" in remedy


# Bits of `vcgencmd get_throttled`: 0 under-voltage, 3 soft temperature limit; 16, 19: before.
@pytest.mark.parametrize(
    ("bits", "said"),
    [("90000", []), ("1", [("problem", SAGS)]),
     ("80008", [("note", "The Pi is hot, and slows itself down.")])],
)  # fmt: skip
def test_what_the_firmware_says_of_supply_and_heat(pi, examined, bits, said):
    pi.write("sys/devices/platform/soc/soc:firmware/get_throttled", f"{bits}\n")
    found = {
        state: [found for subject, found, _ in examined(pi, states=(state,)) if subject == "supply"]
        for state in ("problem", "note")
    }
    assert [(state, words) for state, all_ in found.items() for words in all_] == said


def test_a_line_under_a_condition_or_with_blanks_is_a_note(pi, examined):
    config = (pi.root / "boot/firmware/config.txt").read_text()
    pi.write("boot/firmware/config.txt", config.replace("[pi4]", "[gpio4=1]"))
    assert examined(pi) == []
    [(_, found, remedy), _] = examined(pi, states=("note",))
    assert found == (
        "core_freq=500, for the lights, stands in /boot/firmware/config.txt under a condition that"
        " this check does not know."
    )
    assert remedy.startswith("Write [all] and below it core_freq=500 at the end of ")
    pi.write("boot/firmware/config.txt", config + "dtparam = spi=off\n")
    assert examined(pi) == []
    [(_, found, _)] = examined(pi, states=("note",))
    assert found.endswith("because of its spaces: dtparam = spi=off")


def test_a_filter_by_number_and_an_include_are_this_pi_s(pi, examined):
    config = (pi.root / "boot/firmware/config.txt").read_text()
    pi.write("boot/firmware/config.txt", "[0x12345678]\ninclude table.txt\n")
    pi.write("boot/firmware/table.txt", config)
    pi.write("proc/device-tree/serial-number", "1000000012345678\0")
    assert examined(pi) == []
    pi.write("proc/device-tree/serial-number", "1000000012345679\0")
    assert len(examined(pi)) == 5


def test_a_device_without_permission_names_the_group(pi, examined):
    pi.groups = frozenset({"spi", "gpio"})
    pi.forbidden = {"dev/i2c-1"}
    pi.service = None
    [(_, found, remedy)] = examined(pi)
    assert found == "maker may not use /dev/i2c-1."
    assert remedy == "Run: sudo usermod -aG i2c maker, then log in again."
    pi.member_of = frozenset({"i2c"})
    [(_, _, remedy)] = examined(pi)
    assert remedy.startswith("Log out and in again")
    pi.groups = frozenset({"i2c"})
    [(_, _, remedy)] = examined(pi)
    assert "udev" in remedy


def test_a_pi_5_lights_through_spi_too_and_takes_no_rpi_gpio(pi, examined):
    pi.write("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    lines = "dtparam=spi=on\ndtoverlay=spi1-1cs\ndtparam=i2c_arm=on\n"
    pi.write("boot/firmware/config.txt", lines)
    assert examined(pi) == []
    pi.packages = pi.packages - {"lgpio"} | {"RPi.GPIO"}
    [(subject, found, remedy)] = examined(pi)
    assert (subject, found) == ("packages", "The Python package lgpio is missing.")
    assert remedy == "Run: sudo apt install python3-lgpio"


def test_the_service_is_asked_about_and_not_who_sits_at_the_keyboard(pi, examined):
    pi.groups = frozenset({"spi", "gpio"})
    pi.forbidden = {"dev/i2c-1"}
    assert examined(pi) == []
    [(subject, found, _)] = examined(pi, states=("note",))
    assert (subject, found) == ("devices", "maker may not use /dev/i2c-1.")


def test_a_service_that_may_not_light_is_a_problem_though_the_maker_may(pi, examined):
    """What the first installed table did: the doctor found nothing, and the service was dark."""
    pi.service = replace(pi.service, allowed=("char-i2c", "char-gpiochip", "/dev/spidev1.0"))
    [(subject, found, remedy)] = examined(pi)
    assert subject == "service"
    assert found == "The service may not use /dev/spidev0.0: its unit keeps it."
    assert "make install-service" in remedy
    pi.service = replace(pi.service, allowed=None, user="nobody-here")
    (pi.root / "dev/i2c-1").chmod(0o600)
    assert "The service's user nobody-here may not use /dev/i2c-1." in [
        found for _, found, _ in examined(pi)
    ]


def test_a_service_without_a_package_is_a_problem(pi, examined):
    service = pi.service
    pi.service = Service(service.user, service.groups, service.allowed, service.python)
    found = {found: remedy for _, found, remedy in examined(pi)}
    # This Python, which tests run in, has neither of the distribution's.
    missing = [name for name in ("lgpio", "spidev") if importlib.util.find_spec(name) is None]
    for name in missing:
        remedy = found.pop(f"The service lacks the Python package {name}.")
        assert f"apt install python3-{name}" in remedy
    assert found == {}


def test_without_a_service_the_doctor_says_that_it_was_not_checked(pi, examined):
    pi.service = None
    assert examined(pi) == []
    [(subject, found, _)] = examined(pi, states=("note",))
    assert subject == "service"
    assert "it was not checked" in found


SHOWN = """\
LoadState=loaded
User=root
SupplementaryGroups=spi i2c gpio
DevicePolicy=closed
DeviceAllow=char-spi rw
DeviceAllow=char-*gpiochip rw
ExecStart={ path=/opt/tiltboard/bin/tiltboard ; argv[]=/opt/tiltboard/bin/tiltboard run ; pid=0 }
"""


def test_a_service_is_what_systemd_shows(tmp_path):
    service = service_of(SHOWN)
    assert service.allowed == ("char-spi", "char-*gpiochip")
    assert {"spi", "i2c", "gpio", "root"} <= service.groups
    assert service.python == "/opt/tiltboard/bin/python"
    assert service.unit_allows("/dev/spidev0.0", SPI)
    assert service.unit_allows("/dev/gpiochip0", GPIO)
    assert not service.unit_allows("/dev/i2c-1", I2C)
    assert service_of(SHOWN.replace("LoadState=loaded", "LoadState=not-found")) is None
    without = "".join(line for line in SHOWN.splitlines(True) if not line.startswith("Device"))
    assert service_of(without).unit_allows("/dev/i2c-1", I2C)
    with pytest.raises(OSError, match="nowhere"):
        replace(service, python=str(tmp_path / "nowhere")).lacks(["spidev"])


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
    some = replace_zeroed(assumed_calibration(plate_10), (True,) * (size - 1) + (False,))
    write_calibration(state / "calibration.json", some)
    assert [f for _, f, _ in examined(pi, states=("note",))] == ["The zero of j10 is not known."]
    write_calibration(state / "calibration.json", replace_zeroed(some, (True,) * size))
    [(_, found, remedy)] = examined(pi, states=("note",))
    assert "measured with a magnet" in found
    assert "tiltboard bringup" in remedy
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
        ("sensor-stuck", ("d4",), "hall", "stand still, without even noise: d4."),
        ("scan-stall", (), "computer", "too busy to read the sensors in time"),
        ("sensor-noisy", ("d4",), "hall", "These sensors are noisy: d4."),
    ],
)
def test_a_broken_part_is_found(sim, fault, targets, subject, says):
    sim.faults.inject(fault, targets)
    [(found_subject, found)] = parts_of(sim)
    assert found_subject == subject
    assert says in found


@pytest.mark.parametrize(
    ("name", "fault", "says"),
    [
        ("node", "node-unplugged", "not plugged in"),
        ("plate-7", "i2c-stuck", "I2C bus 1 hangs"),
        ("plate-7", "i2c-nack", "Nothing answers"),
    ],
)
def test_what_several_parts_lack_is_one_problem(name, fault, says):
    with SimTable(load_profile(name)) as table:
        table.faults.inject(fault)
        [(_, found)] = parts_of(table)
    assert says in found


@pytest.mark.parametrize(
    ("at", "there", "says", "do"),
    [
        (0x6A, 0x6B, "The tilt sensor answers at 0x6b", "address = 0x6b"),  # SA0, DS12814 5.1.1
        (
            0x21,
            0x27,
            "chip of row 2 does not answer at 0x21",
            "A0, A1, A2",
        ),  # DS20001952 figure 1-2
    ],
)
def test_an_address_that_answers_elsewhere_is_named(at, there, says, do):
    with SimTable(load_profile("plate-7")) as table:
        chips = table.buses.i2c_buses[1].chips
        chips[there] = chips.pop(at)
        [finding] = [f for f in check_parts(table.profile, table.buses) if f.remedy]
    found = str(finding.found)
    assert says in found
    assert f"{there:#04x}" in found
    assert do in str(finding.remedy)


def test_another_chip_at_the_other_address_is_not_taken_for_the_tilt_sensor(sim):
    """A clock (DS3231) has 0x68, which an MPU-6050 at 0x69 would leave free."""

    class Clock:
        def write(self, data, now_s):
            return True

        def read(self, count, now_s):
            return bytes(count)

    chips = sim.buses.i2c_buses[1].chips
    del chips[0x68]
    chips[0x69] = Clock()
    [(subject, found)] = parts_of(sim)
    assert (subject, found) == ("imu", "The tilt sensor does not answer at 0x68 on I2C bus 1.")


def test_exchanged_multiplexers_have_their_names_on_the_board(sim):
    """The spare inputs are U7's, at the converter's channel 6 (docs/wiring.md)."""
    miswire(sim, "mux-swapped", ["U3", "U7"])
    [finding] = [f for f in check_parts(sim.profile, sim.buses) if f.remedy]
    assert str(finding.found) == "Multiplexers U3 and U7 are exchanged."
    assert "U3 goes to CH2, U7 to CH6" in str(finding.remedy)


def test_a_dead_multiplexer_is_one_problem_and_so_is_a_board_without_sensors(sim):
    for place in sim.profile.places[16:32]:
        sim.faults.inject("sensor-dead", [place])
    [(subject, found)] = parts_of(sim)
    assert (subject, found.split(":")[0]) == ("hall", "U2 does not answer")
    for place in sim.profile.places[:16] + sim.profile.places[32:]:
        sim.faults.inject("sensor-dead", [place])
    [(_, found)] = parts_of(sim)
    assert found == "No sensor is connected, or none has a supply."


def test_a_piece_that_is_put_down_meanwhile_is_no_noise(sim):
    sim.world.trays["S-strong"] = MagnetKind("S-strong")
    sim.hands.put("S-strong", 33)
    assert parts_of(sim) == []


def test_before_anything_is_wired_the_doctor_can_leave_the_parts_out(tmp_path):
    line = ["--sim", "--state", str(tmp_path), "--fault", "spi-silent"]
    assert CliRunner().invoke(command, line).exit_code == 1
    ran = CliRunner().invoke(command, [*line, "--without-parts"])
    assert (ran.exit_code, "sensors" in ran.output) == (0, False)


def test_unpowered_chips_of_all_rows_are_one_problem():
    with SimTable(load_profile("plate-7")) as table:
        table.buses.i2c_buses[1].nacking = set(range(0x20, 0x28))
        [(_, found)] = parts_of(table)
    assert found == "I2C bus 1 with the sensors' chips does not answer."


def test_a_bus_that_hangs_on_a_node_has_its_lines_in_the_remedy():
    with SimTable(load_profile("node")) as table:
        table.faults.inject("i2c-stuck")
        [remedy] = [str(f.remedy) for f in check_parts(table.profile, table.buses) if f.remedy]
    assert "nothing holds SDA or SCL low" in remedy


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

    sim.imu_orientation = Mounting("-x", "+y", "-z")
    [(state, found)] = imu()
    assert (state, found) == ("note", "The tilt sensor does not lie flat with its face up.")
    flat = replace_zeroed(assumed_calibration(plate_10), (True,) * plate_10.size)
    known = msgspec.structs.replace(flat, level_rad=(0.0, 0.0), mounting=("-x", "+y", "-z"))
    [(state, found), (_, orientation)] = imu(known)
    assert state == "ok"
    assert found.startswith("The plate leans by")
    assert "face down and its x arrow to the west" in orientation
    sim.imu_orientation = Mounting()
    [(state, found)] = imu(known)
    assert (state, "turned since its last check" in found) == ("problem", True)


def test_what_was_interrupted_and_what_is_worth_a_look_are_notes(pi, examined, tmp_path, plate_10):
    state = tmp_path / "state"
    state.mkdir()
    progress = Progress(
        FORMAT, "plate-10", wanted=(SweepPart.LIGHTS, SweepPart.PLACES), picture=True
    )
    write_progress(state / PROGRESS_NAME, progress)
    calibration = msgspec.structs.replace(
        replace_zeroed(assumed_calibration(plate_10), (True,) * plate_10.size),
        noise_mt=(0.035,) * 99 + (0.4,),
        carried_mt=12.0,
        gain=(1.01,) * 100,
    )
    write_calibration(state / "calibration.json", calibration)
    notes = [(subject, found) for subject, found, _ in examined(pi, states=("note",))]
    assert [subject for subject, _ in notes] == ["calibration", "bring-up"]
    assert "j10 is noisy" in notes[0][1]
    assert "1 of 103" in notes[1][1]
    write_progress(
        state / PROGRESS_NAME, msgspec.structs.replace(progress, wanted=(), buzzer=False)
    )
    notes = [found for _, found, _ in examined(pi, states=("note",))]
    assert notes[1] == "It found something to fix."


def test_this_machine_is_described():
    machine = this_machine(SystemClock())
    assert this_machine(SystemClock(), for_service=True).compiled is None
    assert machine.has_package("msgspec")
    assert not machine.has_package("no_such.package")
    assert machine.free_bytes(machine.root) > 0
    assert replace(machine, root=machine.root / "nowhere").model is None


@pytest.mark.parametrize("named", ["profile", "password_file", "ca"])
def test_a_file_that_the_service_s_user_cannot_read_is_a_problem(pi, examined, named):
    """The settings name it, and whoever sits at the keyboard reads it."""
    own = f'profile = "{pi.root}/etc/tiltboard/own.toml"\n'
    other = f'[far]\n{named} = "/home/pi/{named}"\n'
    pi.write("etc/tiltboard/tiltboard.toml", own)
    pi.write("etc/tiltboard/own.toml", "")
    assert examined(pi) == []
    pi.write(f"home/pi/{named}", "")
    pi.write(
        "etc/tiltboard/tiltboard.toml",
        'profile = "/home/pi/profile"\n' if named == "profile" else own + other,
    )
    pi.service = replace(pi.service, hidden=("home",))
    [(subject, found, remedy)] = examined(pi)
    assert subject == "service"
    assert found == f"The service's user {pi.service.user} cannot read /home/pi/{named}."
    assert "sudo make install-service" in remedy


def test_a_unit_s_hidden_folders_are_what_systemd_shows():
    shown = SHOWN + "ProtectHome=yes\nPrivateTmp=yes\n"
    assert service_of(shown).hidden == ("home", "root", "run/user", "tmp", "var/tmp")
    assert service_of(SHOWN + "ProtectHome=read-only\nPrivateTmp=no\n").hidden == ()
