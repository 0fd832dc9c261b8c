"""The service's own settings, from ``tiltboard.toml`` (docs/configuration.md)."""

from __future__ import annotations

import os
import shlex
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from firmware_host.config.engine_seats import OURS, EngineName
from firmware_host.config.errors import ConfigError
from firmware_host.config.reading import read_toml

SYSTEM_FILE = Path("/etc/tiltboard/tiltboard.toml")


class EngineSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An engine besides ours. ``command``: what starts it, split as a shell does."""

    command: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All optional. ``game`` and ``options``: what a table without any game begins with.

    ``language``: of the table itself, and of pages whose browsers ask for none that there is; None:
    that of the environment. ``speaker``: the program that reads aloud what the table says.
    ``host``: the address to serve the page at, beside this machine's own; ``names``: under which
    other devices may reach it. ``watching``: whether those that are not paired may look on.
    ``engine``: name -> the engines that may play, besides ours. ``ponder``: whether engines think
    while people do.
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


def settings_file(path: Path | None) -> Path | None:
    """``path``, else $TILTBOARD_CONFIG, else the system's file; None if there is none."""
    named = os.environ.get("TILTBOARD_CONFIG")
    if path is not None:
        return path
    if named:
        return Path(named)
    return SYSTEM_FILE if SYSTEM_FILE.exists() else None


def load_settings(path: Path | None) -> Settings:
    """Read ``path``, else $TILTBOARD_CONFIG, else the system's file if there is one.

    Raises ConfigError naming file, key and what is allowed.
    """
    path = settings_file(path)
    if path is None:
        return Settings()
    settings = read_toml(path, Settings)
    check_host(settings.host)
    engine_commands(settings)
    return settings


def engine_commands(settings: Settings) -> dict[str, list[str]]:
    """Name -> command of every engine. Raises ConfigError."""
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
        if name == OURS or not found[name]:
            raise ConfigError(
                "engine.{name} cannot be that name, or has no command.",
                remedy="Choose another name than that of the table's own engine.",
                name=name,
            )
    return found


def check_host(host: str) -> str:
    """``host``, if it is an IP address. Raises ConfigError."""
    try:
        return str(ip_address(host))
    except ValueError as error:
        raise ConfigError(
            "{host!r} is not an address that the page can be served at.",
            remedy="Choose 127.0.0.1 for this computer alone, or 0.0.0.0 for the network.",
            host=host,
        ) from error
