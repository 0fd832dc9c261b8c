"""Making a move: from its words to what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from games.gravity_warfare import cards, flow
from games.gravity_warfare.data import COLOURS, KINDS_OF_CARDS
from games.gravity_warfare.moves import CHANCE, TABLE, awaited, event_of, nameable, towers_of
from games.gravity_warfare.table import ANY, TELEPORT, UNKNOWN, State, Token, kind_of


def make(s: State, move: str) -> None:
    """Carry out a legal move; ``s`` changes."""
    who, what, *args = move.split(":")
    s.turn += 1
    if who == CHANCE:
        _by_chance(s, what, args)
    elif who == TABLE:
        _by_table(s, what, args)
    else:
        _by_player(s, COLOURS.index(who), what, args)


def _by_chance(s: State, what: str, args: Sequence[str]) -> None:
    match what:
        case "heroes":
            names = args or [UNKNOWN] * s.options.players
            s.heroes = dict(enumerate(names))
            s.stage = "deal"
        case "shuffle":
            flow.deal(s, args or [UNKNOWN] * len(flow.shuffled(s)))
        case "roll":
            s.troop, s.zone = (args[0],), args[1]
            _rolled(s)
        case "troop":
            if s.stage == "roll":
                s.troop = (args[0],)
                _rolled(s)
            else:
                s.troop += (args[0],)
                flow.next_step(s)
        case "zone":
            s.zone = args[0]
            if s.stage == "roll":
                flow.open_window(s)
            elif s.fixed is None:  # a hero had it rolled again
                s.stage, s.ask = "window", ""
            else:
                flow.next_step(s)


def _rolled(s: State) -> None:
    """The troop die must show a troop that is held: two tries."""
    if any(kind_of(piece) == s.troop[0] for piece in s.troops[s.owner]):
        flow.open_window(s)
    elif s.ask == "roll":
        s.ask = "troop"
    else:
        s.stage, s.ask = "blocked", ""


def _by_table(s: State, what: str, args: Sequence[str]) -> None:
    if what == "time":
        keep = {s.doer} - s.passed if s.stage == "window" else set()
        s.passed = frozenset(set(s.players) - keep)
        _passed(s)
        return
    towers = towers_of(s, args) or {}
    gone: Counter[str] = Counter()
    for zone in towers:
        gone.update(piece.name for tower in s.zones.get(zone, ()) for piece in tower)
    for zone, found in towers.items():
        gone.subtract(piece.name for tower in found for piece in tower)
        s.set_zone(zone, found)
    s.aside = tuple(sorted([*s.aside, *gone.elements()]))


def _passed(s: State) -> None:
    if not awaited(s):
        if s.stage == "window":
            flow.close_window(s)
        else:
            flow.after(s)


def _by_player(s: State, player: int, what: str, args: Sequence[str]) -> None:
    match what:
        case "pass":
            _pass(s, player)
        case "pay":
            s.gems[player] -= 1
            s.troop = (ANY,)
            flow.open_window(s)
        case "draw" if s.stage == "card":
            _draw_card(s, player, *args)
        case "buy" | "draw":
            if what == "buy":
                s.points[player] -= 1
            s.refilling = what == "draw"
            cards.draw_two(s, player, args[0])
        case "keep":
            _kept(s, player, int(args[0]) - 1)
        case "name":
            _named(s, args[0])
        case "play":
            cards.play(s, player, args[0], ":".join(args[1:]))
        case "hero":
            cards.call(s, player, args[0], ":".join(args[1:]))
        case "withdraw":
            token = next(
                t for t in s.tokens if t.who == player and t.text == args[0] and not t.deferred
            )
            s.tokens = tuple(each for each in s.tokens if each is not token)
            flow.give_back(s, token)
            flow.again(s)
        case "choose":
            flow.choose(s, blindfolded=args[0] == "blindfolded")
        case "take":
            flow.took(s, args[0], args[1])
        case "place":
            _placed(s, args)
        case "event":
            _happened(s, player, args)


def _pass(s: State, player: int) -> None:
    if s.stage == "blocked":
        s.gem(player)
        s.play = None
        flow.end_turn(s)
    elif s.stage == "refill":
        flow.refilled(s, player)
    else:
        s.passed |= {player}
        _passed(s)


def _draw_card(s: State, player: int, side: str, said: str = "") -> None:
    """Simple mode: the card decides the turn, is kept, or goes to the discards at once."""
    (card,) = s.draw(side, 1)
    card = said or card
    kind = KINDS_OF_CARDS.get(card, "challenge")
    if kind == "defence":
        s.hold(player, card)
    elif card == "antimatter" and nameable(s):
        s.stage = "name"
        s.used = (card,)
    elif kind == "wild" or not _begun(s, player, card, card):
        s.discard += (card,)


def _named(s: State, name: str) -> None:
    s.used = ()
    _begun(s, s.owner, name, "antimatter")


def _begun(s: State, player: int, name: str, card: str) -> bool:
    """Whether the turn can be played with the card drawn; it begins so."""
    if name == cards.KEEP:
        if not s.pieces():
            return False
        s.used, s.drawn_event = (card,), True
        flow.open_window(s)
        return True
    if cards.is_event(s, name) or not s.possible(name):
        return False
    text = name if card == name else f"{card}={name}"
    cards.lay(s, player, Token(player, text, card))
    if name == "copy-it":
        flow.open_window(s)
    elif name == TELEPORT:
        s.stage, s.ask = "roll", "zone"
    else:
        flow.roll(s)
    return True


def _kept(s: State, player: int, which: int) -> None:
    cards_drawn, s.drawn, s.drawer = s.drawn, (), -1
    s.hold(player, cards_drawn[which])
    s.discard += (cards_drawn[1 - which],)
    if s.refilling:
        s.refilling = False
        flow.refilled(s, player)


def _placed(s: State, args: Sequence[str]) -> None:
    how, pieces, zone, *more = args
    names = tuple(pieces.split("+"))
    if how == "ok":
        flow.placed(s, names, zone, int(more[0].partition("=")[2]) if more else 0)
    else:
        flow.failed(s, names, zone, _fell(more))


def _fell(more: Sequence[str]) -> list[str]:
    return more[0].partition("=")[2].split("+") if more else []


def _happened(s: State, player: int, args: Sequence[str]) -> None:
    """An event has been carried out, on the piece that lies on top."""
    how, zone, piece, *more = args
    name = event_of(s)[1]
    simple = s.event is None
    s.remove(zone, piece, top=True)
    s.event = None
    fell: list[str] = []
    if how == "fail":
        fell = _fell(more)
        flow.fall(s, fell, own=False)
        s.give(player, piece)
    elif name == TELEPORT:
        under = int(more[1].partition("=")[2]) if len(more) > 1 else 0
        s.put(more[0], (piece,), under, fresh=False)
    else:
        s.give(s.owner if name == cards.GIVE else COLOURS.index(more[0]), piece)
    if simple or len(fell) >= flow.TOPPLED:
        flow.punish(s, player, len(fell), free=False)
        return
    if fell:
        s.pay(player, 1)
    if name == cards.GIVE:
        flow.after(s)
    else:
        flow.again(s)
