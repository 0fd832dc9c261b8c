"""The responses of the HTTP interface, except layouts, snapshots and game records."""

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
from tiltboard.games.drawing import picture
from tiltboard.games.lesson_game import GuidedGame


class Problem(msgspec.Struct, frozen=True):
    """The reason why a request failed, as a sentence for people."""

    error: str


class Done(msgspec.Struct, frozen=True):
    """The response to a request that was carried out."""

    done: bool = True


class GameKind(msgspec.Struct, frozen=True):
    """A game that can be started.

    ``aim`` describes the aim of the game in one line, and ``rules`` are the rules in short.
    ``presets`` (the default preset first) and ``options`` contain only values that fit the plate.
    ``emblem`` contains the pieces that represent the game.

    ``players`` lists the players of each preset in turn order, and ``looks`` describes the players'
    pieces. Both are empty if each player has a private seat (``seated`` is true). ``lesson`` is
    true if the game has a lesson. ``waits`` is the time that a bot takes for a move at each level,
    in seconds on a desktop PC; a Raspberry Pi takes a few times as long.
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
    """The reason why online play is impossible, with a remedy; null if online play is possible."""

    missing: Message | None


class PuzzleKind(msgspec.Struct, frozen=True):
    """The task of a puzzle: find the move that wins (``win``), or the only move that does not lose
    (``save``). ``turns`` is the maximum number of turns that the winner needs.
    """

    kind: str
    turns: int


class GamePuzzles(msgspec.Struct, frozen=True):
    """The puzzles of a game, numbered from 1. ``daily`` is the number of today's puzzle.
    ``tactics`` lists the numbers of the puzzles used in the lesson about tactics, in order.
    """

    game: str
    daily: int
    puzzles: list[PuzzleKind]
    tactics: list[int] = []


class Figure(msgspec.Struct, frozen=True):
    """An SVG ``picture`` of a turn of a game, and a sentence about the turn."""

    picture: str
    say: Message


class Light(msgspec.Struct, frozen=True):
    """The meaning of one kind of light. ``levels`` are brightnesses from 0 to 1, each shown for a
    quarter of a second. ``breath_s`` is the period of a smooth pulse in seconds, or null.
    """

    role: str
    meaning: Message
    rhythm: Message
    colour: str | None
    levels: tuple[float, ...]
    breath_s: float | None


class Texts(msgspec.Struct, frozen=True):
    """The sentences of the page in ``language``.

    ``messages`` maps each English sentence to its translation or to a list of plural forms. The
    plural forms are in the order of the Unicode categories (zero, one, two, few, many, other);
    unused categories are left out. ``languages`` lists the available languages.
    """

    language: str
    messages: dict[str, str | list[str]]
    languages: tuple[str, ...]


class LookLink(msgspec.Struct, frozen=True):
    """The link for watching from outside the network. ``picture`` is the QR code of the link, as an
    SVG.
    """

    url: str
    picture: str


class PairingState(msgspec.Struct, frozen=True):
    """The rights of the visitor who sends the request.

    ``network`` is true if the page is served to other devices. ``code`` is the open pairing code,
    or null for a page on another device. ``first`` is true if no device is paired yet and a press
    of the button at the table can admit this device. ``machine`` is true if the visitor may request
    updates, Wi-Fi and shutdown. ``look`` is a link for watching that the visitor may share.
    """

    network: bool
    may_act: bool
    may_watch: bool
    code: str | None
    first: bool
    machine: bool
    look: LookLink | None


class PairingCode(msgspec.Struct, frozen=True):
    """A new pairing code, valid for ``lasts_s`` seconds. ``address`` is the page's address for
    other devices. ``picture`` is a QR code (SVG) that contains this address and a long secret,
    which is valid for the same time.
    """

    code: str
    lasts_s: float
    address: str
    picture: str


class JoinRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to be admitted as the first device. ``name`` is the device's name."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "a device"


class Joining(msgspec.Struct, frozen=True):
    """The ``number`` that the lights of the table show. A person must press confirm within
    ``lasts_s`` seconds.
    """

    number: str
    lasts_s: float


class MachineState(msgspec.Struct, frozen=True):
    """The running version, and the name and password of the table's own Wi-Fi hotspot, or null if
    there is no hotspot. ``picture`` is a QR code (SVG) with which a phone joins the hotspot.
    """

    version: str
    wifi: str | None
    password: str | None
    picture: str | None


class PairRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request for pairing: the code shown at the table or the secret of its QR code, and a name
    for this device.
    """

    code: Annotated[str, msgspec.Meta(pattern="^([0-9]{6}|[0-9a-f]{32})$")]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "a device"


class SeatsState(msgspec.Struct, frozen=True):
    """The seats of the current game, one for each player.

    ``players`` lists all seats, ``mine`` lists the seats of this device, and ``away`` lists the
    seats whose device has no open page.

    ``codes`` are the codes of the free seats, for visitors who may control the table. ``pictures``
    are QR codes (SVG). Each contains the page's ``address`` and the code of a free seat.
    ``pictures`` is empty if the page is not served to phones.

    ``at_table`` is true for the page on this machine, which takes a seat without a code. ``closed``
    is true if phones cannot open the page, but this visitor may allow them to open it.
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
    """A request for a seat: by its code or, on the page of this machine, by the player's name."""

    code: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}$")] | None = None
    player: Annotated[str, msgspec.Meta(min_length=1, max_length=40)] | None = None


def figures(kind: GameType) -> list[Figure]:
    """Return the pictures for a game's rules, taken from its lesson: an example of a turn, and a
    winning turn. Empty for a game without a lesson.
    """
    lesson = kind.lesson
    if lesson is None:
        return []
    game = GuidedGame(kind.create(lesson.options), lesson)
    position, drawn = game.start(), []
    for step in lesson.steps:
        turn = position.play(step.move)
        drawn.append(Figure(picture(position, kind, turn), Message(step.say)))
        position = position.after(step.move)
    learners = range(0, len(drawn), len(game.players))
    # Show the first turn that has the largest number of consequences.
    example = max(learners, key=lambda at: len(lesson.steps[at].does))
    return [drawn[at] for at in sorted({example, len(drawn) - 1})]


def game_kind(kind: GameType, profile: Profile, spoken: Catalogue) -> GameKind:
    """Return a translated description of a game, with the presets and options that fit the
    plate.
    """

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
                about=translate(preset.about),
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
