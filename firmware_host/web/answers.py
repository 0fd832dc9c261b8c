"""What the HTTP interface answers with, beside layouts, snapshots and records."""

from __future__ import annotations

from typing import Annotated

import msgspec

from firmware_host.messages import Message
from firmware_host.web.snapshot import LookInfo
from games.base import Credit, OptionSpec, Preset


class Problem(msgspec.Struct, frozen=True):
    """Why something was not done, in a sentence for people."""

    error: str


class Done(msgspec.Struct, frozen=True):
    """It has been done."""

    done: bool = True


class GameKind(msgspec.Struct, frozen=True):
    """A game that can be started: whose it is, its rules in short, the presets that fit the plate
    (the usual one first), its options, limited to what the plate can carry, and the pieces that
    stand for it.
    """

    name: str
    credit: Credit
    rules: list[str]
    presets: list[Preset]
    options: list[OptionSpec]
    emblem: dict[str, LookInfo] = {}


class Light(msgspec.Struct, frozen=True):
    """What a light means. ``levels``: brightness, a quarter second each; ``breath_s``: Pattern."""

    role: str
    meaning: Message
    rhythm: Message
    colour: str | None
    levels: tuple[float, ...]
    breath_s: float | None


class Texts(msgspec.Struct, frozen=True):
    """The page's language, of ``languages``: English sentence -> sentence, or -> its plural forms,
    in the order of Unicode's categories (zero, one, two, few, many, other) that it has.
    """

    language: str
    messages: dict[str, str | list[str]]
    languages: tuple[str, ...]


class PairingState(msgspec.Struct, frozen=True):
    """What this visitor may do. ``network``: the page is served to other devices.

    ``code``: the one open now, told to the table's own page only.
    """

    network: bool
    may_act: bool
    may_watch: bool
    code: str | None


class PairingCode(msgspec.Struct, frozen=True):
    """A new code, and for how many seconds it is good."""

    code: str
    lasts_s: float


class PairRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The code shown at the table, and what to call this device."""

    code: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}$")]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "a device"
