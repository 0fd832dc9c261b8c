"""Sentences when something is not as it should be: fix, unclear places, pauses, requests."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.errors import TiltboardError
from firmware_host.guidance.words import piece, player
from firmware_host.messages import Message, text
from firmware_host.table.observation import Happening, Stillness
from games.base import RulesError


def turn_over(game: str, kind: str, place: str) -> Message:
    """The right piece, upside down. ``kind``: what it should be."""
    return text(
        "The {piece} on {place} lies upside down: turn it over.",
        piece=piece(game, kind),
        place=place,
    )


def carry(game: str, kind: str, source: str, target: str) -> Message:
    """A piece has gone astray and its place is known."""
    return text(
        "Move the {piece} from {source} to {target}.",
        piece=piece(game, kind),
        source=source,
        target=target,
    )


def take_off(game: str, kind: str, place: str) -> Message:
    """A piece must leave the board."""
    return text("Take the {piece} off {place}.", piece=piece(game, kind), place=place)


def park(game: str, kind: str, place: str) -> Message:
    """A piece must make room for another before it can go where it belongs."""
    return text("Take the {piece} off {place} for a moment.", piece=piece(game, kind), place=place)


def put_back(game: str, kind: str, place: str) -> Message:
    """A piece is missing."""
    return text("Put a {piece} on {place}.", piece=piece(game, kind), place=place)


def or_wait(said: Message) -> Message:
    """``said``; the board is as it was before the move, which takes it back if it stays so."""
    return text("{said} Or wait, and the move is taken back.", said=said)


def or_turn_over(said: Message, owner: str) -> Message:
    """``said``; it may be the mover's own piece with the wrong side up."""
    return text("{said} If it is {player}'s own, turn it over.", said=said, player=player(owner))


def because(why: Message, said: Message) -> Message:
    """First why, then what to do."""
    return text("{why} {what}", why=why, what=said)


def noticed(notice: Message, said: Message) -> Message:
    """Something past, and then what is true now."""
    return text("{notice} {said}", notice=notice, said=said)


def refused(error: RulesError) -> Message:
    """A rule's own reason."""
    return Message(error.template, error.params)


def one_at_a_time() -> Message:
    """Each piece alone would have been allowed."""
    return text("Only one piece may be put down in a turn.")


def capture_first(game: str, mover: str, captured: str, place: str) -> Message:
    """What a landing captures was taken up before the piece that lands."""
    return text(
        "Now move the {piece} to {place}, or put the {captured} back.",
        piece=piece(game, mover),
        place=place,
        captured=piece(game, captured),
    )


def unfinished(mover: str) -> Message:
    """Somebody went on before the consequences were carried out."""
    return text("First finish {player}'s move.", player=player(mover))


def stay() -> Message:
    """A piece of the board was moved or taken, and the game has no such move."""
    return text("Pieces on the board stay where they are.")


def off_board() -> Message:
    """A piece lies on a place that does not belong to the game."""
    return text("That place does not belong to the board.")


def taking_back() -> Message:
    """A move was taken back and the board must follow."""
    return text("The move is taken back.")


def resumed() -> Message:
    """The board is not as the interrupted game left it."""
    return text("The board is not as this game left it.")


def happened(what: Happening) -> Message | None:
    """What perception saw just before the board went wrong, if it explains anything."""
    if what is Happening.SLID:
        return text("A piece was pushed along.")
    if what is Happening.KNOCKED:
        return text("Pieces were knocked aside.")
    if what is Happening.BUMPED:
        return text("The table was bumped.")
    return None


def unclear(place: str) -> Message:
    """The sensor cannot read this place."""
    return text("Move the piece on {place} to the middle of its place.", place=place)


def unreadable(place: str) -> Message:
    """Something that cannot be read is where nothing should be."""
    return text(
        "The table cannot read {place}. Move the piece there to the middle of its place, "
        "or take it off.",
        place=place,
    )


def part_missing(faults: Sequence[TiltboardError]) -> Message:
    """A part is lost or the disk refuses: problem and remedy of the first."""
    first = faults[0]
    return text(
        "{problem} {remedy}",
        problem=Message(first.template, first.params),
        remedy=Message(first.remedy_template, first.params),
    )


def not_still(stillness: Stillness) -> Message:
    """The plate cannot be read now."""
    if stillness is Stillness.TILTED:
        return text("Level the plate.")
    return text("Wait until the plate lies still.")


def not_ready() -> Message:
    """The sensors are being zeroed."""
    return text("One moment: the table is looking at its places.")


def nothing_to_take_back() -> Message:
    """Asked for a takeback before the first move."""
    return text("There is no move to take back.")


def no_swap() -> Message:
    """Asked for a swap when it is not legal."""
    return text("A swap is possible only on the second player's first turn.")
