"""The card's recipe asks for what the doctor, the service and the commands know."""

from __future__ import annotations

import re

import pytest
import yaml

from firmware_host.cli.hotspot import ADDRESS
from firmware_host.cli.main import COMMANDS
from firmware_host.config.profile import load_profile
from firmware_host.config.settings import Settings, load_settings
from firmware_host.web.server import EVERYWHERE


@pytest.fixture(scope="module")
def card(root):
    text = (root / "systemd/card/user-data").read_text()
    assert text.startswith("#cloud-config\n")
    return yaml.safe_load(text)


@pytest.fixture(scope="module")
def written(card):
    return {each["path"]: each for each in card["write_files"]}


def test_nobody_logs_in_with_a_password(card):
    assert card["ssh_pwauth"] is False
    assert [(user["lock_passwd"], user["ssh_authorized_keys"]) for user in card["users"]] == [
        (True, [])
    ]
    assert not re.search(r"passwd: [^tf]|plain_text|hashed", str(card))


def test_the_settings_are_accepted_and_the_port_is_one_that_the_service_may_have(written, tmp_path):
    (tmp_path / "tiltboard.toml").write_text(written["/etc/tiltboard/tiltboard.toml"]["content"])
    settings = load_settings(tmp_path / "tiltboard.toml")
    assert settings == Settings(host=EVERYWHERE, port=80)
    [first] = re.findall(r"port_start=(\d+)", written["/etc/sysctl.d/60-tiltboard.conf"]["content"])
    assert int(first) <= settings.port


def test_config_txt_has_what_the_usual_table_needs_and_nothing_is_lost(written, root):
    config = written["/boot/firmware/config.txt"]
    assert config["append"] is True
    lines = set(config["content"].split()) - {"[all]"}
    guest = root / "tests/kernel/guest"
    [known] = [path for path in guest.rglob("config.txt") if path.is_file()]
    assert lines <= set(known.read_text().split())
    asked = {f"dt{need}" for need in re.findall(r"dt((?:param|overlay)=\S+)", config["content"])}
    assert lines == asked
    assert load_profile(Settings().profile).needs()


def test_every_name_in_the_hotspot_is_the_table_s(written):
    said = written["/etc/NetworkManager/dnsmasq-shared.d/tiltboard.conf"]["content"]
    assert said.strip() == f"address=/#/{ADDRESS}"


def test_its_commands_exist_and_the_package_is_a_release_s(card, root):
    said = [" ".join(line) for line in card["runcmd"]]
    asked = [name for line in said for name in re.findall(r"bin/tiltboard (\w+)", line)]
    assert asked and set(asked) <= set(COMMANDS)
    [package] = [line for line in said if "apt-get install" in line]
    assert "/boot/firmware/tiltboard_*_all.deb" in package
    assert 'f"tiltboard_{version}_all.deb"' in (root / ".ci/release.py").read_text()
    # the package is there before what is in it is used
    assert said.index(package) < min(n for n, line in enumerate(said) if "bin/tiltboard " in line)
