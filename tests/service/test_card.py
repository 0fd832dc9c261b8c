"""The card's recipe asks for what the doctor, the service and the commands know."""

from __future__ import annotations

import re

import pytest
import yaml

from tiltboard.firmware_host.cli.hotspot import ADDRESS
from tiltboard.firmware_host.cli.main import COMMANDS
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings, load_settings
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


def test_config_txt_has_what_the_usual_table_needs(prepare, root):
    lines = set(re.findall(r"^dt(?:param|overlay)=\S+", prepare, re.MULTILINE))
    guest = root / "tests/kernel/guest"
    [known] = [path for path in guest.rglob("config.txt") if path.is_file()]
    assert lines and lines <= set(known.read_text().split())
    assert load_profile(Settings().profile).needs()


def test_every_name_in_the_hotspot_is_the_table_s(prepare):
    assert f"'address=/#/{ADDRESS}'" in prepare


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
    assert prepares.endswith("--read-only")


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
