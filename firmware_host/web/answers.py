"""What the HTTP interface answers with, beside layouts, snapshots and records."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import msgspec

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.engines.search.limits import waits_s
from tiltboard.firmware_host.host import lobby
from tiltboard.firmware_host.messages import Catalogue, Message
from tiltboard.firmware_host.service.publish import look_info
from tiltboard.firmware_host.service.snapshot import LookInfo
from tiltboard.games.base import Credit, GameType, OptionSpec, Preset


class Problem(msgspec.Struct, frozen=True):
    """Why something was not done, in a sentence for people."""

    error: str


class Done(msgspec.Struct, frozen=True):
    """It has been done."""

    done: bool = True


class GameKind(msgspec.Struct, frozen=True):
    """A game that can be started: whose it is, its rules in short, the presets that fit the plate
    (the usual one first), its options, limited to what the plate can carry, and the pieces that
    stand for it. ``aim``: what it is about, in one line. ``players``: those of each preset, in turn
    order, and ``looks``: how their pieces are drawn; none in a game of seats (``seated``).
    ``lesson``: it can be learnt in a minute. ``waits``: about how many seconds the computer takes
    for a move at each level, on a desktop computer; a Raspberry Pi takes a few times as long.
    """

    name: str
    credit: Credit
    aim: str
    rules: list[str]
    presets: list[Preset]
    options: list[OptionSpec]
    emblem: dict[str, LookInfo] = {}
    players: list[list[str]] = []
    looks: dict[str, LookInfo] = {}
    lesson: bool = False
    waits: list[float] = []
    seated: bool = False


class FarState(msgspec.Struct, frozen=True):
    """Why no other table can be reached, and what to do; None where one can be."""

    missing: Message | None


class PuzzleKind(msgspec.Struct, frozen=True):
    """A puzzle: what there is to find, a ``win`` or the only move that ``save``s, in how many turns
    of the winner.
    """

    kind: str
    turns: int


class GamePuzzles(msgspec.Struct, frozen=True):
    """The puzzles of a game, counted from 1. ``daily``: the number of today's."""

    game: str
    daily: int
    puzzles: list[PuzzleKind]


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


class LookLink(msgspec.Struct, frozen=True):
    """Under which anybody may look on, far away. ``picture``: of it, as an SVG for phones."""

    url: str
    picture: str


class PairingState(msgspec.Struct, frozen=True):
    """What this visitor may do. ``network``: the page is served to other devices.

    ``code``: the one open now, told to the table's own page only. ``first``: no device is paired,
    so that this one may ask to be let in by a press at the table. ``machine``: whether it may ask
    the computer that the table runs on. ``look``: what it may give to others.
    """

    network: bool
    may_act: bool
    may_watch: bool
    code: str | None
    first: bool
    machine: bool
    look: LookLink | None


class PairingCode(msgspec.Struct, frozen=True):
    """A new code, and for how many seconds it is good. ``address``: of the page, for other devices;
    ``picture``: a QR code as SVG of that with a long secret behind it, which is good as long.
    """

    code: str
    lasts_s: float
    address: str
    picture: str


class JoinRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to call this device, the first one."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "a device"


class Joining(msgspec.Struct, frozen=True):
    """The ``number`` that the table's lights show; for ``lasts_s`` confirm may be pressed there."""

    number: str
    lasts_s: float


class MachineState(msgspec.Struct, frozen=True):
    """The computer that the table runs on. ``wifi``, ``password``: of the table's own Wi-Fi, where
    it has one; ``picture``: both for a phone's camera, a QR code as SVG.
    """

    version: str
    wifi: str | None
    password: str | None
    picture: str | None


class PairRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The code shown at the table or the secret of its picture, and what to call this device."""

    code: Annotated[str, msgspec.Meta(pattern="^([0-9]{6}|[0-9a-f]{32})$")]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "a device"


class SeatsState(msgspec.Struct, frozen=True):
    """The seats of the game being played. ``players``: all; ``mine``: those of this device;
    ``away``: those whose device has no page open. ``codes``: of free seats, told to those who may
    act on the table. ``at_table``: this is the table's own page, which sits down without a code.
    ``pictures``: of the codes, for a phone's camera: QR codes as SVG, of the page's ``address`` for
    phones with the code behind it; none where the page is not served to phones. ``closed``: it
    is not, and this visitor may let them in.
    """

    players: list[str]
    mine: list[str]
    away: list[str]
    codes: dict[str, str]
    pictures: dict[str, str]
    address: str
    at_table: bool
    closed: bool


class SeatRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sit down: with a seat's code, or, on the table's own page, at the seat of that player."""

    code: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}$")] | None = None
    player: Annotated[str, msgspec.Meta(min_length=1, max_length=40)] | None = None


def game_kind(kind: GameType, profile: Profile, spoken: Catalogue) -> GameKind:
    """A game to choose, in words, with the presets and options that such a table has."""

    def translate(english: str) -> str:
        return spoken.translate(Message(english))

    presets = lobby.presets_for(kind, profile)
    players = [list(kind.create(preset.options).players) for preset in presets]
    return GameKind(
        name=kind.name,
        credit=replace(kind.credit, notice=translate(kind.credit.notice)),
        aim=translate(kind.aim),
        rules=[translate(paragraph) for paragraph in kind.rules_summary],
        presets=[
            replace(
                preset,
                choices={translate(q): translate(a) for q, a in preset.choices.items()},
            )
            for preset in presets
        ],
        seated=kind.seated,
        lesson=kind.lesson is not None,
        emblem={piece: look_info(kind, piece) for piece in kind.emblem},
        players=players,
        waits=[] if kind.seated else list(waits_s(kind.create({}))),
        looks={
            each: look_info(kind, each) for seats in players for each in seats if not kind.seated
        },
        options=[
            replace(
                option,
                label=translate(option.label or option.name),
                help=translate(option.help),
                choice_labels=tuple(map(translate, option.choice_labels)),
            )
            for option in lobby.options_for(kind, profile)
        ],
    )
