"""What each phase shows: roles for the lights and one sentence."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firmware_host.guidance import questions, troubles, turns
from firmware_host.messages import Message
from firmware_host.referee.book import Book, Landing
from firmware_host.referee.line import Line
from firmware_host.referee.plan import Finding
from firmware_host.referee.repair import Repair, repairs
from firmware_host.standing import Phase, Question, Role, Sound, Standing
from games.base import Game, Outcome, Position, Shift, Turn

Problems = frozenset[tuple[str, str]]  # place, and what is wrong there


@dataclass(frozen=True, slots=True)
class View:
    """One phase as people see it; the rest as in Standing.

    ``problems``: what makes it a fix, to notice new ones. ``quiet``: they were to be expected.
    """

    phase: Phase
    say: Message
    roles: Mapping[str, Role] = field(default_factory=dict)
    piece_for: Mapping[str, str] = field(default_factory=dict)
    shifts: tuple[Shift, ...] = ()
    problems: Problems = frozenset()
    quiet: bool = False
    question: Question | None = None
    tint: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    path_colour: str | None = None


def turn_view(game: Game, book: Book, last: Turn | None, hidden: Container[str] = ()) -> View:
    """Waiting for a move. A piece that stands ``hidden`` may be in the hand already."""
    position = book.position
    held = [_arriving(turn) for at, found in book.movers.items() if at in hidden for turn in found]
    landings = [shift.target for shift in held if shift.target is not None]
    legal = (*book.drops, *book.entries, *book.movers, *landings)
    roles = {**_last(last), **dict.fromkeys(legal, Role.LEGAL)}
    tint = _tint(book)
    to_move = position.to_move or ""
    if tint:
        said = turns.turn_by_sides(game.name, to_move)
    else:
        said = turns.turn(
            game.name,
            to_move,
            drops=bool(book.drops),
            exchange=_arriving(book.exchange) if book.exchange else None,
        )
    low = [owner for owner, left in position.reserve.items() if left == 1]
    return View(Phase.TURN, turns.last_piece(game.name, said, low), roles, tint=tint)


def question_view(question: Question, phase: Phase, last: Turn | None) -> View:
    """Something is asked; the phase stays as it is."""
    tint: dict[str, tuple[str, ...]] = {}
    for choice in question.choices:
        if choice.colour is not None:
            for place in choice.places:
                tint[place] = (*tint.get(place, ()), choice.colour)
    chosen = question.chosen
    tilting = any(choice.fall is not None for choice in question.choices)
    say = questions.asked_tilting if tilting else questions.asked
    places = [place for choice in question.choices for place in choice.places]
    return View(
        phase,
        say(question.ask, chosen.label),
        {**_last(last), **dict.fromkeys(places, Role.LEGAL)},
        question=question,
        tint=tint,
        path=chosen.path,
        path_colour=chosen.colour,
    )


def landing_view(game: Game, found: Landing) -> View:
    """A piece is in the hand and what it captures is not in its place any more: it has to land."""
    shift = found.shift
    target = shift.target or ""
    extra, captured = next(iter(found.extras.items()), (None, ""))
    return View(
        Phase.SETTLE,
        turns.land(game.name, shift.piece, target, captured, extra=extra),
        {**dict.fromkeys(found.extras, Role.REMOVE), target: Role.PUT},
        {target: shift.piece},
    )


def lifted_view(game: Game, position: Position, choices: Sequence[Turn]) -> View:
    """A piece is in the hand: where it, or what replaces it, may land."""
    shift = _arriving(choices[0])
    if shift.source is not None:
        roles = dict.fromkeys((_arriving(turn).target or "" for turn in choices), Role.LEGAL)
        return View(Phase.TURN, turns.carried(game.name, shift.piece, shift.source), roles)
    back = position.cells.get(shift.target or "", shift.piece)
    roles = dict.fromkeys((s.target for t in choices for s in t.act if s.target), Role.LEGAL)
    return View(Phase.TURN, turns.lifted(game.name, shift, back), roles)


def settle_view(game: Game, finding: Finding, turn: Turn) -> View:
    """Consequences are to be carried out. Where the piece's way is known, it is shown."""
    return View(
        Phase.SETTLE,
        _next_shift(game, finding),
        finding.todo,
        finding.wanted,
        finding.shifts,
        path=turn.path if len(turn.path) > 1 else (),
        path_colour=turn.entrance.colour if turn.entrance is not None else None,
    )


def setup_view(game: Game, finding: Finding, blurred: Iterable[str]) -> View:
    """The board is not the starting position yet."""
    roles = dict.fromkeys((*finding.strays, *blurred), Role.REMOVE)
    puts = {p: piece for p, piece in finding.missing.items() if p not in roles}
    roles.update(dict.fromkeys(puts, Role.PUT))
    plan = repairs(game, finding)
    if plan:
        return View(Phase.SETUP, repair_say(game, plan[0]), roles, puts)
    return View(Phase.SETUP, unclear_say(min(roles), {}, finding.strays), roles, puts)


