"""Applies moves to a game state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tiltboard.games.gravity_warfare import cards, turn_phases
from tiltboard.games.gravity_warfare.data import COLOURS, KINDS_OF_CARDS
from tiltboard.games.gravity_warfare.moves import CHANCE, TABLE, awaited_seats, nameable, towers_of
from tiltboard.games.gravity_warfare.state import (
    ANY,
    COPY,
    TELEPORT,
    UNKNOWN,
    CardPlay,
    Token,
    WarfareState,
    kind_of,
)


def make(s: WarfareState, move: str) -> None:
    """Apply a legal move to ``s``, which is changed in place."""
    who, what, *args = move.split(":")
    s.turn += 1
    if who == CHANCE:
        _by_chance(s, what, args)
    elif (who, what) == (TABLE, "time"):
        keep = {s.doer} - s.passed if s.stage == "window" else set()
        _pass(s, set(s.players) - keep)
    elif who == TABLE:
        _see(s, args)
    else:
        _by_player(s, COLOURS.index(who), what, args)


def _by_chance(s: WarfareState, what: str, args: Sequence[str]) -> None:
    match what:
        case "heroes":
            s.heroes = dict(enumerate(args or [UNKNOWN] * s.options.players))
            s.stage = "deal"
        case "shuffle":
            turn_phases.deal(s, args or [UNKNOWN] * len(turn_phases.cards_to_shuffle(s)))
        # If the owner of the turn has no troop of the rolled kind left, the owner rolls the troop
        # die a second time.
        case "roll" | "troop" if s.stage == "roll":
            s.troop = (args[0],)
            if what == "roll":
                s.zone = args[1]
            if any(kind_of(piece) == args[0] for piece in s.troops[s.owner]):
                turn_phases.open_window(s)
            elif what == "roll":
                s.ask = "troop"
            else:
                s.stage, s.ask = "blocked", ""
        case "troop":
            s.troop += (args[0],)
            turn_phases.next_step(s)
        case "zone":
            s.zone = args[0]
            if s.stage == "roll":
                turn_phases.open_window(s)
            # The zone die was rolled again because of a hero, so players can lay cards again.
            elif s.fixed is None:
                s.stage, s.ask = "window", ""
            else:
                turn_phases.next_step(s)


def _pass(s: WarfareState, players: set[int]) -> None:
    s.passed |= players
    if not awaited_seats(s):
        if s.stage == "window":
            turn_phases.close_window(s)
        else:
            turn_phases.after(s)


def _see(s: WarfareState, args: Sequence[str]) -> None:
    """Replace the towers in some zones by the towers that the sensors detected. Missing pieces are
    removed from play, and no player loses points.
    """
    before = s.standing()
    for zone, towers in (towers_of(s, args) or {}).items():
        s.set_zone(zone, towers)
    gone = Counter(piece for piece, _ in before) - Counter(piece for piece, _ in s.standing())
    s.aside = tuple(sorted([*s.aside, *gone.elements()]))


def _by_player(s: WarfareState, player: int, what: str, args: Sequence[str]) -> None:
    match what:
        case "pass" if s.stage == "blocked":
            s.gem(player)
            s.play = None
            turn_phases.end_turn(s)
        case "pass" if s.stage == "refill":
            turn_phases.end_refill(s, player)
        case "pass":
            _pass(s, {player})
        case "pay":
            s.gems[player] -= 1
            s.troop = (ANY,)
            turn_phases.open_window(s)
        case "draw" if s.stage == "card":
            _draw_card(s, player, *args)
        case "buy" | "draw":
            if what == "buy":
                s.points[player] -= 1
            s.refilling = what == "draw"
            s.drawn, s.drawer = s.draw(args[0], 2), player
        case "keep":
            _keep(s, player, int(args[0]) - 1)
        case "name":
            s.used = ()
            _begin(s, player, args[0], cards.WILD)
        case "play":
            cards.play(s, player, args[0], ":".join(args[1:]))
        case "hero":
            cards.call(s, player, args[0], ":".join(args[1:]))
        case "withdraw":
            turn_phases.give_back(s, s.lift(args[0], player))
            turn_phases.again(s)
        case "choose":
            turn_phases.choose(s, blindfolded=args[0] == "blindfolded")
        # After a player takes the piece for *Teleport it*, the zone die decides where the piece
        # goes.
        case "take":
            zone, piece = args
            s.remove(zone, piece, top=True)
            s.held, s.source, s.zone, s.rolled_again = piece, zone, None, False
            turn_phases.next_step(s)
        case "place":
            pieces, zone = tuple(args[1].split("+")), args[2]
            if not s.placed and TELEPORT not in (s.fixed or ()):
                s.play = CardPlay(s.fixed or (), zone, tuple(map(kind_of, pieces)))
            if args[0] == "ok":
                turn_phases.placed(s, pieces, zone, int(_value(args) or 0))
            else:
                turn_phases.apply_failure(s, pieces, _fell(args))
        case "event":
            _carry_out(s, player, args)


def _value(args: Sequence[str]) -> str:
    """Return the value of the move's last argument if the argument has the form ``under=N`` or
    ``fell=X+Y``. Otherwise, return "".
    """
    return args[-1].partition("=")[2]


def _fell(args: Sequence[str]) -> list[str]:
    value = _value(args)
    return value.split("+") if value else []


def _draw_card(s: WarfareState, player: int, side: str, said: str = "") -> None:
    """Draw a card in Simple mode. The drawn card starts the turn, is kept, or is discarded.
    ``said`` is the name of a drawn paper card.
    """
    (drawn,) = s.draw(side, 1)
    card = said or drawn
    kind = KINDS_OF_CARDS.get(card, "challenge")
    if kind == "defence":
        s.hold(player, card)
    elif card == cards.WILD and nameable(s):
        s.stage = "name"
        s.used = (card,)
    elif kind == "wild" or not _begin(s, player, card, card):
        s.discard += (card,)


def _begin(s: WarfareState, player: int, name: str, card: str) -> bool:
    """Begin the turn with the drawn card. Return False if the card cannot be played now."""
    if name == cards.KEEP:
        if not s.pieces():
            return False
        s.used, s.drawn_event = (card,), True
        turn_phases.open_window(s)
        return True
    if cards.is_event(s, name) or not s.is_possible(name):
        return False
    cards.lay(s, player, Token(player, name if card == name else f"{card}={name}", card))
    if name == COPY:
        turn_phases.open_window(s)
    else:
        s.stage, s.ask = "roll", "zone" if name == TELEPORT else "roll"
    return True


def _keep(s: WarfareState, player: int, which: int) -> None:
    drawn, s.drawn, s.drawer = s.drawn, (), -1
    s.hold(player, drawn[which])
    s.discard += (drawn[1 - which],)
    if s.refilling:
        s.refilling = False
        turn_phases.end_refill(s, player)


def _carry_out(s: WarfareState, player: int, args: Sequence[str]) -> None:
    """Carry out an event card, which has succeeded or failed, on the top piece of a zone."""
    how, zone, piece, *more = args
    name, drawn = s.event_now.name, s.event is None
    fell = _fell(args) if how == "fail" else []
    s.remove(zone, piece, top=True)
    s.event = None
    if how == "fail":
        turn_phases.fall(s, fell, own=False)
        s.give(player, piece)
    elif name == TELEPORT:
        s.put(more[0], (piece,), int(_value(args) or 0), fresh=False)
    else:
        s.give(s.owner if name == cards.GIVE else COLOURS.index(more[0]), piece)
    if drawn or len(fell) >= turn_phases.TOPPLED:
        turn_phases.punish(s, player, len(fell), free=False)
        return
    if fell:
        s.pay(player, 1)
    if name == cards.GIVE:
        turn_phases.after(s)
    else:
        turn_phases.again(s)
