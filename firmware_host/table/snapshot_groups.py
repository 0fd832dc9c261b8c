"""The snapshot's groups `game` and `guidance`: the state of the game, and the instructions for
people.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from tiltboard.drivers.errors import PartError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table.lights import tint
from tiltboard.firmware_host.table.problem_messages import without_buttons
from tiltboard.firmware_host.table.status import Choice, GameStatus, Lean, Question, Sound
from tiltboard.games.base import Position, Shift
from tiltboard.games.seated import SeatedGame


class GameGroup(msgspec.Struct, frozen=True):
    """The game, its moves and its result."""

    step: int
    """A number that changes whenever a player's decision could change. A page sends the number back
    with a request.
    """
    to_move: str | None
    """The player to move, or None before and after a game."""
    moves: list[str]
    """The moves made so far, in the notation of the game."""
    legal: list[str]
    """Names of the legal moves, as ``tiltboard rules`` lists them. The list is empty while no
    player is to move. In a game with private seats, the list is always empty, because the moves
    would reveal hidden cards.
    """
    position: dict[str, str]
    """Place -> piece in the last position that is confirmed and stored in the journal."""
    reserve: dict[str, int]
    """Piece or player -> number of pieces that can still be put on the board."""
    result: dict[str, Any] | None
    """The result as an object in the form that ``tiltboard rules`` writes, or None during the game.
    """
    swap_legal: bool
    """True if the player to move may make the swap move of the pie rule."""
    can_take_back: bool
    """True if there is a move to take back."""
    sounds: list[tuple[int, Sound]]
    """The latest tunes, each with a running number, so that a page plays each tune only once."""

    @classmethod
    def of(
        cls,
        status: GameStatus,
        opening: Iterable[str] = (),
        sounds: Iterable[tuple[int, Sound]] = (),
    ) -> GameGroup:
        """Return the part of the snapshot that describes ``status`` (the state of the game).
        ``opening``: moves that were played before the moves in ``status``. ``sounds``: the latest
        tunes, each with its number.
        """
        position = status.position
        outcome = status.outcome
        return cls(
            step=status.step,
            to_move=status.to_move,
            moves=shown_moves(position, (*opening, *status.moves)),
            legal=_legal(status),
            position={} if position is None else dict(position.cells),
            reserve={} if position is None else dict(position.reserve),
            result=None if outcome is None else outcome.as_json(),
            swap_legal=status.swap_legal,
            can_take_back=status.can_take_back,
            sounds=list(sounds),
        )


class FaultInfo(msgspec.Struct, frozen=True):
    """A part that does not work and its remedy, or a notice about a part."""

    part: str
    """Name of the part."""
    problem: Message
    """The problem, in a sentence."""
    remedy: Message
    """The remedy, in a sentence; empty for a notice."""

    @classmethod
    def of(cls, fault: PartError) -> FaultInfo:
        """Return ``fault`` in the form that the page shows."""
        return cls(
            part=fault.part,
            problem=Message(fault.template, fault.params),
            remedy=Message(fault.remedy_template, fault.params),
        )


class ChoiceInfo(msgspec.Struct, frozen=True):
    """One possible answer to a question."""

    value: str
    """The value that a page sends back for this answer."""
    label: Message
    """The answer in words."""
    colour: str | None
    """Colour of the answer as ``#rrggbb``, or None."""
    places: list[str]
    """Places that light up for this answer."""
    path: list[str]
    """Path that the piece takes if this answer is right."""

    @classmethod
    def of(cls, choice: Choice) -> ChoiceInfo:
        """Return ``choice`` in the form that the page shows."""
        colour = None if choice.colour is None else colour_hex(choice.colour)
        return cls(choice.value, choice.label, colour, list(choice.places), list(choice.path))


