"""What people read while they play: whose turn it is, what to do, and what an engine does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.messages import Message, text
from firmware_host.table.line import AGREED, RESIGNED, TIME_UP
from firmware_host.table.sight import UNKNOWN_PIECE
from games.base import GameType, Outcome, PieceLook, Shift, Turn
from games.registry import GAMES

_COLOURS: Mapping[str, Message] = {
    "red": text("red"),
    "blue": text("blue"),
    "white": text("white"),
    "black": text("black"),
    "green": text("green"),
    "orange": text("orange"),
    "gray": text("gray"),
    "purple": text("purple"),
}

NO_GAME = text("Choose a game to begin.")
WHICH_GAME = text("Which game?")


def player(name: str) -> Message:
    """A player, or another colour: "red"."""
    return _COLOURS.get(name, Message(name))


def players(names: Sequence[str]) -> Message:
    """One or more players: "red and white"."""
    first, *rest = names
    if not rest:
        return player(first)
    return text("{one} and {others}", one=player(first), others=players(rest))


def piece(game: str, kind: str) -> Message:
    """A piece without its article: "red marble"."""
    if kind == UNKNOWN_PIECE:
        return text("strange piece")
    known = GAMES.get(game)  # an old game's package may be gone
    if known is None and kind not in _COLOURS:
        return Message(kind)
    look = PieceLook() if known is None else known.look_of(kind)
    return Message(look.noun, {"colour": player(kind)})


def turn(game: str, to_move: str, *, drops: bool, swap: Shift | None) -> Message:
    """The player to move may choose. ``swap``: the piece that ``swap`` would put, and where."""
    who = player(to_move)
    mine = piece(game, to_move)
    if not drops:
        return text("It is {player}'s turn: lift the {piece}.", player=who, piece=mine)
    if swap is None:
        return text("It is {player}'s turn: put a {piece} on a lit place.", player=who, piece=mine)
    return text(
        "It is {player}'s turn: put a {piece} on a lit place, or swap: put a {swap} on {place} "
        "instead of the one there.",
        player=who,
        piece=mine,
        swap=piece(game, swap.piece),
        place=swap.target,
    )


def turn_by_sides(game: str, to_move: str) -> Message:
    """The player to move may choose, and every lit place has the colour of its side."""
    return text(
        "It is {player}'s turn: put a {piece} on a lit place. Its colour tells the side.",
        player=player(to_move),
        piece=piece(game, to_move),
    )


def carried(game: str, kind: str, back: str) -> Message:
    """The mover's piece is in the hand; ``back``: where it stood."""
    return text(
        "Put the {piece} on a lit place, or back on {place}.", piece=piece(game, kind), place=back
    )


def land(game: str, kind: str, place: str, captured: str, *, extra: str | None) -> Message:
    """The mover's piece is in the hand, and what it captures too, or it stands on ``extra``."""
    if extra is None:
        return text(
            "The {captured} drops into the hole: put the {piece} on {place}.",
            captured=piece(game, captured),
            piece=piece(game, kind),
            place=place,
        )
    return text(
        "Take the {captured} off {extra} and put the {piece} on {place}.",
        captured=piece(game, captured),
        extra=extra,
        piece=piece(game, kind),
        place=place,
    )


def lifted(game: str, put: Shift, back: str) -> Message:
    """The piece that a swap would replace is in the hand; ``back`` is its kind."""
    return text(
        "Put a {piece} on {place} to swap, or the {other} back.",
        piece=piece(game, put.piece),
        place=put.target,
        other=piece(game, back),
    )


def last_piece(game: str, said: Message, owners: Sequence[str]) -> Message:
    """``said``, and that ``owners`` have one piece left each (Momentum M9)."""
    if not owners:
        return said
    known, who = GAMES.get(game), players(owners)
    last = Message("Last piece" if known is None else known.last_piece)
    if len(owners) == 1:
        return text("{said} {last}: {player} has only one left.", said=said, last=last, player=who)
    return text("{said} {last}: {players} have only one left.", said=said, last=last, players=who)


