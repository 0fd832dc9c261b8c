"""How the match and the game on this table follow one another: pure functions.

The match's list of steps and the journal's moves are two accounts of one game. A move that was made
here is written to the list; a step from afar is asked of the game, as an engine's move is; where a
hand has done what was not agreed, the board is brought back. Every call compares both as they
stand, so whatever a kill has interrupted simply continues.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from firmware_host.config.errors import NotPossibleError
from firmware_host.far.match import Differs, Match, Step
from firmware_host.messages import Message, text
from firmware_host.table import play
from firmware_host.table.commands import (
    Answer,
    GameRequest,
    MakeMove,
    OfferDraw,
    Resign,
    Swap,
    TakeBack,
    TimeUp,
)
from firmware_host.table.line import sides
from firmware_host.table.standing import Phase, Role, Standing

AWAY_S = 120.0  # before people are told
TAKES_BACK, DRAWS, RESIGNS, OUT_OF_TIME, AGAIN = "take-back", "draw", "resign", "time", "new-game"
OFFERS = {
    TAKES_BACK: text("The player far away asks to take back: take back here to agree."),
    DRAWS: text("The player far away offers a draw."),
    AGAIN: text("The player far away wants another game: play again to agree."),
}


def follow(
    match: Match, standing: Standing, *, waits: bool = False
) -> tuple[Match, GameRequest | None]:
    """One thing done to make both accounts equal: the match with a step more, or what to ask of the
    game; neither where they are, or where somebody else is to do something. ``waits``: a move was
    taken back by hand here, and the other tables have been asked.
    """
    made, known = standing.moves, match.course.moves
    alike = next((n for n, (a, b) in enumerate(zip(made, known, strict=False)) if a != b), None)
    request: GameRequest | None = None
    if match.state.differs is not None:
        return match, None
    agreed = match.agreed() if match.writes and len(made) <= len(known) else None
    if agreed is not None:
        return match.write(agreed), None
    if alike is not None:
        request = TakeBack(alike)
    elif len(made) > len(known):
        mover = match.course.mover
        if match.writes and match.state.agreed.complete and mover is not None:
            return match.write(Step("move", made[len(known)], mover)), None
        request = TakeBack(len(known))
    elif len(made) < len(known):
        if standing.outcome is not None:
            request = TakeBack()
        elif standing.phase is Phase.TURN and not waits:
            request = MakeMove(known[len(made)])
    elif standing.outcome is None and match.course.ended is not None:
        request = _end(match.course.ended, standing)
    elif standing.outcome is not None and match.course.mover is not None:
        request = TakeBack()
    if request is None:
        request = _offered(match, standing)
    if request is None:
        return match, None
    at = standing.step if isinstance(request, MakeMove | TakeBack) else None
    return match, msgspec.structs.replace(request, game=standing.game_id, step=at)


def _end(step: Step, standing: Standing) -> GameRequest | None:
    """What ends the game here as its players have ended it."""
    if step.kind == RESIGNS:
        return Resign(step.who)
    if step.kind == OUT_OF_TIME:
        return TimeUp(step.who)
    game = standing.game
    silent = (
        side[0]
        for side in (() if game is None else sides(game))
        if not set(side) & set(standing.draw_offers)
    )
    return next((OfferDraw(player) for player in silent), None)


def _offered(match: Match, standing: Standing) -> GameRequest | None:
    """A draw that another table offers, to be shown here; the last offer would make it one."""
    if standing.outcome is not None or standing.phase is not Phase.TURN:
        return None
    for table, state in match.others().items():
        if any(
            wish.number == match.number and wish.step.kind == DRAWS
            for wish in state.wishes
            if state.game == match.state.game
        ):
            for player, at in match.state.agreed.seats.items():
                mine = player not in standing.draw_offers and not completes(standing, player)
                if at == table and mine:
                    return OfferDraw(player)
    return None


def completes(standing: Standing, player: str) -> bool:
    """Whether the game would be drawn if ``player`` offered it too."""
    offers = {*standing.draw_offers, player}
    return standing.game is not None and all(offers & set(side) for side in sides(standing.game))


def wish_of(match: Match, kind: str, text: str = "", who: str = "") -> Step:
    """The step of that kind that another table wants, so that this is an answer; else a new one.
    ``who``: in whose name; else in that of the first player, who is the same at every table.
    """
    offered = (s for s in match.wanted() if s.kind == kind and match.table in match.lacks(s))
    first = match.course.game.players[0]
    if kind in (RESIGNS, OUT_OF_TIME):
        return Step(kind, "", who)  # type: ignore[arg-type]
    return next(offered, Step(kind, text, who or first))  # type: ignore[arg-type]


def back_to(match: Match, left: int) -> int:
    """How many moves are to stand where somebody here takes one back with ``left`` left: where that
    was the far player's, his own before it too.
    """
    seats, course = match.state.agreed.seats, match.course
    mover = course.reached[left].to_move if left < len(course.reached) else None
    before = course.reached[left - 1].to_move if 0 < left < len(course.reached) else None
    here = match.table
    if mover and before and seats[mover] != here and seats[before] == here:
        return left - 1
    return left


def taken_back_here(match: Match, left: int) -> Match:
    """Hands or buttons here have left so many moves, where the match has more: a wish, too."""
    if match.state.differs is not None:
        return match
    step = wish_of(match, TAKES_BACK, str(back_to(match, left)), _somebody(match))
    try:
        return match.wanting(step)
    except ValueError:  # too much is asked already: the move is asked for again
        return match


def _somebody(match: Match) -> str:
    """A player of this table."""
    return next(p for p, table in match.state.agreed.seats.items() if table == match.table)


def take_over(match: Match, request: GameRequest, standing: Standing) -> tuple[Match, bool]:
    """What somebody here asks of a game that is played with other tables: the match with the wish
    that it becomes, and whether that is all of it. Raises NotPossibleError.
    """
    if match.state.differs is not None:
        raise NotPossibleError(
            "The tables do not agree how the game stands.",
            remedy="Begin a new match; this game is kept.",
        )
    mover = match.course.mover
    try:
        match request:
            case TakeBack(to):
                if standing.phase is Phase.SETTLE and to is None and is_here(match, mover):
                    return match, False  # it is made here, and not known afar
                left = back_to(match, max(len(match.course.moves) - 1, 0) if to is None else to)
                ended = match.course.ended is not None
                left = len(match.course.moves) if ended and to is None else left
                wish = wish_of(match, TAKES_BACK, str(left), _somebody(match))
                return match.wanting(wish), True
            case OfferDraw(player):
                _check_here(match, player)
                wished = match.wanting(wish_of(match, DRAWS))
                return wished, completes(standing, player)
            case Resign(player):
                _check_here(match, player)
                return match.wanting(wish_of(match, RESIGNS, who=player)), True
            case TimeUp(player):
                mine = is_here(match, player)
                return (
                    match.wanting(wish_of(match, OUT_OF_TIME, who=player)) if mine else match
                ), True
            case MakeMove() | Swap() | Answer():
                if mover is not None and not is_here(match, mover):
                    _check_here(match, mover)
    except ValueError as error:
        raise NotPossibleError("That is not possible now: {why}", why=error) from error
    return match, False


def is_here(match: Match, player: str | None) -> bool:
    """Whether that player sits at this table."""
    return player is not None and match.state.agreed.seats.get(player) == match.table


def _check_here(match: Match, player: str) -> None:
    if not is_here(match, player):
        raise NotPossibleError(
            "{player} plays at another table.",
            remedy="Wait for that move.",
            player=play.player(player),
        )


def shown(match: Match, standing: Standing, away_s: float, *, waits: bool = False) -> Standing:
    """``standing`` with what concerns the far players. ``away_s``: for how long the table whose
    move it is has been away; ``waits``: as in ``follow``.
    """
    differs, mover = match.state.differs, match.course.mover
    told = match.state.agreed
    if differs is not None:
        return _quiet(standing, _differing(differs, standing.to_move))
    say = standing.say
    if standing.phase is Phase.SETTLE and standing.to_move and not is_here(match, standing.to_move):
        who = play.player(standing.to_move).capitalised()
        say = text("{player} has played, far away. {todo}", player=who, todo=say)
    elif standing.phase is Phase.TURN and waits:
        say = text("The other table is asked whether that may be taken back.")
        standing = _quiet(standing, say)
    elif standing.phase is Phase.TURN and not told.complete:
        missing = [player for player, table in told.seats.items() if not table]
        who = play.players(missing).capitalised()
        say = text("{player}: still to come, at another table.", player=who)
        standing = _quiet(standing, say)
    elif standing.phase is Phase.TURN and mover == standing.to_move and not is_here(match, mover):
        who = play.player(str(mover)).capitalised()
        if away_s >= AWAY_S:
            say = text(
                "The other table has been away for {minutes} minutes: the game waits.",
                minutes=int(away_s // 60),
            )
        else:
            say = text("{player} is thinking, far away.", player=who)
        standing = _quiet(standing, say)
    wanted = match.wanted()
    if not waits and any(match.table not in match.lacks(step) for step in wanted):
        say = text("The other table is asked. {said}", said=say)
    for step in wanted:
        if match.table in match.lacks(step) and step.kind in OFFERS:
            say = text("{offer} {said}", offer=OFFERS[step.kind], said=say)
    return standing if say is standing.say else replace(standing, say=say)


def _quiet(standing: Standing, say: Message) -> Standing:
    """``standing`` while nobody at this table is to move."""
    last = {place: role for place, role in standing.roles.items() if role is Role.LAST}
    return replace(standing, say=say, roles=last, tint={}, path=(), swap_legal=False)


def _differing(differs: Differs, to_move: str | None) -> Message:
    if differs.at is None:
        return text(
            "The tables do not agree what is played ({here} here, {there} there). "
            "Begin a new match.",
            here=differs.here,
            there=differs.there,
        )
    return text(
        "The tables do not agree on step {number}: {here} here, {there} there. Here {player} is to "
        "move. Begin a new match; this game is kept.",
        number=differs.at + 1,
        here=differs.here,
        there=differs.there,
        player=text("nobody") if to_move is None else play.player(to_move),
    )
