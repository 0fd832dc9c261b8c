"""Tests of systemd/tiltboard.service: the unit in systemd's own judgement, what the drop-in
allows, and the installation staged.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tiltboard.drivers.light_links import SPI_HZ, encode
from tiltboard.firmware_host.cli.pi_checks import PRIVATE_NETWORKS, drop_in
from tiltboard.firmware_host.config.pi_board import DEVICE_CLASSES
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.firmware_host.config.settings import FarSettings, Settings
from tiltboard.firmware_host.web.server import EVERYWHERE

EXPOSURE_TENTHS = 20  # 2.0

analyzed = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def staged(root: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "TILTBOARD": str(Path(sys.executable).with_name("tiltboard")),
        "PYTHONPATH": str(root),
    }
    return subprocess.run(
        ["make", "-s", "-C", str(root), "install-service", f"ROOT={folder}", *options],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    """A staged system: what `make install-service` puts into it, and a program to start."""
    folder = tmp_path_factory.mktemp("staged")
    done = staged(root, folder)
    assert done.returncode == 0, done.stderr
    (folder / "opt/tiltboard/bin").mkdir()
    for name in ("tiltboard", "python"):
        program = folder / "opt/tiltboard/bin" / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@analyzed
def test_systemd_has_nothing_to_remark(installed):
    # man pages are not staged; --man=no leaves everything else
    done = subprocess.run(
        ["systemd-analyze", "verify", f"--root={installed}", "--man=no", "--recursive-errors=no",
         "tiltboard.service", "tiltboard-light.service", "tiltboard-engine.socket",
         "tiltboard-engine.service", "tiltboard-warm.service", "tiltboard-machine.socket",
         "tiltboard-machine@x.service"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    ours = [line for line in done.stderr.splitlines() if "tiltboard" in line]
    assert (done.returncode, ours) == (0, []), done.stderr


@pytest.mark.skipif(shutil.which("systemctl") is None, reason="systemctl is not installed")
def test_enabled_it_starts_with_the_computer(root, tmp_path):
    assert staged(root, tmp_path).returncode == 0
    subprocess.run(["systemctl", f"--root={tmp_path}", "enable", "tiltboard"], check=True)
    wanted = tmp_path / "etc/systemd/system/multi-user.target.wants/tiltboard.service"
    assert wanted.is_symlink()


@analyzed
def test_what_is_wrong_with_a_unit_would_be_remarked(installed, tmp_path):
    shutil.copytree(installed, tmp_path / "root", symlinks=True)
    unit = tmp_path / "root/etc/systemd/system/tiltboard.service"
    unit.write_text(unit.read_text().replace("WatchdogSec=", "WatchdogSecs="))
    done = subprocess.run(
        ["systemd-analyze", "verify", f"--root={tmp_path}/root", "--man=no",
         "--recursive-errors=no", "tiltboard.service"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "'WatchdogSecs'" in done.stderr


@analyzed
@pytest.mark.parametrize("host", ["127.0.0.1", EVERYWHERE])
def test_exposure_is_low_and_each_that_remains_is_justified(installed, tmp_path, host):
    folder = tmp_path / "root"
    shutil.copytree(installed, folder, symlinks=True)
    made = drop_in(load_profile("plate-10"), Settings(host=host))
    (folder / "etc/systemd/system/tiltboard.service.d/10-table.conf").write_text(made)
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--root={folder}", "--no-pager",
         f"--threshold={EXPOSURE_TENTHS}", "tiltboard.service"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    unit = (folder / "etc/systemd/system/tiltboard.service").read_text()
    reasons = unit.partition("# What remains exposed, and why.")[2]
    exposed = re.findall(r"^✗ (\S+)=", done.stdout, re.MULTILINE)
    assert {"PrivateDevices", "PrivateNetwork"} <= set(exposed)
    assert [name for name in exposed if name.partition("=")[0] not in reasons] == []


@analyzed
@pytest.mark.parametrize("name", ["tiltboard-engine.service", "tiltboard-warm.service"])
def test_computer_players_may_compile_and_little_else(installed, name):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--root={installed}", "--no-pager",
         f"--threshold={EXPOSURE_TENTHS}", name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    unit = (installed / "etc/systemd/system" / name).read_text()
    reasons = unit.partition("# What remains exposed, and why.")[2]
    exposed = re.findall(r"^✗ (\S+)=", done.stdout, re.MULTILINE)
    assert "MemoryDenyWriteExecute" in exposed
    assert [each for each in exposed if each.partition("=")[0] not in reasons] == []


def allowed_by(profile) -> set[str]:
    return set(re.findall(r"^DeviceAllow=(.+) rw$", drop_in(profile, Settings()), re.MULTILINE))


def test_plate_10_gets_its_devices_and_groups_and_no_other():
    """SPI1 chip select 0, I2C 1, GPIO; lights on SPI0's MOSI. By class: a path would
    have to exist when the service starts.
    """
    made = drop_in(load_profile("plate-10"), Settings())
    assert allowed_by(load_profile("plate-10")) == {"char-spi", "char-i2c", "char-gpiochip"}
    (groups,) = re.findall(r"^SupplementaryGroups=(.*)$", made, re.MULTILINE)
    assert sorted(groups.split()) == ["gpio", "i2c", "spi"]
    assert "IPAddressAllow" not in made


def test_lights_get_what_they_open():
    assert allowed_by(load_profile("plate-7")) == {"char-i2c", "char-gpiochip", "char-spi"}


def test_the_plate_s_own_computer_may_be_on_any_serial_port():
    assert allowed_by(load_profile("node")) == {
        "char-ttyACM", "char-ttyUSB", "char-ttyAMA", "char-ttyS"
    }  # fmt: skip


def test_the_sound_card_is_allowed_only_where_something_reads_aloud():
    made = drop_in(load_profile("plate-10"), Settings(speaker="espeak-ng"))
    assert "DeviceAllow=char-alsa rw" in made
    (groups,) = re.findall(r"^SupplementaryGroups=(.*)$", made, re.MULTILINE)
    assert "audio" in groups.split()
    assert "char-alsa" not in drop_in(load_profile("plate-10"), Settings())


def test_udev_rules_units_and_docs_are_of_one_list(root):
    rules = [line for line in _rules(root).splitlines() if not line.startswith("#")]
    for kind in DEVICE_CLASSES:
        assert [
            rule for rule in rules
            if rule.startswith(kind.rule) and f'GROUP="{kind.group}", MODE="0660"' in rule
        ], kind  # fmt: skip
    assert len(rules) == len(DEVICE_CLASSES)
    told = (root / "docs/dependencies.md").read_text()
    for kind in DEVICE_CLASSES:
        names = ", ".join(f"`{name}`" for name in kind.allow)
        assert f"| {kind.group} | {names} |" in told


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_has_groups_that_the_installation_makes(name, root):
    (groups,) = re.findall(
        r"^SupplementaryGroups=(.*)$", drop_in(load_profile(name), Settings()), re.MULTILINE
    )
    made = re.findall(r"^g (\S+)", (root / "systemd/tiltboard.sysusers").read_text(), re.MULTILINE)
    assert groups
    assert set(groups.split()) <= set(made)


def test_the_network_is_let_in_only_where_the_settings_say_so_and_only_private_ones():
    made = drop_in(load_profile("plate-10"), Settings(host=EVERYWHERE))
    (allowed,) = re.findall(r"^IPAddressAllow=(.*)$", made, re.MULTILINE)
    assert allowed.split() == list(PRIVATE_NETWORKS)


@pytest.mark.parametrize(
    ("broker", "any_address"),
    [
        ("mqtts://broker.example", True),
        ("mqtts://9.9.9.9", True),
        ("mqtt://broker.local", False),
        ("mqtt://192.168.1.7", False),
        ("mqtt://pi", False),
    ],
)
def test_the_unit_lets_the_service_reach_its_broker(broker, any_address):
    made = drop_in(load_profile("plate-10"), Settings(far=FarSettings(broker)))
    assert ("IPAddressAllow=any" in made) == any_address
    assert ("IPAddressAllow=10.0.0.0/8 " in made) != any_address


def test_installing_again_changes_nothing_and_leaves_games_and_settings(root, tmp_path):
    folder = tmp_path / "root"
    games = folder / "var/lib/tiltboard/journal.sqlite"
    games.parent.mkdir(parents=True)
    games.write_bytes(b"games")
    settings = folder / "etc/tiltboard/tiltboard.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('profile = "plate-7"\nhost = "0.0.0.0"\n')
    assert staged(root, folder).returncode == 0
    once = files(folder)
    assert "plate-7" in once["etc/systemd/system/tiltboard.service.d/10-table.conf"].decode()
    assert staged(root, folder).returncode == 0
    assert files(folder) == once
    assert games.read_bytes() == b"games"
    assert settings.read_text().startswith('profile = "plate-7"')
    modes = {stat.S_IMODE((folder / name).stat().st_mode) for name in once if "systemd/" in name}
    assert modes == {0o644}


def test_a_setting_that_is_not_accepted_leaves_the_service_as_it_was(root, tmp_path):
    folder = tmp_path / "root"
    assert staged(root, folder).returncode == 0
    before = files(folder)
    (folder / "etc/tiltboard/tiltboard.toml").write_text('profile = "plate-11"\n')
    done = staged(root, folder)
    assert done.returncode != 0
    assert "There is no profile 'plate-11'" in done.stderr
    (folder / "etc/tiltboard/tiltboard.toml").write_bytes(before["etc/tiltboard/tiltboard.toml"])
    assert files(folder) == before


def test_staging_without_the_program_says_which_one(root, tmp_path):
    done = staged(root, tmp_path / "root", "TILTBOARD=/nowhere/tiltboard")
    assert done.returncode != 0
    assert "install: there is no /nowhere/tiltboard: run make play once" in done.stderr


def test_the_name_of_the_nodes_port_goes_to_micropython_on_a_pico_alone(root):
    [rule] = re.findall(r"^.*tiltboard-node.*$", _rules(root), re.MULTILINE)
    # MicroPython, ports/rp2/mpconfigport.h: MICROPY_HW_USB_VID, MICROPY_HW_USB_PID
    assert {("idVendor", "2e8a"), ("idProduct", "0005")} == {
        *re.findall(r'ATTRS\{(\w+)\}=="(\w+)"', rule)
    }
    assert "#" not in rule


def _rules(root):
    return (root / "systemd/60-tiltboard.rules").read_text()


def removed(root, folder, *options):
    script = root / "systemd/uninstall"
    done = subprocess.run(
        ["sh", str(script), "--root", str(folder), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_removing_keeps_games_unless_asked(root, tmp_path):
    folder = tmp_path / "root"
    assert staged(root, folder).returncode == 0
    games = folder / "var/lib/tiltboard/journal.sqlite"
    games.parent.mkdir(parents=True)
    games.write_bytes(b"games")
    assert "Games and calibration are kept" in removed(root, folder)
    assert set(files(folder)) == {
        "var/lib/tiltboard/journal.sqlite",
        "etc/tiltboard/tiltboard.toml",
    }
    removed(root, folder)  # once more is no error
    removed(root, folder, "--delete-games")
    assert files(folder) == {}


def test_only_root_may_change_the_system(root):
    if os.geteuid() == 0:
        pytest.skip("this is root, who may")
    for script in ("install", "uninstall"):
        done = subprocess.run(
            ["sh", str(root / "systemd" / script)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "only root may do this" in done.stderr


def test_a_table_runs_within_the_unit_s_own_limit_and_gets_no_more(root, tmp_path):
    """LimitDATA holds where the kernel has no memory cgroup."""
    unit = (root / "systemd/tiltboard.service").read_text()
    limit = int(re.search(r"^LimitDATA=(\d+)M$", unit, re.MULTILINE)[1]) << 20
    limited = f"""
