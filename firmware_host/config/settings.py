"""The settings of the table's service, from ``tiltboard.toml`` (docs/configuration.md)."""

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
"""The table's address in the Wi-Fi network that the table provides."""


class EngineSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An engine that is another program, under [engine.NAME] (docs/engines.md)."""

    command: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    """Command that starts the engine, split into words as a shell does."""


class FarSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message broker that connects this table to other tables, under [far] (docs/far.md)."""

    broker: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    """The broker's address, mqtts://HOST or mqtt://HOST, with :PORT if needed. By default the table
    uses the broker that this network announces.
    """
    user: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """User name with which the table logs in to the broker."""
    password_file: str | None = None
    """File that contains only the password of ``user``; backups do not contain this file."""
    ca: str | None = None
    """PEM file with the certificate of the authority that signed the broker's certificate, if this
    Pi does not know the authority.
    """
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)] | None = None
    """Name under which other tables show this table."""


class LookSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings that let people watch games through the broker, under [look] (docs/club.md)."""

    show: Literal["link", "club"] | None = None
    """The people who can watch: everybody who has the link ("link"), or also the visitors of the
    club's page ("club"). By default nobody can watch the game through the broker.
    """
    names: bool = False
    """True if people who watch the game see the players' names; ask the players first."""
    late: bool = False
    """True if people who watch the game see each move one move late."""
    club: Annotated[str, msgspec.Meta(pattern="^https?://", max_length=200)] | None = None
    """Address of the club's page, http://HOST:PORT, which the link contains."""


class HomeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The connection to a smart home, under [home] (docs/home.md)."""

    discovery: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]+$", max_length=60)] | None = None
    """Prefix under which the smart home finds the table, such as "homeassistant". By default the
    smart home does not find the table.
    """
    commands: bool = False
    """True if the smart home can request a new game or an undo."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of the table, all optional."""

    profile: str = "plate-10"
    """The table's profile: the name of a shipped profile, or the path of a TOML file, relative to
    the settings.
    """
    language: str | None = None
    """Language of the table. Pages also use this language if the browser's languages are not
    available. By default the language of the locale is used.
    """
    host: str = "127.0.0.1"
    """IP address at which other devices reach the page; 0.0.0.0 makes the page available to the
    whole network. By default only the Pi itself can open the page.
    """
    speaker: str | None = None
    """Program that reads the table's sentences aloud on a loudspeaker, such as "espeak-ng"."""
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 8080
    """TCP port of the page."""
    names: list[str] = []
    """Additional names of this Pi in the network, without a port. The page accepts only requests
    that use one of these names or the host name.
    """
    watching: Literal["open", "paired"] = "open"
    """The devices in the network that can watch the game: "open" for all devices, or "paired" for
    paired devices only.
    """
    game: str = "momentum"
    """The first game of a new table. If none of the game's boards fits the plate and there are no
    ``options``, the table starts the first game that fits.
    """
    options: dict[str, Any] = {}
    """Options of ``game``, named as in ``tiltboard rules``."""
    engine: dict[EngineName, EngineSettings] = {}
    """Additional engines, by name."""
    ponder: bool = True
    """True if bots search during other players' turns."""
    far: FarSettings = FarSettings()
    """Settings of the connection to other tables."""
    look: LookSettings = LookSettings()
    """Settings for people who watch from outside this network."""
    home: HomeSettings = HomeSettings()
    """Settings of the connection to a smart home."""


def settings_file(path: Path | None) -> Path | None:
    """Return ``path``, or else the file that $TILTBOARD_CONFIG names, or else the system's settings
    file. Return None if there is no settings file.
    """
    named = os.environ.get("TILTBOARD_CONFIG")
    if path is not None:
        return path
    if named:
        return Path(named)
    # Path.exists() would raise an error in the engines' service, whose unit hides this folder.
    return SYSTEM_FILE if os.access(SYSTEM_FILE, os.F_OK) else None


def load_settings(path: Path | None) -> Settings:
    """Read the settings from ``path``, or else from the file that $TILTBOARD_CONFIG names, or else
    from the system's file if the file exists.

    Files named in the settings are relative to the folder of the settings file. Raises ConfigError
    that names the file, the key and the allowed values.
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
    """Return the paths of the files that the settings name."""
    named = (settings.far.password_file, settings.far.ca)
    own = (settings.profile,) if is_path(settings.profile) else ()
    return (*own, *(each for each in named if each is not None))


def _from(settings: Path, name: str | None) -> str | None:
    """Return the absolute path of the file ``name`` that the file ``settings`` refers to. Raises
    ConfigError.
    """
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
    """Return each engine's command, split into words, by the engine's name. Raises ConfigError."""
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
    """Return the host and port in a broker's URL, and whether it uses TLS. Raises ConfigError."""
    try:
        parts = urlsplit(url)
        default = {"mqtt": 1883, "mqtts": 8883}[parts.scheme]
        if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError(url)
        address = parts.hostname, parts.port or default, parts.scheme == "mqtts"
    except (KeyError, ValueError) as error:
        raise ConfigError(
            "far.broker: {url!r} is not a broker's address.",
            remedy='Write it so: broker = "mqtts://broker.example" (without TLS: mqtt://).',
            url=url.rpartition("@")[2],  # The URL can contain a password before the last @.
        ) from error
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            "far.broker contains a name or a password, which logs would show.",
            remedy="Write them as far.user and far.password_file.",
        )
    return address


def check_host(host: str) -> str:
    """Return ``host`` if it is an IP address. Raises ConfigError if not."""
    try:
        return str(ip_address(host))
    except ValueError as error:
        raise ConfigError(
            "{host!r} is not an address that the page can be served at.",
            remedy="Choose 127.0.0.1 for this machine alone, or 0.0.0.0 for the network.",
            host=host,
        ) from error