class QuestionInfo(msgspec.Struct, frozen=True):
    """A question to the players."""

    ask: Message
    """The question in words."""
    choices: list[ChoiceInfo]
    """The possible answers."""
    at: int
    """Index of the choice that is currently selected with the buttons."""
    say: Message
    """The instruction for pages, which show the possible answers themselves."""
    offer: bool = False
    """True if play continues without an answer. In this case, the field ``say`` of the guidance
    group has the sentence shown at the table, which mentions the buttons.
    """

    @classmethod
    def of(cls, question: Question, said: Message) -> QuestionInfo:
        """Return ``question`` in the form that the page shows. ``said``: the sentence shown at the
        table.
        """
        both = text("{said} {asked}", said=without_buttons(said), asked=question.ask)
        return cls(
            ask=question.ask,
            choices=[ChoiceInfo.of(choice) for choice in question.choices],
            at=question.at,
            say=both if question.offer else question.ask,
            offer=question.offer,
        )


class PathInfo(msgspec.Struct, frozen=True):
    """A light that runs along places."""

    places: list[str]
    """The places, in the order in which the light runs."""
    colour: str | None
    """Colour of the light as ``#rrggbb``, or None for white."""


class GuidanceGroup(msgspec.Struct, frozen=True):
    """The part of a snapshot that tells people what to do next, in sentences and lights."""

    phase: str
    """The phase of play: setup, turn, settle, fix, paused, over or free."""
    say: Message
    """Sentence that tells people the one next thing to do, and why."""
    question: QuestionInfo | None
    """The open question, or None."""
    faults: list[FaultInfo]
    """Parts that do not work, and notices about parts."""
    roles: dict[str, str]
    """Place -> the meaning of the place's light: wrong, remove, lift, put, win, legal or last."""
    piece_for: dict[str, str]
    """Place with the role put -> piece that is missing on that place."""
    tint: dict[str, list[str]]
    """Place -> colours, as ``#rrggbb``, between which the place's light alternates."""
    path: PathInfo | None
    """A light that runs along places, or None."""
    shifts: list[Shift]
    """The steps that people must carry out, in an order in which each step is possible."""
    lean_deg: Lean | None
    """Tilt about x and y at which a piece slides to its place, in degrees, or None."""

    @classmethod
    def of(
        cls,
        status: GameStatus,
        names: Mapping[str, Message],
        notices: Mapping[str, Message],
        faults: Iterable[PartError],
    ) -> GuidanceGroup:
        """Return the part of the snapshot with the instructions in ``status`` (the state of the
        game). ``names``: player -> name of the person or the bot, used in the sentences;
        ``notices``: part -> notice about that part; ``faults``: parts that do not work.
        """
        labels = {} if status.game is None else status.game.labels
        say, question = status.say.with_names(names).with_places(labels), status.question
        if question is not None:
            ask = question.ask.with_names(names).with_places(labels)
            question = replace(question, ask=ask)
        colour = status.path_colour
        path = PathInfo(list(status.path), None if colour is None else colour_hex(colour))
        return cls(
            phase=status.phase.value,
            say=say,
            question=None if question is None else QuestionInfo.of(question, say),
            faults=[
                *(FaultInfo(part, notice, Message("")) for part, notice in notices.items()),
                *map(FaultInfo.of, faults),
            ],
            roles={place: role.value for place, role in status.roles.items()},
            piece_for=dict(status.piece_for),
            tint={place: [*map(colour_hex, each)] for place, each in status.tint.items()},
            path=path if path.places else None,
            shifts=list(status.shifts),
            lean_deg=None if status.lean_rad is None else in_degrees(status.lean_rad),
        )


def _legal(status: GameStatus) -> list[str]:
    position = status.position
    if position is None or status.to_move is None or isinstance(position.game, SeatedGame):
        return []
    return list(position.legal())


def shown_moves(position: Position | None, moves: tuple[str, ...]) -> list[str]:
    """Return the moves of a game. Until the game is over, the secret parts of the moves are left
    out.
    """
    if position is None or position.over:
        return list(moves)
    return [position.game.shown_move(move, "") for move in moves]


def in_degrees(tilt_rad: Lean) -> Lean:
    """Return the tilt ``tilt_rad``, which is in radians, in degrees rounded to hundredths."""
    about_x, about_y = tilt_rad
    return round(math.degrees(about_x), 2), round(math.degrees(about_y), 2)


def colour_hex(colour: str) -> str:
    """Return the light colour of a plain colour name as ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*tint(colour))