def settle(game: str, shift: Shift, *, lifted_already: bool) -> Message:
    """The next consequence to carry out."""
    what = piece(game, shift.piece)
    if shift.target is None:
        return text("Take the {piece} off {place}.", piece=what, place=shift.source)
    if shift.source is None or lifted_already:
        return text("Put the {piece} on {place}.", piece=what, place=shift.target)
    return text(
        "Move the {piece} from {source} to {target}.",
        piece=what,
        source=shift.source,
        target=shift.target,
    )


def _why_over(game: str, outcome: Outcome) -> Message | None:
    if outcome.reason == RESIGNED:
        return text("{player} has resigned", player=player(str(outcome.extra["by"])))
    if outcome.reason == TIME_UP:
        return text("the time of {player} is up", player=player(str(outcome.extra["by"])))
    if outcome.reason == AGREED:
        return text("everybody has agreed")
    known = GAMES.get(game)
    template, params = ("", {}) if known is None else known.result_said(outcome)
    winner = None if outcome.winner is None else player(outcome.winner)
    return Message(template, {"winner": winner, **params}) if template else None


def over(game: str, outcome: Outcome) -> Message:
    """Who has won, and why in the game's own words where it has any."""
    why = _why_over(game, outcome)
    winners = outcome.team or (() if outcome.winner is None else (outcome.winner,))
    if not winners:
        return text("A draw.") if why is None else text("A draw: {why}.", why=why)
    who = players(winners).capitalised()
    if len(winners) == 1:
        return (
            text("{player} wins: {why}!", player=who, why=why)
            if why
            else text("{player} wins!", player=who)
        )
    return (
        text("{players} win: {why}!", players=who, why=why)
        if why
        else text("{players} win!", players=who)
    )


def which_side(game: str, kind: str) -> Message:
    """Several slots bring a piece to where it stands."""
    return text("From which side does the {piece} come?", piece=piece(game, kind))


def side(name: str, tint: str, slot: str) -> Message:
    """One of the sides, as an answer to that question."""
    where = _side(name)
    return text("{side}, {colour}, slot {slot}", side=where, colour=player(tint), slot=slot)


def which_move(places: Sequence[str]) -> Message:
    """Several moves fit, because nobody sees what stands on ``places``."""
    return text("The table cannot see {places}. Which move was it?", places=", ".join(places))


def landed(game: str, kind: str, place: str) -> Message:
    """One of those moves, as an answer to that question."""
    return text("{piece} on {place}", piece=piece(game, kind), place=place)


def is_there(places: Sequence[str]) -> Message:
    """Whether a move that nobody would see has been made."""
    if len(places) == 1:
        return text("The table cannot see {place}. Is the piece there?", place=places[0])
    return text(
        "The table cannot see {places}. Is the piece on one of them?", places=", ".join(places)
    )


def asked(question: Message, at: Message) -> Message:
    """A question with the choice to which the buttons have come, and what the buttons do."""
    return text(
        "{question} Chosen now: {choice}. Hold confirm for yes, press it for the next one.",
        question=question,
        choice=at,
    )


def asked_tilting(question: Message, at: Message) -> Message:
    """The question, where tilting the plate answers it too."""
    return text(
        "{question} Chosen now: {choice}. Hold confirm for yes, press it for the next one, or "
        "tilt the plate a little the way it falls.",
        question=question,
        choice=at,
    )


def _side(name: str) -> Message:
    known = {
        "left": text("left"),
        "right": text("right"),
        "top": text("top"),
        "bottom": text("bottom"),
    }
    return known.get(name, Message(name))


