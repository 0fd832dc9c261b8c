"""``tiltboard hotspot``: opens the table's own Wi-Fi network, which is a connection profile of
NetworkManager, or joins another network.

NetworkManager opens the hotspot if no known network is in range, because the hotspot's profile
connects automatically with the lowest priority (docs/service.md).
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import uuid
from pathlib import Path

import click

from tiltboard.firmware_host.cli.cli_output import say, standard_input
from tiltboard.firmware_host.cli.main import Group
from tiltboard.firmware_host.cli.options import CONFIG, PORT
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import read_file, write_durably
from tiltboard.firmware_host.config.settings import HOTSPOT_ADDRESS, load_settings
from tiltboard.firmware_host.messages import text
from tiltboard.ground.errors import TiltboardError

FOLDER = Path("/etc/NetworkManager/system-connections")
GENERATED = Path("/run/NetworkManager/system-connections")
"""Folder to which netplan writes NetworkManager's profiles on newer systems."""
HOTSPOT, JOINED = "tiltboard-hotspot", "tiltboard-network"
# First part of the Wi-Fi network's name. Four digits are appended, so that phones can distinguish
# two tables.
NAME = "tiltboard"
# Number of digits in a password, which consists of digits because the table's lights can show only
# digits. The minimum of eight digits would not be enough, because such a password can be guessed
# within minutes.
DIGITS = 12
PATIENCE_S = 60
# A passphrase or a key for a Wi-Fi network (IEEE 802.11i).
_PASSWORD = re.compile(r"[ -~]{8,63}|[0-9A-Fa-f]{64}")
_MAX_NAME = 32  # Maximum length of a Wi-Fi network's name, in bytes.
_BYTES = re.compile(r"([0-9]{1,3}\s*;\s*)+")
_ESCAPED = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_SECTIONS = {"802-11-wireless": "wifi", "802-11-wireless-security": "wifi-security"}
# Protected management frames are disabled (pmf=1), because phones that request such frames cannot
# join an access point of the Pi's own radio.
_HOTSPOT_SECURITY = ["proto=rsn;", "pairwise=ccmp;", "group=ccmp;", "pmf=1"]


class NetworkError(TiltboardError):
    """Raised if the network settings could not be changed."""


def profile(
    name: str,
    ssid: str,
    password: str | None,
    *,
    hotspot: bool = False,
    hidden: bool = False,
    wpa3: bool = False,
) -> bytes:
    """Return a keyfile for NetworkManager (nm-settings-keyfile) that opens or joins a Wi-Fi
    network.

    ``password`` is None to join an open network. ``hidden`` is true if the network does not
    broadcast its name. ``wpa3`` is true if the network accepts only WPA3. Raises ConfigError if the
    name or the password is invalid.
    """
    raw = ssid.encode()
    if not 1 <= len(raw) <= _MAX_NAME:
        raise ConfigError("A Wi-Fi's name has 1 to {most} bytes.", most=_MAX_NAME)
    if password is not None and not _PASSWORD.fullmatch(password):
        raise ConfigError("A Wi-Fi's password has 8 to 63 letters, digits and signs.")
    lines = ["[connection]", f"id={name}", f"uuid={_uuid(name)}", "type=wifi"]
    lines += [f"autoconnect-priority={-999 if hotspot else 1}"]
    # The network's name is written as bytes, so that NetworkManager cannot misinterpret any name.
    lines += ["[wifi]", f"ssid={''.join(f'{byte};' for byte in raw)}"]
    lines += ["mode=ap", "band=bg"] if hotspot else ["mode=infrastructure"]
    lines += ["hidden=true"] if hidden else []
    if password is not None:
        escaped = password.replace("\\", "\\\\")
        escaped = re.sub(r"^ +| +$", lambda found: r"\s" * len(found[0]), escaped)
        lines += ["[wifi-security]", f"key-mgmt={'sae' if wpa3 else 'wpa-psk'}", f"psk={escaped}"]
    if hotspot:
        lines += [*_HOTSPOT_SECURITY, "[ipv4]", "method=shared", f"address1={HOTSPOT_ADDRESS}/24"]
        lines += ["[ipv6]", "method=disabled"]
    return "\n".join([*lines, ""]).encode()


