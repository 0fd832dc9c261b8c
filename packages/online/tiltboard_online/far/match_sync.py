"""Synchronises a match with the game on this table, with pure functions.

The match's list of steps and the journal's moves are two records of one game. A move at this table
is added to the list. A step from another table becomes a request to the game, like a bot's move. If
someone moves pieces by hand and the other tables have not agreed, the table has the change undone
on the board. Each call compares both records, so an interruption does no harm.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.move_line import sides
from tiltboard.firmware_host.table.status import GameStatus, Phase, Role
from tiltboard_online.far.match import Differs, Kind, Match, MatchStep

# If a remote table is offline for at least this many seconds, people see a message.
AWAY_S = 120.0
TAKES_BACK: Final = "take-back"
DRAWS: Final = "draw"
RESIGNS: Final = "resign"
OUT_OF_TIME: Final = "time"
AGAIN: Final = "new-game"
OFFERS = {
    DRAWS: text("The player far away offers a draw."),
    AGAIN: text("The player far away wants another game: play again to agree."),
}


def offers(match: Match) -> dict[Kind, tuple[MatchStep, Message]]:
    """Return the requests of other tables to which this table has not agreed, by kind. Only the
    first request of each kind is returned. Each request has a sentence that states everything to
    which a press of the button agrees.
    """
    found: dict[Kind, tuple[MatchStep, Message]] = {}
    for step in match.unanswered:
        said = OFFERS.get(step.kind)
        if step.kind == TAKES_BACK:
            said = _back(match, step)
        if said is not None:
            found.setdefault(step.kind, (step, said))
    return found


def _back(match: Match, step: MatchStep) -> Message | None:
    """Return a sentence that asks players to take back moves for the request ``step``. Return None
    if the rules forbid the take-back.
    """
    try:
        count = len(match.course.moves) - len(match.course.after(step).moves)
    except ValueError:
        return None
    if count == 0:  # The request takes back only the end of the game, and no move.
        return text("The player far away asks to continue the game: take back here to agree.")
    if count == 1:
        return text("The player far away asks to take back 1 move: take back here to agree.")
    return text(
        "The player far away asks to take back {count} moves: take back here to agree.",
        count=count,
    )


def follow(match: Match, status: GameStatus, level: int) -> tuple[Match, c.GameRequest | None]:
    """Make the match and the game at this table agree in one more step. Return the match, possibly
    with one more step. Also return a request to the game, or None.

    If the match and the game already agree, or if other tables must act first, return the unchanged
    match and None.

    ``level``: the match's number of steps at the last time when the game at this table had no more
    moves than the match. If a later step has taken back moves, the extra move of the game is not a
    new move.
    """
    made, known = status.moves, match.course.moves
    alike = next((n for n, (a, b) in enumerate(zip(made, known, strict=False)) if a != b), None)
    request: c.GameRequest | None = None
    if match.state.differs is not None:
        return match, None
    agreed = match.agreed() if match.writes and len(made) <= len(known) else None
    if agreed is not None:
        return match.write(agreed), None
    if alike is not None:
        request = c.TakeBack(alike)
    elif len(made) > len(known):
        mover = match.course.mover
        new = all(step.kind != TAKES_BACK for step in match.state.steps[level:])
        if new and match.writes and match.state.agreed.complete and mover is not None:
            return match.write(MatchStep("move", made[len(known)], mover)), None
        request = c.TakeBack(len(known))
    elif len(made) < len(known):
        if status.outcome is not None:
            request = c.TakeBack()
        elif status.phase is Phase.TURN and not asks_back(match, status):
            request = c.MakeMove(known[len(made)])
    elif status.outcome is None and match.course.ended is not None:
        request = _end(match.course.ended, status)
    elif status.outcome is not None and match.course.mover is not None:
        request = c.TakeBack()
    if request is None:
        request = _draw_offer_shown(match, status)
    if request is None:
        return match, None
    at = status.step if isinstance(request, c.MakeMove | c.TakeBack) else None
    return match, replace(request, game=status.game_id, step=at)


def asks_back(match: Match, status: GameStatus) -> bool:
    """Return whether a person took back a move by hand at this table and the other tables have not
    agreed yet.
    """
    asked = any(wish.step.kind == TAKES_BACK for wish in match.state.wishes)
    return asked and len(status.moves) < len(match.course.moves)


def _end(step: MatchStep, status: GameStatus) -> c.GameRequest | None:
    """Return a request that ends the game at this table in the way that the players agreed, or
    None.
    """
    if step.kind == RESIGNS:
        return c.Resign(step.who)
    if step.kind == OUT_OF_TIME:
        return c.TimeUp(step.who)
    for side in () if status.game is None else sides(status.game):
        if not set(side) & set(status.draw_offers):
            return c.OfferDraw(side[0])
    return None


def _draw_offer_shown(match: Match, status: GameStatus) -> c.GameRequest | None:
    """Return a request that shows another table's draw offer at this table, or None.

    If the offer would complete a draw, the result is None, because the offer would end the game.
    """
    if status.outcome is not None or status.phase is not Phase.TURN:
        return None
    draw = MatchStep(DRAWS, "", match.course.game.players[0])
    for player, table in match.state.agreed.seats.items():
        there = match.others().get(table)
        offers = there is not None and there.wants(match.state.game, match.number, draw)
        if offers and player not in status.draw_offers and not completes(status, player):
            return c.OfferDraw(player)
    return None


def completes(status: GameStatus, player: str) -> bool:
    """Return whether the game would be drawn if ``player`` also offered a draw."""
    offers = {*status.draw_offers, player}
    return status.game is not None and all(offers & set(side) for side in sides(status.game))


def wish_of(match: Match, kind: Kind, text: str = "") -> MatchStep:
    """Return the step that this table wishes for. If another table already wants the same step,
    return the other table's step, so that the wish agrees to it.

    A new step names the first player, who is the same at each table.
    """
    offered = (step for step in match.unanswered if (step.kind, step.text) == (kind, text))
    return next(offered, MatchStep(kind, text, match.course.game.players[0]))


def _back_to(match: Match, left: int, read: MatchStep | None) -> MatchStep:
    """Return the wish to take back moves until ``left`` moves remain.

    If a remote player would be to move after the take-back, the wish also takes back one earlier
    move of this table. The player at this table can then move. The earlier move is not included if
    the wish would agree to a request that people have not read yet.

    ``read``: the take-back request that people have had time to read, or None.
    """
    seats, reached = match.state.agreed.seats, match.course.reached
    movers = [seats.get(position.to_move or "") for position in reached[: left + 1]]
    wish = wish_of(match, TAKES_BACK, str(left))
    if 0 < left < len(reached) and movers[left] and movers[left] != match.table == movers[left - 1]:
        more = wish_of(match, TAKES_BACK, str(left - 1))
        if wish != read and (more == read or more not in match.unanswered):
            return more
    return wish


def taken_back_here(match: Match, left: int, read: MatchStep | None) -> Match:
    """Return the match with this table's wish for a take-back, which a person made by hand or with
    the button. After the take-back, ``left`` moves remain.

    The match is returned unchanged if it has at most ``left`` moves. ``read``: the take-back
    request that people have had time to read, or None.
    """
    if match.state.differs is not None or left >= len(match.course.moves):
        return match
    try:
        return match.wanting(_back_to(match, left, read))
    except ValueError:  # The table has too many wishes, so the game asks for the move again.
        return match


def take_over(
    match: Match, request: c.GameRequest, status: GameStatus, read: MatchStep | None
) -> tuple[Match, bool]:
    """Turn a request made at this table into a wish, if the other tables must agree to the request.
    A wish is an offer that this table sends to the other tables. Return the match, and whether the
    request must wait until the other tables agree.

    ``read``: the take-back of another table that people have had time to read, or None. Raises
    NotPossibleError.
    """
    if match.state.differs is not None:
        raise NotPossibleError(
            "The tables do not agree how the game stands.",
            remedy="Begin a new match; this game is kept.",
        )
    course, wish = match.course, None
    asked, _ = offers(match).get(TAKES_BACK, (None, None))
    all_of_it = True
    match request:
        case c.TakeBack(None) if status.phase is Phase.SETTLE and is_here(match, course.mover):
            return match, False  # The other tables have not received this move yet.
        case c.TakeBack(None) if asked is not None:
            if asked != read:
                raise NotPossibleError(
                    "The player far away asks for something else now.",
                    remedy="Read what it is, then take back again to agree.",
                )
            wish = asked
        case c.TakeBack(None) if course.ended is not None:
            wish = wish_of(match, TAKES_BACK, str(len(course.moves)))
        case c.TakeBack(left):
            left = max(len(course.moves) - 1, 0) if left is None else left
            wish = _back_to(match, left, read)
        case c.OfferDraw(player):
            _check_here(match, player)
            wish, all_of_it = wish_of(match, DRAWS), completes(status, player)
        case c.Resign(player):
            _check_here(match, player)
            wish = MatchStep(RESIGNS, "", player)
        case c.TimeUp(player):
            wish = MatchStep(OUT_OF_TIME, "", player) if is_here(match, player) else None
        case c.MakeMove() | c.Swap() | c.Answer() if course.mover is not None:
            _check_here(match, course.mover)
            return match, False
        case _:
            return match, False
    try:
        return match if wish is None else match.wanting(wish), all_of_it
    except ValueError as error:
        raise NotPossibleError("That is not possible now: {why}", why=error) from error


def is_here(match: Match, player: str | None) -> bool:
    """Return whether ``player`` plays at this table."""
    return player is not None and match.state.agreed.seats.get(player) == match.table


def _check_here(match: Match, player: str) -> None:
    if not is_here(match, player):
        raise NotPossibleError(
            "{player} plays at another table.",
            remedy="Wait for that move.",
            player=phrases.player(player),
        )


def shown(match: Match, status: GameStatus, away_s: float) -> GameStatus:
    """Return ``status`` with the state of the remote players.

    ``away_s``: the time in seconds for which the table of the player to move has been offline.
    """
    differs, mover = match.state.differs, match.course.mover
    told, waits = match.state.agreed, asks_back(match, status)
    if differs is not None:
        return _quiet(status, _differing(differs, status.to_move))
    say = status.say
    if status.phase is Phase.SETTLE and status.to_move and not is_here(match, status.to_move):
        who = phrases.player(status.to_move).capitalised()
        say = text("{player} has played, far away. {todo}", player=who, todo=say)
    elif status.phase is Phase.TURN and waits:
        say = text("The other table must agree to take that back.")
        status = _quiet(status, say)
    elif status.phase is Phase.TURN and not told.complete:
        missing = [player for player, table in told.seats.items() if not table]
        who = phrases.players(missing).capitalised()
        say = text("Waiting for {player} to join.", player=who)
        status = _quiet(status, say)
    elif status.phase is Phase.TURN and mover == status.to_move and not is_here(match, mover):
        who = phrases.player(str(mover)).capitalised()
        if away_s >= AWAY_S:
            say = text(
                "The other table has been away for {minutes} minutes: the game waits.",
                minutes=int(away_s // 60),
            )
        else:
            say = text("{player} is thinking, far away.", player=who)
        status = _quiet(status, say)
    if not waits and len(match.unanswered) < len(match.wanted()):
        say = text("The other table is asked. {said}", said=say)
    for _, offer in offers(match).values():
        say = text("{offer} {said}", offer=offer, said=say)
    return status if say is status.say else replace(status, say=say)


def _quiet(status: GameStatus, say: Message) -> GameStatus:
    """Return ``status`` without requests to the players at this table, because it is not their
    turn.
    """
    last = {place: role for place, role in status.roles.items() if role is Role.LAST}
    return replace(status, say=say, roles=last, tint={}, path=(), swap_legal=False)


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
        player=text("nobody") if to_move is None else phrases.player(to_move),
    )
