"""The service's own settings, from ``tiltboard.toml`` (docs/configuration.md)."""

from __future__ import annotations

import os
import shlex
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import is_path, read_toml
from tiltboard.firmware_host.config.players import FAR, OURS, EngineName

SYSTEM_FILE = Path("/etc/tiltboard/tiltboard.toml")
HOTSPOT_ADDRESS = "10.42.0.1"
"""The table's address in its own Wi-Fi."""


class EngineSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An additional engine; ``command`` starts it, and is split as a shell does."""

    command: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class FarSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message broker that connects this table to distant ones (docs/far.md).

    ``broker`` is its URL, or None for one on this table's own network. ``password_file`` holds the
    password of ``user``, and ``ca`` the certificate that signed the broker's, if the system does
    not know it. ``name`` is what the other tables call this one.
    """

    broker: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    user: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    password_file: str | None = None
    ca: str | None = None
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)] | None = None


class LookSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Watching from elsewhere (docs/club.md): ``show`` allows it with the link only, on the club's
    page too, or not at all (None). ``names`` shows people's names, ``late`` delays by one move, and
    ``club`` is the address of the club's page, for the link.
    """

    show: Literal["link", "club"] | None = None
    names: bool = False
    late: bool = False
    club: Annotated[str, msgspec.Meta(pattern="^https?://", max_length=200)] | None = None


class HomeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The link to a smart home (docs/home.md): ``discovery`` is the prefix under which it looks for
    devices, or None for no link; ``commands`` allows it to send requests.
    """

    discovery: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]+$", max_length=60)] | None = None
    commands: bool = False


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings, all optional.

    ``game`` and ``options`` are what a table without any game begins with. ``language`` is the
    table's own, also for pages whose browsers ask for none that exists; None: the environment's.
    ``speaker`` is a program that reads messages aloud. ``host`` is an address to serve the page at
    besides this machine's own, ``names`` are those under which other devices may reach it, and
    ``watching`` says which devices may look on. ``engine`` holds more engines by name, and
    ``ponder`` lets engines think during people's turns. ``far`` connects to other tables, ``look``
    lets people watch there, and ``home`` connects to a smart home.
    """

    profile: str = "plate-10"
    language: str | None = None
    host: str = "127.0.0.1"
    speaker: str | None = None
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 8080
    names: list[str] = []
    watching: Literal["open", "paired"] = "open"
    game: str = "momentum"
    options: dict[str, Any] = {}
    engine: dict[EngineName, EngineSettings] = {}
    ponder: bool = True
    far: FarSettings = FarSettings()
    look: LookSettings = LookSettings()
    home: HomeSettings = HomeSettings()


def settings_file(path: Path | None) -> Path | None:
    """Return ``path``, else $TILTBOARD_CONFIG, else the system's file, or None if there is none."""
    named = os.environ.get("TILTBOARD_CONFIG")
    if path is not None:
        return path
    if named:
        return Path(named)
    # Not exists(), which raises where the folder is hidden: from the computer players' unit
    return SYSTEM_FILE if os.access(SYSTEM_FILE, os.F_OK) else None


def load_settings(path: Path | None) -> Settings:
    """Read ``path``, else $TILTBOARD_CONFIG, else the system's file if there is one. Files named in
    it are relative to its folder.

    Raises ConfigError naming file, key and what is allowed.
    """
    path = settings_file(path)
    if path is None:
        return Settings()
    settings = read_toml(path, Settings)
    check_host(settings.host)
    engine_commands(settings)
    if settings.far.broker is not None:
        broker_address(settings.far.broker)
    far = msgspec.structs.replace(
        settings.far,
        password_file=_from(path, settings.far.password_file),
        ca=_from(path, settings.far.ca),
    )
    own = is_path(settings.profile)
    profile = (_from(path, settings.profile) if own else None) or settings.profile
    return msgspec.structs.replace(settings, far=far, profile=profile)


def files_of(settings: Settings) -> tuple[str, ...]:
    """Return the files that the settings name."""
    named = (settings.far.password_file, settings.far.ca)
    own = (settings.profile,) if is_path(settings.profile) else ()
    return (*own, *(each for each in named if each is not None))


def _from(settings: Path, name: str | None) -> str | None:
    """Return the path of a file named in the file ``settings``. Raises ConfigError."""
    if name is None:
        return None
    try:
        return str(settings.absolute().parent / Path(name).expanduser())
    except RuntimeError as error:
        raise ConfigError(
            "{path} cannot be read: {why}.",
            remedy="Check the path and that the file is text this user may read.",
            path=name,
            why=error,
        ) from error


def engine_commands(settings: Settings) -> dict[str, list[str]]:
    """Return every engine's command, split into words, by its name. Raises ConfigError."""
    found = {}
    for name, engine in settings.engine.items():
        try:
            found[name] = shlex.split(engine.command)
        except ValueError as error:
            raise ConfigError(
                "engine.{name}: {command} cannot be split into words: {why}.",
                remedy="Correct its quotes.",
                name=name,
                command=repr(engine.command),
                why=error,
            ) from error
        if name in (OURS, FAR) or not found[name]:
            raise ConfigError(
                "engine.{name} cannot be that name, or has no command.",
                remedy="Choose another name than that of the table's own engine.",
                name=name,
            )
    return found


def broker_address(url: str) -> tuple[str, int, bool]:
    """Return the host and port of a broker's URL, and whether it uses TLS. Raises ConfigError."""
    try:
        parts = urlsplit(url)
        default = {"mqtt": 1883, "mqtts": 8883}[parts.scheme]
        if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError(url)
        address = parts.hostname, parts.port or default, parts.scheme == "mqtts"
    except (KeyError, ValueError) as error:
        raise ConfigError(
            "far.broker: {url!r} is no broker's address.",
            remedy='Write it so: broker = "mqtts://broker.example" (without TLS: mqtt://).',
            url=url.rpartition("@")[2],  # there might be a password before it
        ) from error
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            "far.broker has a name or a password in it, which logs would show.",
            remedy="Write them as far.user and far.password_file.",
        )
    return address


def check_host(host: str) -> str:
    """Return ``host`` if it is an IP address. Raises ConfigError."""
    try:
        return str(ip_address(host))
    except ValueError as error:
        raise ConfigError(
            "{host!r} is not an address that the page can be served at.",
            remedy="Choose 127.0.0.1 for this machine alone, or 0.0.0.0 for the network.",
            host=host,
        ) from error
