"""Tests of firmware_host/web/device_control.py and firmware_host/cli/machine.py: who would have the
table's computer changed: a stranger in the network, a guest without anybody at the table, a
table that has been taken over, and whatever is sent as an update.
"""

from __future__ import annotations

import os
import socket
import threading
from typing import NamedTuple

import msgspec
import pytest

from tests.web.conftest import resting  # noqa: F401
from tests.web.test_web_network import Network
from tiltboard.firmware_host.cli import machine as as_root
from tiltboard.firmware_host.cli.machine import answer
from tiltboard.firmware_host.web import device_control as machine_module
from tiltboard.firmware_host.web.device_control import Answered, DeviceControl

JOIN = {"type": "join", "network": "cabin", "password": "12345678"}
PASSWORD = "12345678"  # noqa: S105
MACHINE = "/api/v1/machine"
FILE = {"content-type": "application/octet-stream"}


class Root:
    """The socket's other end, which keeps what it was asked."""

    def __init__(self, path):
        self.asked, self.path = [], str(path)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(self.path)
        self.door.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                line, _ = self.door.accept()
            except OSError:
                return
            with line:
                said = b""
                while more := line.recv(4096):
                    said += more
                self.asked.append(msgspec.json.decode(said))
                line.sendall(msgspec.json.encode(Answered(name="tiltboard", password=PASSWORD)))


@pytest.fixture
def table(tmp_path, resting):  # noqa: F811
    made = Network(tmp_path, resting)
    made.root = Root(tmp_path / "socket")
    made.machine = made.access.machine = DeviceControl(
        made.root.path, tmp_path, made.pairing.confirming, made.clock
    )
    made.presses = []
    made.pairing.confirming.show = lambda *asked: made.presses.append(asked)
    yield made
    made.root.door.close()


@pytest.fixture
def phone(table):
    device = table.device()
    device.pair(table.pairing.open(at_table=False))
    return device


def send(device, content, headers=FILE):
    return device._answer(
        lambda: device.client.post(f"{MACHINE}/update", content=content, headers=headers)
    )


def done_by(machine, press, asked):
    """Press, and wait for the thread that does it."""
    ended = threading.Event()
    machine.tell = lambda what: ended.set() if what is None else None
    press(asked)
    assert ended.wait(30) or not asked


def test_a_stranger_learns_nothing_and_changes_nothing(table):
    for device in (table.device(), table.device(origin="http://evil.example")):
        assert device.get(MACHINE).status_code == 403
        assert device.post(MACHINE, JOIN).status_code == 403
        assert send(device, b"update").status_code == 403
    assert (table.root.asked, table.presses, table.machine.sent.exists()) == ([], [], False)


def test_a_guest_changes_nothing_without_a_press_at_the_table(table, phone):
    number = phone.post(MACHINE, JOIN).json()["number"]
    [(what, shown, press)] = table.presses
    assert (shown, what.params) == (number, {"name": "phone", "network": "cabin"})
    assert phone.post(MACHINE, {"type": "power-off"}).status_code == 409  # one thing at a time
    press(False)
    assert table.root.asked == []
    phone.post(MACHINE, JOIN)
    done_by(table.machine, table.presses[1][2], True)
    assert table.root.asked == [JOIN]


def test_the_wi_fi_s_password_is_for_paired_devices(table, phone):
    told = phone.get(MACHINE).json()
    assert (told["wifi"], told["password"]) == ("tiltboard", "12345678")
    assert "<svg" in told["picture"]
    assert "12345678" not in table.device().get(MACHINE).text


@pytest.mark.parametrize(
    "body",
    [{"type": "run", "command": "id"}, {"type": "join", "network": ""}, {"type": "join"}, [],
     {"type": "join", "network": "x" * 33}, {"type": "update", "sent": "/etc/shadow"},
     {"type": "power-off", "then": 1}, {"type": "hotspot"}],
)  # fmt: skip
def test_nothing_else_is_asked_for_a_phone(table, phone, body):
    assert phone.post(MACHINE, body).status_code == 400
    assert table.presses == []


def test_an_update_that_is_too_long_or_broken_off_leaves_nothing(table, phone, monkeypatch):
    monkeypatch.setattr(machine_module, "MAX_SENT_BYTES", 1000)
    assert send(phone, b"x" * 1001).status_code == 409
    assert send(phone, b"x", {"content-type": "text/plain"}).status_code == 415
    assert not list(table.machine.sent.parent.glob("*.update*"))
    assert phone.post(MACHINE, {"type": "update", "sent": True}).status_code == 409
    assert send(phone, b"x" * 1000).status_code == 200
    assert table.machine.sent.read_bytes() == b"x" * 1000


class Disk(NamedTuple):
    free: int


