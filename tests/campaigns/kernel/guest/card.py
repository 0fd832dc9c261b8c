"""Checks on a card image with simulated radios in the guest's kernel."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import play
from plan import run
from service_table import shown, wait_until

from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.engines.process import UNIT_SOCKET, EngineProcess
from tiltboard.firmware_host.web.device_control import DeviceControl, Hotspot, Join, RollBack
from tiltboard.firmware_host.web.pairing import Confirming
from tiltboard.ground.clock import SystemClock

PROFILE = Path("/etc/NetworkManager/system-connections/tiltboard-hotspot.nmconnection")
CONFIRMED = "CONFIRMED "
CABIN, CABIN_PASSWORD = "cabin", "in the woods"
NETWORK = "10.42.0"
GAMES = 5
NODES = 20_000  # Maximum number of positions for a move.
WARM, ENGINE = "tiltboard-warm.service", "tiltboard-engine.service"


def machine() -> DeviceControl:
    clock = SystemClock()
    return DeviceControl("/run/tiltboard-machine.sock", Path("/tmp"), Confirming(clock), clock)  # noqa: S108


def nothing_writes_to_the_root_file_system() -> str:
    assert "ro" in run("findmnt", "-nro", "OPTIONS", "/").split(",")
    try:
        Path("/usr/written").touch()
    except OSError as error:
        refused = str(error)
    for each in ("/etc", "/var", "/opt"):
        assert run("findmnt", "-nro", "FSTYPE", each).strip() == "overlay"
        Path(each, "written").touch()
    assert run("findmnt", "-nro", "FSTYPE", "/state").strip() == "ext4"
    return refused


def the_first_start_makes_a_password() -> str:
    wait_until("a profile", PROFILE.exists)
    assert PROFILE.stat().st_mode & 0o777 == 0o600
    return run("systemctl", "is-active", "tiltboard").strip()


def phone(*words: str, **options: object) -> str:
    return run("ip", "netns", "exec", "phone", *words, **options)


def radio(name: str, path: str, *lines: str) -> None:
    """Start wpa_supplicant for the radio of the phone or of another network."""
    Path(path).write_text("\n".join(["network={", *lines, "}", ""]))
    phone("wpa_supplicant", "-B", "-i", name, "-c", path, "-P", f"{path}.pid")


def opens_its_own_wi_fi_where_no_known_one_is() -> str:
    """The second radio is moved into a network namespace for the phone. NetworkManager uses the
    first.

    ``mlo``: radios that choose their rates themselves, because this kernel has no code for rates.
    """
    run("modprobe", "mac80211_hwsim", "radios=2", "mlo=1")
    run("ip", "netns", "add", "phone")
    radios = sorted(path.name for path in Path("/sys/class/ieee80211").iterdir())
    run("iw", "phy", radios[1], "set", "netns", "name", "phone")
    phone("ip", "link", "set", "lo", "up")
    wait_until("the hotspot", hotspot_is_open)
    return run("iw", "dev", "wlan0", "info").split("ssid ")[1].split()[0]


def hotspot_is_open() -> bool:
    said = subprocess.run(
        ["nmcli", "-t", "-f", "NAME,STATE", "connection", "show", "--active"],
        capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    return "tiltboard-hotspot:activated" in said


def a_phone_joins_and_is_led_to_the_page() -> str:
    own = machine().ask(Hotspot())
    radio("wlan1", "/run/phone.conf", f'ssid="{own.name}"', f'psk="{own.password}"', "scan_ssid=1")
    wait_until("the phone's link", lambda: "Connected to" in phone("iw", "dev", "wlan1", "link"))
    phone("ip", "addr", "add", f"{NETWORK}.77/24", "dev", "wlan1")
    phone("ip", "route", "add", "default", "via", f"{NETWORK}.1")
    there = [INSTALLED_PYTHON, "-Ic", ASKS.format(dns=f"{NETWORK}.1")]
    address, status, location, page = json.loads(phone(*there))
    assert (address, status, location) == (f"{NETWORK}.1", 302, f"http://{NETWORK}.1/")
    assert "<title>" in page
    return f"{own.name} leads to {location}"


INSTALLED_PYTHON = "/opt/tiltboard/bin/python"
# A phone's requests: a name by DNS (RFC 1035), whose answer is the table's address, and the probe
# for a captive portal.
ASKS = """
import http.client, json, socket
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); line.settimeout(5)
name = b"".join(bytes([len(p)]) + p.encode() for p in "connectivitycheck.gstatic.com".split("."))
line.sendto(b"\\0\\7\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + name + b"\\0\\0\\1\\0\\1", ("{dns}", 53))
address = socket.inet_ntoa(line.recv(512)[-4:])
probe = http.client.HTTPConnection(address, 80, timeout=10)
probe.request("GET", "/generate_204", headers={{"Host": "connectivitycheck.gstatic.com"}})
led = probe.getresponse(); led.read()
page = http.client.HTTPConnection(address, 80, timeout=10)
page.request("GET", "/")
said = page.getresponse().read().decode()
print(json.dumps([address, led.status, led.getheader("location"), said]))
"""


def a_network_that_cannot_be_joined_brings_the_hotspot_back() -> str:
    run("systemctl", "stop", "tiltboard")  # A guest that scans waits slowly.
    try:
        machine().ask(Join("nowhere", "12345678"))
    except Exception as error:  # noqa: BLE001 - told below
        said = str(error)
    assert "NetworkManager refused" in said
    wait_until("the hotspot", hotspot_is_open)
    assert not PROFILE.with_name("tiltboard-network.nmconnection").exists()
    return said


def another_network_is_joined() -> str:
    """The phone's radio now belongs to the network "cabin"."""
    os.kill(int(Path("/run/phone.conf.pid").read_text()), 15)
    time.sleep(1)
    phone("ip", "addr", "flush", "dev", "wlan1")
    radio("wlan1", "/run/cabin.conf", f'ssid="{CABIN}"', "mode=2", "frequency=2437",
          "key_mgmt=WPA-PSK", "proto=RSN", f'psk="{CABIN_PASSWORD}"')  # fmt: skip
    phone("ip", "addr", "add", "10.9.0.1/24", "dev", "wlan1")
    phone("dnsmasq", "--dhcp-range=10.9.0.10,10.9.0.20", "--port=0", "--interface=wlan1", "-uroot",
          "--pid-file=/run/cabin.pid", "--dhcp-leasefile=/run/cabin.leases")  # fmt: skip
    machine().ask(Join(CABIN, CABIN_PASSWORD))
    address = run("ip", "-4", "-o", "addr", "show", "dev", "wlan0")
    assert " 10.9.0." in address, address
    return address.split()[3]


def without_it_the_hotspot_is_back() -> None:
    os.kill(int(Path("/run/cabin.conf.pid").read_text()), 15)
    wait_until("the hotspot", hotspot_is_open)
    run("systemctl", "start", "tiltboard")
    play.Playing.session = None  # The connection to the page ended with the service.


def plays_while_the_plug_is_pulled() -> str:
    """Meanwhile, the test outside the guest copies the card repeatedly in the middle of writes."""
    lines = (play.SCENARIOS / "over.scenario").read_text().splitlines() * GAMES
    for line in lines:
        play.play([line])
        game = play.session().page.layout.game
        told = [game and game.id, play.moves()]
        print(f"\n{CONFIRMED}{json.dumps(told)}", flush=True)
    return f"{GAMES} games"


UPDATE = "/opt/tiltboard/update"
BEFORE = Path("/opt/tiltboard/before")  # This file exists only in the version before the update.
# bash runs the trap before each command. No time passes in the guest while the trap loops.
CUT = """set -T
trap 'case $BASH_COMMAND in *--units*)
    echo PULL-THE-PLUG >/dev/console; while :; do :; done ;; esac' DEBUG
"""


def the_plug_is_pulled_in_an_update() -> None:
    """Pull the plug after both versions have changed places, before the new units exist."""
    play.play(play.OPENING)
    assert play.moves() == play.OPENED
    BEFORE.touch()
    Path("/run/cut").write_text(CUT)
    run("bash", UPDATE, "/srv/tiltboard.update", env=os.environ | {"BASH_ENV": "/run/cut"})


def plays_on_with_the_new_version() -> None:
    assert not BEFORE.exists()
    play.nothing_confirmed_is_lost()
    assert Path("/etc/written").exists()
    assert not Path("/usr/written").exists()


def the_update_is_taken_back_and_forth() -> str:
    for first in (True, False):
        run(UPDATE, "--rollback")
        assert BEFORE.exists() == first
        play.Playing.session = None  # The connection to the page ended with the service.
        play.nothing_confirmed_is_lost()
    return run("findmnt", "-nro", "AVAIL", "/state").strip()


def the_clock_is_not_before_the_last_time_that_was_kept() -> str:
    kept = Path("/var/lib/systemd/timesync/clock")
    if not kept.exists():
        return "no systemd-timesyncd here"
    assert time.time() >= kept.stat().st_mtime
    return time.ctime(kept.stat().st_mtime)


def level_ten_plays_by_compiled_kernels_in_a_unit_of_its_own() -> str:
    """Level 10 plays a whole game against itself with the kernels that the compiling unit has
    stored. The number of positions limits a move, because no time passes in the guest during a
    search.
    """
    run("systemctl", "start", WARM)  # The command returns after the unit has ended.
    assert shown("ConditionResult", WARM) == "yes"
    os.environ[UNIT_SOCKET] = "/run/tiltboard-engine.sock"
    engine = EngineProcess(OURS, ["/nowhere"], SystemClock())
    try:
        engine.set_up("momentum", {}, 10, seed=1)
        [pid] = [pid for pid in thinking() if "llvmlite" in Path(f"/proc/{pid}/maps").read_text()]
        cgroup = Path(f"/proc/{pid}/cgroup").read_text().strip()
        assert cgroup.endswith(f"/{ENGINE}"), cgroup
        played: list[str] = []
        while (legal := engine.ask(played, "legal")) != ["none"]:
            played.append(engine.think(played, f"nodes {NODES}", 60.0))
            assert played[-1] in legal
        [result] = engine.ask(played, "result")
        return f"{len(played)} moves, {result}; at most {shown('MemoryPeak', ENGINE)} bytes"
    finally:
        engine.close()


def thinking() -> list[int]:
    """Return the processes that are forked for a table. The unit's first process has also read the
    kernels.
    """
    first = shown("MainPID", ENGINE)
    return [int(pid) for pid in run("pgrep", "-P", first).split()]


def rolls_back_nothing_where_there_is_nothing() -> str:
    try:
        machine().ask(RollBack())
    except Exception as error:  # noqa: BLE001 - told below
        return str(error)
    raise AssertionError("it did")


def back_held_shuts_down() -> str:
    play.opened()
    # Ignore the signal, so that the result can be reported.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    play.session().hands.press("back", 9.0)
    wait_until("shutting down", shutting_down)
    return "stopping"


def shutting_down() -> bool:
    asked = ["systemctl", "is-system-running"]
    return "stopping" in subprocess.run(asked, capture_output=True, text=True, check=False).stdout


PLANS: dict[str, tuple[Callable[[], object], ...]] = {
    "card": (
        nothing_writes_to_the_root_file_system,
        the_first_start_makes_a_password,
        plays_while_the_plug_is_pulled,
        opens_its_own_wi_fi_where_no_known_one_is,
        a_phone_joins_and_is_led_to_the_page,
        a_network_that_cannot_be_joined_brings_the_hotspot_back,
        another_network_is_joined,
        without_it_the_hotspot_is_back,
        rolls_back_nothing_where_there_is_nothing,
        level_ten_plays_by_compiled_kernels_in_a_unit_of_its_own,
        the_plug_is_pulled_in_an_update,
    ),
    "card-after-cut": (
        plays_on_with_the_new_version,
        the_update_is_taken_back_and_forth,
        the_clock_is_not_before_the_last_time_that_was_kept,
        back_held_shuts_down,
    ),
}
