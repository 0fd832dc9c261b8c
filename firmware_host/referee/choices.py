"""What the table asks, as values: which move it was, or whether something has been done."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from firmware_host.guidance import questions
from firmware_host.messages import Message
from firmware_host.referee.book import Pending
from firmware_host.referee.unseen import ends
from firmware_host.referee.view import Meaning
from firmware_host.table.standing import Choice, Claim, Question
from games.base import Game

DONE = "done"

Asked = tuple[Question, Mapping[str, Meaning]]
"""And what each answer means."""


def which_move(game: Game, found: Sequence[Pending], hidden: Collection[str] = ()) -> Asked:
    """Which of the moves ``found`` it was; the board fits them all. ``hidden``: as in unseen."""
    piece = found[0].turn.player
    places = unseen(found, hidden)
    ask = questions.which_move(places) if places else questions.which_side(game.name, piece)
    return _among(game, found, ask, offer=False)


def perhaps_moved(
    game: Game, found: Sequence[Pending], hidden: Collection[str], *, missed: bool
) -> Asked:
    """Whether one of ``found`` has been made, and which: an offer, nothing shows it. ``missed``:
    not because it is known that nobody sees ``hidden``, but because somebody says so.
    """
    places = landings(found, hidden)
    if missed:
        ask = questions.where_is_it()
    elif places and len(places) == len(found):
        ask = questions.is_there(places)
    else:
        ask = questions.which_move(places or unseen(found, hidden))
    return _among(game, found, ask, offer=True)


def perhaps_done(todo: Sequence[Claim], hidden: Collection[str]) -> Asked:
    """Whether ``todo`` is so, as is asked for: an offer."""
    places = [place for place, _ in todo]
    ask = questions.is_done(places) if set(places) <= set(hidden) else questions.is_that_done()
    return Question(ask, (Choice(DONE, questions.done()),), offer=True), {DONE: tuple(todo)}


def landings(found: Sequence[Pending], hidden: Collection[str]) -> list[str]:
    """The hidden places on which pieces of these moves may stand."""
    targets = {p for each in found for places in ends(each.turn).values() for p in places}
    return sorted(targets.intersection(hidden))


def unseen(found: Sequence[Pending], hidden: Collection[str]) -> list[str]:
    """The hidden places that these moves touch."""
    return sorted({place for each in found for place in each.touched if place in hidden})


def _among(game: Game, found: Sequence[Pending], ask: Message, *, offer: bool) -> Asked:
    choices = _choices(game, found)
    meant = {choice.value: each for choice, each in zip(choices, found, strict=True)}
    return Question(ask, choices, offer=offer), meant


def _choices(game: Game, found: Sequence[Pending]) -> tuple[Choice, ...]:
    """In games where the side counts it names the move, and its light is the edge of the board
    where the piece's line begins; else the place where the piece lands does.
    """
    sides = [each.turn.entrance.side for each in found if each.turn.entrance is not None]
    apart = len(set(sides)) == len(sides)
    choices = []
    for turn in (each.turn for each in found):
        entrance = turn.entrance
        if entrance is None:
            shift = next(s for s in turn.act if s.target is not None)
            place = shift.target or ""
            label = questions.landed(game.name, shift.piece, place)
            way = turn.path or (place,)
            choices.append(Choice(turn.move, label, places=(place,), path=way))
            continue
        choices.append(
            Choice(
                entrance.side if apart else turn.move,
                questions.side(entrance.side, entrance.colour, turn.move),
                (turn.move, entrance.colour) if apart else (),
                entrance.colour,
                (entrance.edge,),
                turn.path,
                entrance.fall if apart else None,
            )
        )
    return tuple(choices)
