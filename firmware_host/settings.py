"""The service's own settings, from ``tiltboard.toml`` (docs/configuration.md)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import msgspec

from firmware_host.config import read_toml

SYSTEM_FILE = Path("/etc/tiltboard/tiltboard.toml")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All optional. ``game`` and ``options``: what a table without any game begins with."""

    profile: str = "plate-10"
    language: str = "en"
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 8080
    game: str = "momentum"
    options: dict[str, Any] = {}


def load_settings(path: Path | None) -> Settings:
    """Read ``path``, else $TILTBOARD_CONFIG, else the system's file if there is one.

    Raises ConfigError naming file, key and what is allowed.
    """
    named = os.environ.get("TILTBOARD_CONFIG")
    if path is None and named:
        path = Path(named)
    if path is None:
        if not SYSTEM_FILE.exists():
            return Settings()
        path = SYSTEM_FILE
    return read_toml(path, Settings)
