"""The doctor's look at the settings and at the table's profile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firmware_host.commissioning.findings import Finding, of_error, ok
from firmware_host.config.errors import ConfigError
from firmware_host.config.profile import Profile, load_profile
from firmware_host.config.settings import Settings, load_settings, settings_file
from firmware_host.messages import ENGLISH, Catalogue, text
from firmware_host.messages.errors import UnknownLanguageError


@dataclass(frozen=True, slots=True)
class Configured:
    """``table`` None: there is none to be read."""

    findings: tuple[Finding, ...]
    language: str | None
    table: Profile | None
    speaker: str | None = None


def read_configured(config: Path | None, profile: str | None) -> Configured:
    """``config``, or the file in use; ``profile`` comes before the one in the settings."""
    path = settings_file(config)
    settings = Settings()
    try:
        settings = load_settings(config)
        Catalogue.load(settings.language or ENGLISH)
    except (ConfigError, UnknownLanguageError) as error:
        found = [of_error("settings", error)]
        settings = Settings()
    else:
        found = [
            ok("settings", text("There is no settings file; what is usual holds."))
            if path is None
            else ok("settings", text("{path} can be read.", path=path))
        ]
    try:
        table = load_profile(profile or settings.profile)
    except ConfigError as error:
        found.append(of_error("table", error))
        return Configured(tuple(found), settings.language, None)
    found.append(ok("table", text("{name}: {title}", name=table.name, title=text(table.title))))
    return Configured(tuple(found), settings.language, table, settings.speaker)