def task(kind: str, turns: int, solver: str, other: str) -> Message:
    """What to find. ``kind``: as in ``studies.puzzles.Puzzle``."""
    who = player(solver).capitalised()
    if kind == "save":
        return text(
            "{player} is to move. After every move but one {other} wins: find that one.",
            player=who,
            other=player(other),
        )
    if turns == 1:
        return text("{player} is to move, and wins with this move. Which one?", player=who)
    if turns > 2:
        return text(
            "{player} is to move, and wins in {turns} turns, whatever {other} does. How?",
            player=who,
            turns=turns,
            other=player(other),
        )
    return text(
        "{player} is to move, and wins in two turns, whatever {other} does. How?",
        player=who,
        other=player(other),
    )


def answered(move: str, other: str, reply: str) -> Message:
    """The solution was found; the other side still answers."""
    return text(
        "{move} is right! {player} answers {reply}.",
        move=move,
        player=player(other).capitalised(),
        reply=reply,
    )


def to_find(kind: str, number: int) -> Message:
    """What a puzzle is about that is recommended."""
    if kind == "save":
        return text("Find the only move that holds: puzzle {number}.", number=number)
    return text("Find the move that wins: puzzle {number}.", number=number)


def finish(turns: int) -> Message:
    """After an answer; ``turns``: of the solver, that are left."""
    if turns > 1:
        return text("Go on: {turns} turns are left to win in.", turns=turns)
    return text("Now win!")


def solved_save(move: str, other: str) -> Message:
    """The only move that does not lose."""
    return text(
        "Solved! After every other move than {move} {player} would have won.",
        move=move,
        player=player(other),
    )


def loses(move: str, other: str, reply: str | None) -> Message:
    """A wrong move, and what wins against it; None: the game is lost with the move itself."""
    if reply is None:
        return text("{move} loses at once. Take it back and try again.", move=move)
    return text(
        "After {move} {player} wins with {reply}. Take it back and try again.",
        move=move,
        player=player(other),
        reply=reply,
    )


def does_not_win(move: str, other: str, reply: str | None) -> Message:
    """A move that does not win in time; ``reply``: what holds against it, if it needs anything."""
    if reply is None:
        return text("{move} does not win. Take it back and try again.", move=move)
    return text(
        "{move} does not win in time: {player} holds with {reply}. Take it back and try again.",
        move=move,
        player=player(other),
        reply=reply,
    )


def hint(mover: str, move: str, why: Message | None = None) -> Message:
    """What the strongest engine would play, and why."""
    said = text("A hint for {player}: {move}.", player=player(mover), move=move)
    return said if why is None else Message("{said} {why}", {"said": said, "why": why})


def why(turn: Turn, reason: tuple[str, int, str]) -> Message:
    """The reason for a move, in the words of its game. ``reason``: as ``coach.Reason``."""
    game = turn.position.game
    kind, number, move = reason
    known = GAMES.get(game.name)
    template = (GameType.reasons if known is None else known.reasons)[kind]
    after = game.players[(game.players.index(turn.player) + 1) % len(game.players)]
    return Message(
        template,
        {
            "player": player(turn.player),
            "other": player(after),
            "turns": number,
            "share": number,
            "move": game.labels.get(move, move),
        },
        capital=True,
    )


def are_you_sure(mover: str, move: str, lost: int | None) -> Message:
    """A move cost ``lost`` per cent of the game, or, None, lets the other side win by force."""
    who = player(mover)
    if lost is None:
        return text(
            "Are you sure, {player}? After {move} the other side can force a win. Take it back, or"
            " go on.",
            player=who,
            move=move,
        )
    return text(
        "Are you sure, {player}? {move} gives away {lost} % of the game. Take it back, or go on.",
        player=who,
        move=move,
        lost=lost,
    )


def assisted(result: Message, used: Sequence[tuple[str, int, int]]) -> Message:
    """``result``, and for each player who had assist, for how many of his moves."""
    said = result
    for who, moves, count in used:
        said = text(
            "{said} {player} had assist for {moves} of {all} moves.",
            said=said,
            player=player(who).capitalised(),
            moves=moves,
            all=count,
        )
    return said