def sent_files(table):
    return list(table.machine.sent.parent.glob("*.update*"))


@pytest.mark.parametrize("said", [True, False])
def test_a_file_for_which_there_is_no_room_is_refused_and_leaves_nothing(
    table, phone, monkeypatch, said
):
    """With its length in the request's head, and without."""
    room = Disk(machine_module.MIN_FREE_BYTES + 1000)
    monkeypatch.setattr(machine_module.shutil, "disk_usage", lambda _: room)

    async def pieces():
        yield b"x" * 600
        yield b"x" * 401

    answer = send(phone, b"x" * 1001 if said else pieces())
    assert answer.status_code == 409
    assert "too little room" in answer.text
    assert sent_files(table) == []
    assert send(phone, b"x" * 1000).status_code == 200


def test_a_second_file_takes_the_first_one_s_room_and_not_its_place_meanwhile(table, phone):
    assert send(phone, b"old").status_code == 200
    with table.machine.taking() as take:
        assert sent_files(table) == [table.machine.sent.with_name("sent.update.new")]
        take(b"new")
        assert send(phone, b"third").status_code == 409
    assert table.machine.sent.read_bytes() == b"new"
    assert send(phone, b"third").status_code == 200


def test_what_nobody_asks_for_is_deleted_within_minutes(table, phone):
    def tidied():
        table.machine.tidy()
        for each in threading.enumerate():
            if each.name == "machine":
                each.join()
        return sent_files(table) == []

    assert send(phone, b"update").status_code == 200
    table.clock.advance(machine_module.SENT_LASTS_S - 1)
    assert not tidied()
    assert phone.post(MACHINE, {"type": "update", "sent": True}).status_code == 200
    table.presses[-1][2](False)
    table.clock.advance(machine_module.SENT_LASTS_S - 1)
    assert not tidied()  # it was asked for a moment ago
    table.clock.advance(1)
    assert tidied()


def test_what_a_power_cut_has_left_of_one_is_deleted_with_the_next_start(table, tmp_path):
    for name in ("sent.update", "sent.update.new"):
        (tmp_path / name).touch()
    DeviceControl(table.root.path, tmp_path, table.pairing.confirming, table.clock)
    assert sent_files(table) == []


# What a table that has been taken over can have done


@pytest.fixture
def done(tmp_path, monkeypatch):
    """What is run as root, instead of running it."""
    found = []
    monkeypatch.setattr(as_root, "STATE", tmp_path)
    monkeypatch.setattr(as_root, "FAILED", tmp_path / "failed")
    monkeypatch.setattr(as_root, "FOLDER", tmp_path)
    monkeypatch.setattr(as_root, "_run", lambda *words: found.append(words))
    return found


@pytest.mark.parametrize(
    "request_",
    [b"", b"{}", b"[" * 4096, b"\xff\xfe", b'{"type": "shell", "command": "id"}', b'"power-off"',
     b'{"type": "update", "sent": true, "path": "/etc/shadow"}', b'{"type": "join", "network": 7}'],
)  # fmt: skip
def test_what_it_does_not_know_it_does_not_do(done, request_):
    assert "cannot be read" in answer(request_).error
    assert done == []


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "nothing", "long"])
def test_only_a_plain_file_is_taken_for_an_update(done, tmp_path, kind):
    sent = tmp_path / machine_module.SENT_NAME
    match kind:
        case "link":
            sent.symlink_to("/etc/shadow")
        case "pipe":
            os.mkfifo(sent)
        case "folder":
            sent.mkdir()
        case "long":
            with sent.open("wb") as file:
                file.truncate(machine_module.MAX_SENT_BYTES + 1)
    assert answer(b'{"type": "update", "sent": true}').error
    assert done == []
    assert (tmp_path / "failed").exists()  # and the table tells of it


def test_what_was_sent_is_handed_on_by_its_descriptor_and_gone_afterwards(done, tmp_path):
    sent = tmp_path / machine_module.SENT_NAME
    sent.write_bytes(b"update")
    assert answer(b'{"type": "update", "sent": true}').error is None
    [(program, path)] = done
    assert program == "/opt/tiltboard/update"
    assert path.startswith("/proc/self/fd/")
    assert not sent.exists()


def test_a_network_s_name_is_a_name_and_no_setting(done, tmp_path, monkeypatch):
    """As NetworkManager gets it: what is no password of a Wi-Fi does not reach it."""
    monkeypatch.setenv("PATH", str(tmp_path))  # no nmcli
    hostile = {"type": "join", "network": "x", "password": "12345678\nid=evil"}
    assert "password" in answer(msgspec.json.encode(hostile)).error
    assert not list(tmp_path.glob("*.nmconnection"))
