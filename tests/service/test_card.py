"""Tests of systemd/card: the card's recipe asks for what the doctor, the service and the
commands know.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tiltboard.firmware_host.cli.main import COMMANDS
from tiltboard.firmware_host.config.boot import MODELS, read_boot_config
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import HOTSPOT_ADDRESS, Settings, load_settings
from tiltboard.firmware_host.web.server import EVERYWHERE


@pytest.fixture(scope="module")
def card(root):
    text = (root / "systemd/card/user-data").read_text()
    assert text.startswith("#cloud-config\n")
    return yaml.safe_load(text)


@pytest.fixture(scope="module")
def prepare(root):
    return (root / "systemd/card/prepare").read_text()


def test_nobody_logs_in_with_a_password(card):
    assert card["ssh_pwauth"] is False
    [user] = card["users"]
    assert user["lock_passwd"] is True
    assert "ssh_authorized_keys" not in user  # cloud-init takes no empty list of them
    assert not re.search(r"passwd: [^tf]|plain_text|hashed", str(card))


def test_the_settings_are_accepted_and_the_port_is_one_that_the_service_may_have(prepare, tmp_path):
    [said] = re.findall(r"tiltboard.toml <<'EOF'\n(.*?)EOF", prepare, re.DOTALL)
    (tmp_path / "tiltboard.toml").write_text(said)
    settings = load_settings(tmp_path / "tiltboard.toml")
    assert settings == Settings(host=EVERYWHERE, port=80)
    [first] = re.findall(r"port_start=(\d+)", prepare)
    assert int(first) <= settings.port


def run_prepare(prepare, folder, *words):
    """The steps of it that write the settings and config.txt, in a folder; in their order."""
    settings, config = folder / "tiltboard.toml", folder / "config.txt"
    tiltboard = Path(sys.executable).with_name("tiltboard")
    parts = re.findall(
        r"^read_only=.*?^put\(\).*?$|^put /etc/tiltboard.*?(?=^#)|^sh .*?$|^config=.*?^fi$",
        prepare, re.DOTALL | re.MULTILINE,
    )  # fmt: skip
    assert len(parts) == 4
    script = "\n".join(["set -eu", *parts])
    for there, here in (
        # What install does of it, test_install shows
        ('sh "$here/../install" --units', f"{tiltboard} unit --settle --config {settings} >unit"),
        ("/etc/tiltboard/tiltboard.toml", settings),
        ("/boot/firmware/config.txt", config),
        ("/opt/tiltboard/bin/tiltboard", tiltboard),
    ):
        assert there in script
        script = script.replace(there, str(here))
    subprocess.run(["sh", "-c", script, "prepare", *words], check=True, cwd=folder)
    return load_settings(settings), config.read_text()


def test_a_profile_of_one_s_own_is_copied_to_where_the_service_reads_it(prepare, tmp_path, root):
    (tmp_path / "config.txt").write_text("")
    (tmp_path / "boot").mkdir()
    shipped = (root / "firmware_host/config/profiles/plate-7.toml").read_text()
    (tmp_path / "boot/my-table.toml").write_text(shipped.replace("plate-7", "mine"))
    settings, text = run_prepare(prepare, tmp_path, str(tmp_path / "boot/my-table.toml"))
    assert settings.profile == str(tmp_path / "my-table.toml")
    assert load_profile(settings.profile).name == "mine"
    assert "dtparam=i2c_arm=on" in text
    assert "spi1" not in text  # it has no converter there


@pytest.mark.parametrize("words", [(), ("plate-7",), ("--read-only", "matrix-gpio")])
def test_config_txt_has_what_the_card_s_table_needs_on_every_pi(prepare, tmp_path, words):
    (tmp_path / "config.txt").write_text("dtparam=audio=on\n[cm5]\ndtoverlay=dwc2")  # no newline
    for _ in range(2):
        settings, text = run_prepare(prepare, tmp_path, *words)
    assert settings.profile == (words[-1] if words else Settings().profile)
    assert text.startswith("dtparam=audio=on\n[cm5]\ndtoverlay=dwc2\n")
    table = load_profile(settings.profile)
    assert text.count("[all]") == 2  # once, though it ran twice
    for pi in MODELS:
        model = f"Raspberry Pi {pi.name} Rev 1.0"
        read = read_boot_config("config.txt", lambda _: text, model, None)
        needed = {line for need in table.needs(model) for line in (*need.lines, *need.advised)}
        assert needed <= read.sure, model


def test_every_name_in_the_hotspot_is_the_table_s(prepare):
    assert f"'address=/#/{HOTSPOT_ADDRESS}'" in prepare


def test_rpi_image_gen_s_layer_asks_for_what_the_package_needs(root):
    """Its metadata are comments, which its own `ig metadata --lint` reads (docs/card.md)."""
    recipe = root / "systemd/card/rpi-image-gen"
    layer = yaml.safe_load((recipe / "layer/tiltboard.yaml").read_text())["mmdebstrap"]
    config = yaml.safe_load((recipe / "config/tiltboard.yaml").read_text())
    # alone: a suite's minbase would bring systemd-networkd beside NetworkManager, iwd, and SSH
    assert config["layer"] == {"table": "tiltboard"}
    assert config["device"]["hostname"] == "tiltboard"
    control = re.search(r"^Depends: (.*)$", (root / ".ci/release.py").read_text(), re.MULTILINE)[1]
    of_the_suite = {"python3", "adduser", "udev", "systemd"}
    needed = {re.split(r"[ (]", each.strip())[0] for each in control.split(",")} - of_the_suite
    assert needed <= set(layer["packages"])
    [prepares] = [line for line in layer["customize-hooks"] if "card/prepare" in line]
    assert prepares.endswith(' --read-only "$table"')


def test_its_commands_exist_and_the_package_is_a_release_s(card, root):
    said = [" ".join(line) for line in card["runcmd"]]
    unit = (root / "systemd/card/tiltboard-hotspot.service").read_text()
    asked = re.findall(r"bin/tiltboard (\w+)", unit)
    assert asked and set(asked) <= set(COMMANDS)
    [package] = [line for line in said if "apt-get install" in line]
    assert "/boot/firmware/tiltboard_*_all.deb" in package
    assert 'f"tiltboard_{version}_all.deb"' in (root / ".ci/release.py").read_text()
    # the package is there before what is in it is used
    assert said.index(package) < min(n for n, line in enumerate(said) if "/opt/tiltboard" in line)
