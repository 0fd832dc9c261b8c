"""``tiltboard hotspot``: the table's own Wi-Fi, as NetworkManager keeps it, and the way out of it.

NetworkManager itself opens the hotspot where no network that it knows is in reach: its profile
connects by itself, after all others (docs/service.md).
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import uuid
from pathlib import Path

import click

from tiltboard.drivers.errors import TiltboardError
from tiltboard.firmware_host.cli.speech import say, standard_input
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import read_file, write_durably
from tiltboard.firmware_host.messages import text

FOLDER = Path("/etc/NetworkManager/system-connections")
HOTSPOT, JOINED = "tiltboard-hotspot", "tiltboard-network"
ADDRESS = "10.42.0.1"
NAME = "tiltboard"  # and four digits: where there are two tables, phones tell them apart
DIGITS = 12  # so that lights can show them; eight, the fewest, are guessed within minutes
PATIENCE_S = 60
_PASSWORD = re.compile(r"[ -~]{8,63}|[0-9A-Fa-f]{64}")  # IEEE 802.11i: a passphrase, or the key
_MOST_NAME = 32  # bytes


class NetworkError(TiltboardError):
    """The network could not be changed."""


def profile(name: str, ssid: str, password: str | None, *, hotspot: bool = False) -> bytes:
    """A keyfile of NetworkManager's (nm-settings-keyfile) for a Wi-Fi, opened or joined.
    ``password`` None: of an open one, to join.

    Raises ConfigError for what is no name or password of a Wi-Fi.
    """
    raw = ssid.encode()
    if not 1 <= len(raw) <= _MOST_NAME:
        raise ConfigError("A Wi-Fi's name has 1 to {most} bytes.", most=_MOST_NAME)
    if password is not None and not _PASSWORD.fullmatch(password):
        raise ConfigError("A Wi-Fi's password has 8 to 63 letters, digits and signs.")
    own = uuid.uuid5(uuid.NAMESPACE_DNS, f"{name}.tiltboard")
    lines = ["[connection]", f"id={name}", f"uuid={own}", "type=wifi"]
    lines += [f"autoconnect-priority={-999 if hotspot else 1}"]
    # As bytes: no name is read as anything else
    lines += ["[wifi]", f"ssid={''.join(f'{byte};' for byte in raw)}"]
    lines += ["mode=ap", "band=bg"] if hotspot else ["mode=infrastructure"]
    if password is not None:
        escaped = password.replace("\\", "\\\\")
        escaped = re.sub(r"^ +| +$", lambda found: r"\s" * len(found[0]), escaped)
        lines += ["[wifi-security]", "key-mgmt=wpa-psk", f"psk={escaped}"]
    if hotspot:
        lines += ["proto=rsn;", "[ipv4]", "method=shared", f"address1={ADDRESS}/24"]
        lines += ["[ipv6]", "method=disabled"]
    return "\n".join([*lines, ""]).encode()


def hotspot_of(folder: Path) -> tuple[str, str] | None:
    """Name and password of the table's own Wi-Fi; None: there is none. Raises ConfigError."""
    path = folder / f"{HOTSPOT}.nmconnection"
    try:
        said = read_file(path, follow=False).decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise ConfigError(
            "The table's Wi-Fi, {path}, cannot be read: {why}.",
            remedy="Run this as root.",
            path=path,
            why=why,
        ) from error
    own = re.search(r"^ssid=((?:\d+;)+)$.*^psk=(\d+)$", said, re.MULTILINE | re.DOTALL)
    if own is None:  # somebody's own
        raise ConfigError(
            "The table's Wi-Fi, {path}, was not made by tiltboard hotspot.",
            remedy="See it with nmcli, or remove it.",
            path=path,
        )
    return bytes(map(int, own[1].split(";")[:-1])).decode(errors="replace"), own[2]


def _digits(count: int) -> str:
    return "".join(str(secrets.randbelow(10)) for _ in range(count))


def join(folder: Path, ssid: str, password: str | None) -> None:
    """Leave the hotspot for this network, for good where that works; else the hotspot is back, and
    the network forgotten. Raises ConfigError, NetworkError, OSError.
    """
    path = folder / f"{JOINED}.nmconnection"
    before = path.read_bytes() if path.exists() else None
    write_durably(path, profile(JOINED, ssid, password))
    try:
        _nmcli("connection", "load", str(path))
        _nmcli("--wait", str(PATIENCE_S), "connection", "up", JOINED)
    except NetworkError:
        if before is None:
            _nmcli("connection", "delete", JOINED)
        else:
            write_durably(path, before)
            _nmcli("connection", "load", str(path))
        if (folder / f"{HOTSPOT}.nmconnection").exists():
            _nmcli("--wait", str(PATIENCE_S), "connection", "up", HOTSPOT)
        raise


def _nmcli(*words: str) -> None:
    try:
        subprocess.run(  # noqa: S603
            ["nmcli", *words],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
            timeout=2 * PATIENCE_S,
        )
    except FileNotFoundError as error:
        raise NetworkError(
            "There is no NetworkManager here.", remedy="Install it: apt install network-manager"
        ) from error
    except subprocess.SubprocessError as error:
        said = getattr(error, "stderr", None) or str(error)
        raise NetworkError(
            "NetworkManager refused: {why}", why=str(said).strip()[-300:] or "?"
        ) from error


@click.command(name="hotspot", epilog="Example: sudo tiltboard hotspot")
@click.option("--new", is_flag=True, help="Take another password; phones have to join again.")
@click.option(
    "--name",
    help="Name of the Wi-Fi, where it is made. Default: as before; at first tiltboard and four"
    " digits.",
)
@click.option("--join", "ssid", metavar="NAME", help="Join this network instead.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=FOLDER,
    show_default=True,
    help="Folder of NetworkManager's connections.",
)
def command(*, new: bool, name: str | None, ssid: str | None, folder: Path) -> None:
    """Open the table's own Wi-Fi where no known network is in reach; say how to join it.

    --join reads the other network's password from a line of standard input; leave it empty for an
    open network. If the table cannot join, it opens its own again.
    """
    from tiltboard.firmware_host.service.qr import qr_terminal, wifi_code

    if not os.access(folder, os.W_OK):
        raise ConfigError("Only root may change the network.", remedy="Try again with sudo.")
    if ssid is not None:
        join(folder, ssid, standard_input("--join").readline().rstrip("\n") or None)
        say(text("The table is in the network {name}.", name=ssid))
        return
    had = None if new and name is not None else hotspot_of(folder)
    if had is not None and not new:
        named, password = had
    else:
        named = name or (f"{NAME}-{_digits(4)}" if had is None else had[0])
        password = _digits(DIGITS)
        path = folder / f"{HOTSPOT}.nmconnection"
        write_durably(path, profile(HOTSPOT, named, password, hotspot=True))
        _nmcli("connection", "load", str(path))
    say(
        text("The table's Wi-Fi is {name}, its password {password}.", name=named, password=password)
    )
    click.echo(qr_terminal(wifi_code(named, password)))