def fix_view(finding: Finding, blurred: Iterable[str], say: Message) -> View:
    """Something is wrong: strays, missing pieces, places that cannot be read."""
    roles = {**finding.todo, **dict.fromkeys(finding.missing, Role.PUT)}
    roles.update(dict.fromkeys((*finding.strays, *blurred), Role.WRONG))
    puts = {
        place: piece
        for place, piece in {**finding.wanted, **finding.missing}.items()
        if roles[place] is Role.PUT
    }
    problems = frozenset(
        [
            *((place, "stray " + piece) for place, piece in finding.strays.items()),
            *((place, "missing") for place in finding.missing),
            *((place, "blurred") for place in blurred),
        ]
    )
    return View(Phase.FIX, say, roles, puts, finding.shifts, problems)


def over_view(game: Game, position: Position, outcome: Outcome, last: Turn | None) -> View:
    """The result."""
    winners = outcome.team or ((outcome.winner,) if outcome.winner else ())
    places = outcome.places or [p for p, piece in position.cells.items() if piece in winners]
    roles = {**_last(last), **dict.fromkeys(places, Role.WIN)}
    return View(Phase.OVER, turns.over(game.name, outcome), roles)


def standing(
    view: View, line: Line | None, *, swap_legal: bool, made: bool, sounds: tuple[Sound, ...]
) -> Standing:
    """The whole account. ``made``: a move stands on the board that is not on disk."""
    if line is None:
        return Standing(
            view.phase, None, None, None, None, (), {}, {}, (), view.say, None, sounds=sounds
        )
    return Standing(
        phase=view.phase,
        to_move=line.position.to_move,
        game=line.game,
        game_id=line.game_id,
        position=line.position,
        moves=line.moves,
        roles=view.roles,
        piece_for=view.piece_for,
        shifts=view.shifts,
        say=view.say,
        outcome=line.position.outcome,
        swap_legal=swap_legal,
        can_take_back=made or line.last is not None,
        question=view.question,
        tint=view.tint,
        path=view.path,
        path_colour=view.path_colour,
        sounds=sounds,
    )


def repair_say(game: Game, repair: Repair) -> Message:
    """One repair as a sentence."""
    if repair.source is None:
        return troubles.put_back(game.name, repair.piece, repair.target or "")
    if repair.target is None:
        say = troubles.park if repair.parked else troubles.take_off
        return say(game.name, repair.piece, repair.source)
    if repair.turn_over:
        return troubles.turn_over(game.name, repair.piece, repair.source)
    return troubles.carry(game.name, repair.piece, repair.source, repair.target)


def unclear_say(place: str, expected: Mapping[str, str], cells: Mapping[str, str]) -> Message:
    """A place that cannot be read: a piece off its middle, or something unknown."""
    if place in expected or place in cells:
        return troubles.unclear(place)
    return troubles.unreadable(place)


def _next_shift(game: Game, finding: Finding) -> Message:
    """A piece in the hand first; then one whose way is free."""
    todo = finding.todo

    def order(shift: Shift) -> tuple[bool, bool]:
        waiting = shift.source is not None and todo.get(shift.source, Role.PUT) is not Role.PUT
        blocked = shift.target is not None and todo.get(shift.target) in (Role.LIFT, Role.REMOVE)
        return blocked, waiting

    whole = [_whole_way(s, finding) for s in finding.shifts]
    shift = min([s for s in whole if s.target is None or s.target in todo] or whole, key=order)
    return turns.settle(game.name, shift, lifted_already=not order(shift)[1])


def _whole_way(shift: Shift, finding: Finding) -> Shift:
    """``shift`` from where its piece is lit: one like it may stand on the way, and stays there."""
    feeders = {s.target: s for s in finding.shifts if s.piece == shift.piece and s.target}
    while shift.source in feeders and shift.source not in finding.todo:
        shift = replace(shift, source=feeders.pop(shift.source).source)
    return shift


def _last(turn: Turn | None) -> dict[str, Role]:
    """Where the piece that was moved has come to rest."""
    if turn is None:
        return {}
    on = {s.source: s.target for s in turn.consequences if s.source is not None}
    rest = (on.get(s.target, s.target) for s in turn.act if s.target is not None)
    return dict.fromkeys((place for place in rest if place is not None), Role.LAST)


def _tint(book: Book) -> Mapping[str, tuple[str, ...]]:
    """The colours of the sides by which a piece may come in, in games where that matters."""
    return {
        place: tuple(t.entrance.colour for t in found if t.entrance is not None)
        for place, found in book.entries.items()
        if any(t.entrance is not None for t in found)
    }


def _arriving(turn: Turn) -> Shift:
    return next(s for s in turn.act if s.target is not None)