import resource, sys, urllib.request
from pathlib import Path
resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))
from tiltboard_lab.bench.loop import served
with served(Path(sys.argv[1])) as (scans, port):
    print(urllib.request.urlopen(f"http://127.0.0.1:{{port}}/api/v1/snapshot").status)
    try:
        bytearray({limit})
    except MemoryError:
        print("no more")
    print(urllib.request.urlopen(f"http://127.0.0.1:{{port}}/api/v1/openapi.json").status)
"""
    done = subprocess.run(
        [sys.executable, "-c", limited, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n") == ["200", "no more", "200", ""], done.stderr


@pytest.mark.parametrize("lacking", [(), ("lgpio",), ("spidev", "lgpio")])
def test_the_installer_names_each_module_that_its_python_cannot_use(root, tmp_path, lacking):
    """liblgpio.so may be missing where lgpio itself is there: only importing it tells."""
    python = tmp_path / "python"
    failing = "|".join(f"*import?{name}*" for name in lacking) or "nothing"
    python.write_text(
        f"#!/bin/sh\ncase $* in {failing}) echo 'ImportError: liblgpio.so.1'; exit 1;; esac\n"
    )
    python.chmod(0o755)
    done = subprocess.run(
        [root / "systemd/check-modules", python], capture_output=True, text=True, check=False
    )
    said = done.stderr.splitlines()
    assert (done.returncode, len(said)) == (int(bool(lacking)), len(lacking))
    for name, line in zip(lacking, said, strict=True):
        assert f"cannot use {name} (ImportError: liblgpio.so.1)" in line
        assert f"python3-{name}" in line


def test_the_first_light_is_sent_as_the_table_s_own_program_sends_it(root, tmp_path):
    sent = tmp_path / "spidev0.0"
    sent.touch()
    script = runpy.run_path(str(root / "systemd/light"))
    asked = []
    script["main"].__globals__["ioctl"] = lambda _, request, speed: asked.append((request, speed))
    script["main"](str(sent))
    # linux/spi/spidev.h: _IOW('k', 4, __u32)
    assert asked == [(1 << 30 | 4 << 16 | ord("k") << 8 | 4, SPI_HZ.to_bytes(4, sys.byteorder))]
    assert sent.read_bytes() == encode(bytes(script["GREEN_RED_BLUE"]))
    assert script["DEVICE"] in {need.device for need in load_profile("plate-10").needs()}