def _uuid(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{name}.tiltboard"))


def _settings_in(keyfile: str) -> dict[tuple[str, str], str]:
    """Return the settings in a keyfile by (section, key). Long section names are replaced by their
    short forms.
    """
    found, section = {}, ""
    for line in map(str.lstrip, keyfile.split("\n")):
        if line.startswith("["):
            section = line[1:].partition("]")[0]
            section = _SECTIONS.get(section, section)
        elif not line.startswith("#"):
            key, _, value = line.partition("=")
            found[section, key.rstrip()] = value.lstrip()
    return found


def _unescape(value: str) -> str:
    return re.sub(r"\\([sntr\\])", lambda found: _ESCAPED[found[1]], value)


def _ssid(value: str) -> str:
    """Return the name of a Wi-Fi network, which a keyfile contains as bytes with semicolons or as
    text.
    """
    numbers = [int(each) for each in re.findall(r"[0-9]+", value)]
    if _BYTES.fullmatch(value) and max(numbers) < 256:
        return bytes(numbers).decode(errors="replace")
    return _unescape(value).replace("\\;", ";")


def _kept_profile(folder: Path, name: str) -> tuple[Path, str] | None:
    """Return the path and the text of one of the table's connection profiles, or None if there is
    no such profile. Another program may have moved the profile to another file. Raises ConfigError
    if the profile cannot be read.
    """
    own = folder / f"{name}.nmconnection"
    others = [path for each in (folder, GENERATED) for path in sorted(each.glob("*.nmconnection"))]
    for path in (own, *others):
        try:
            said = read_file(path, follow=False).decode()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            if path != own:
                continue
            why = getattr(error, "strerror", None) or "it is not a text file"
            raise ConfigError(
                "The table's Wi-Fi, {path}, cannot be read: {why}.",
                remedy="Run this as root.",
                path=path,
                why=why,
            ) from error
        if path == own or _settings_in(said).get(("connection", "uuid")) == _uuid(name):
            return path, said
    return None


def hotspot_of(folder: Path) -> tuple[str, str] | None:
    """Return the name and the password of the table's own Wi-Fi network, or None if there is no
    such network. Raises ConfigError if the profile is unreadable or was not made by tiltboard.
    """
    kept = _kept_profile(folder, HOTSPOT)
    if kept is None:
        return None
    path, said = kept
    settings = _settings_in(said)
    ssid, password = settings.get(("wifi", "ssid")), settings.get(("wifi-security", "psk"))
    # This profile was made by a user, not by tiltboard.
    if not ssid or not password or settings.get(("wifi", "mode")) != "ap":
        raise ConfigError(
            "The table's Wi-Fi, {path}, was not made by tiltboard hotspot.",
            remedy="See it with nmcli, or remove it.",
            path=path,
        )
    return _ssid(ssid), _unescape(password)


def _digits(count: int) -> str:
    return "".join(str(secrets.randbelow(10)) for _ in range(count))


def join(
    folder: Path, ssid: str, password: str | None, *, hidden: bool = False, wpa3: bool = False
) -> None:
    """Leave the hotspot and join the network ``ssid``. If this fails, open the hotspot again and
    forget the network. Raises ConfigError, NetworkError or OSError.
    """
    content = profile(JOINED, ssid, password, hidden=hidden, wpa3=wpa3)
    before = _kept_profile(folder, JOINED)
    _keep(folder, JOINED, content)
    try:
        _nmcli("--wait", str(PATIENCE_S), "connection", "up", JOINED)
    except NetworkError:
        if before is None:
            _nmcli("connection", "delete", JOINED)
        else:
            _keep(folder, JOINED, before[1].encode())
        if _kept_profile(folder, HOTSPOT) is not None:
            _nmcli("--wait", str(PATIENCE_S), "connection", "up", HOTSPOT)
        raise


def _keep(folder: Path, name: str, content: bytes) -> None:
    """Write a connection profile and load it. If another file contains a profile with the same
    name, delete the other file first, because it would take precedence.
    """
    path, kept = folder / f"{name}.nmconnection", _kept_profile(folder, name)
    if kept is not None and kept[0] != path:
        _nmcli("connection", "delete", "uuid", _uuid(name))
    write_durably(path, content)
    _nmcli("connection", "load", str(path))


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


@click.group(
    name="hotspot",
    cls=Group,
    invoke_without_command=True,
    epilog="Example: sudo tiltboard hotspot",
)
@click.option("--new", is_flag=True, help="Make a new password; phones must join again.")
@click.option(
    "--name",
    help="Name of the table's Wi-Fi. Default: the last one, or at first tiltboard and four digits.",
)
@click.option("--join", "ssid", metavar="NAME", help="Join this network instead.")
@click.option("--hidden", is_flag=True, help="With --join: the network hides its name.")
@click.option("--wpa3", is_flag=True, help="With --join: the network accepts only WPA3.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=FOLDER,
    show_default=True,
    help="Folder of NetworkManager's connections.",
)
@click.pass_context
def command(
    context: click.Context,
    *,
    new: bool,
    name: str | None,
    ssid: str | None,
    hidden: bool,
    wpa3: bool,
    folder: Path,
) -> None:
    """Open the table's own Wi-Fi where no known network is in reach; say how to join it.

    --join reads the password of the other network from a line of standard input; leave the line
    empty for an open network. If the table cannot join, it opens its own Wi-Fi again.
    """
    if context.invoked_subcommand is not None:
        return
    from tiltboard.firmware_host.service.qr import qr_terminal, wifi_code

    if not os.access(folder, os.W_OK):
        raise ConfigError("Only root may change the network.", remedy="Try again with sudo.")
    if ssid is not None:
        password = standard_input("--join").readline().rstrip("\n") or None
        join(folder, ssid, password, hidden=hidden, wpa3=wpa3)
        say(text("The table is in the network {name}.", name=ssid))
        return
    had = None if new and name is not None else hotspot_of(folder)
    if had is not None and not new:
        named, password = had
    else:
        named = name or (f"{NAME}-{_digits(4)}" if had is None else had[0])
        password = _digits(DIGITS)
        _keep(folder, HOTSPOT, profile(HOTSPOT, named, password, hotspot=True))
    say(
        text("The table's Wi-Fi is {name}, its password {password}.", name=named, password=password)
    )
    click.echo(qr_terminal(wifi_code(named, password)))


@command.command(epilog="Example: tiltboard hotspot sheet > sheet.html")
@click.option(
    "--name", help="Name by which the network knows the table. Default: this machine's name."
)
@CONFIG
@PORT
def sheet(*, name: str | None, config: Path | None, port: int | None) -> None:
    """Print a sheet with QR codes that lead phones to the page, as HTML for a browser.

    If root runs the command and the table has its own Wi-Fi, the sheet also contains a QR code to
    join that Wi-Fi.
    """
    from tiltboard.firmware_host.service.qr import qr_sheet, wifi_code
    from tiltboard.firmware_host.web.guard import machine_names

    port = load_settings(config).port if port is None else port
    url = f"http://{name or machine_names()[1]}" + ("/" if port == 80 else f":{port}/")
    # Only root is allowed to know the password of the table's Wi-Fi network.
    wifi = hotspot_of(FOLDER) if os.access(FOLDER, os.R_OK) else None
    figures = [] if wifi is None else [(wifi_code(*wifi), "Wi-Fi", " ".join(wifi))]
    page = "The table's page"
    click.echo(qr_sheet(page, [*figures, (url, page, url)]), nl=False)
