"""How a turn and a round go on by themselves, from one phase to the next (WARFARE: Phases)."""

from __future__ import annotations

from collections.abc import Sequence

from games.gravity_warfare.data import DUEL, HAND
from games.gravity_warfare.table import (
    ANY,
    BLIND,
    COPY,
    DUPLICATE,
    MOUNT,
    PAIR,
    TELEPORT,
    UNKNOWN,
    Play,
    State,
    Token,
    kind_of,
    new_troops,
)

START_POINTS = 5
LAST_TROOP = 5
TOPPLED = 4


def begin_round(s: State, starter: int) -> None:
    """Begin a round: everything goes back to where it belongs; the deal comes next."""
    count = s.options.players
    s.owner = s.doer = starter
    s.stage = "deal"
    s.troops = [new_troops(player) for player in s.players]
    s.hands = [()] * count
    s.gems = [0] * count
    s.round_laid = [()] * count
    s.aside = s.lying = s.left = s.right_pile = s.discard = s.used = s.used_heroes = ()
    s.zones, s.deferred, s.last, s.play, s.first_turn = {}, {}, None, None, True
    clear_turn(s)


def clear_turn(s: State) -> None:
    """Clear all that belongs to a turn."""
    count = s.options.players
    fresh = State(s.options)
    for name in (
        *("zone", "troop", "tokens", "used", "passed", "ever_laid", "fixed", "chosen", "ask"),
        *("rolled_again", "held", "source", "placed", "under", "play", "event", "drawn_event"),
        *("free_zone", "reward", "save", "refill"),
    ):
        setattr(s, name, getattr(fresh, name))
    s.spent = [0] * count
    s.right = [2 if s.options.mode == DUEL else 1] * count
    s.laid = [()] * count


def deal(s: State, cards: Sequence[str]) -> None:
    """The cards as shuffled, ``?`` where they are of paper: a new round's, or new piles."""
    rest = tuple(cards)
    if s.stage == "deal":
        if not s.options.simple:
            each = 9 if s.options.mode == DUEL else 5
            for player in s.players:
                s.hold(player, "guardian", *rest[:each])
                rest = rest[each:]
        begin_turn(s, s.owner)
    s.discard = ()
    half = (len(rest) + 1) // 2
    s.left, s.right_pile = rest[:half], rest[half:]


def shuffled(s: State) -> list[str]:
    """What is to be shuffled now."""
    if s.stage != "deal":
        return [*s.left, *s.right_pile, *s.discard]
    pack = s.options.pack()
    if not s.options.simple:
        del pack["guardian"]
    return [UNKNOWN] * pack.total() if s.options.paper else list(pack.elements())


def begin_turn(s: State, owner: int) -> None:
    """His turn: cards first in Simple mode, but for the round's first turn."""
    clear_turn(s)
    s.owner = s.doer = owner
    if s.options.simple and not s.first_turn:
        s.stage = "card"
    else:
        roll(s)
    s.first_turn = False


def roll(s: State) -> None:
    """Ask for both dice."""
    s.stage, s.ask = "roll", "roll"


def open_window(s: State) -> None:
    """Deferred challenges come onto the turn, and everybody has something to say."""
    s.tokens += s.deferred.pop(s.owner, ())
    again(s)


def again(s: State) -> None:
    """Open the window for cards anew: nobody has passed."""
    s.stage = "window"
    s.ask = ""
    quiet = [each for each in s.players if s.options.simple and each != s.doer]
    s.passed = frozenset(quiet)


def close_window(s: State) -> None:
    """Close the window, as all have passed: look at what is laid, in order (WARFARE: Window)."""
    kept: tuple[Token, ...] = ()
    for token in s.tokens:
        if s.possible(token.name, kept):
            kept += (token,)
        else:
            discard(s, token)
    lapsed = len(kept) < len(s.tokens)
    s.tokens = kept
    if s.options.simple and (lapsed or (s.drawn_event and not s.pieces())):
        draw_anew(s)
        return
    if s.drawn_event:
        s.stage = "event"
        return
    blind = blinding(s)
    if blind and len(blind) < len(s.tokens):
        s.stage = "choose"
        return
    s.fixed = tuple(sorted(s.names()))
    if COPY in s.fixed and s.last is not None:
        s.zone, s.troop = s.last.zone, s.last.kinds
    next_step(s)


def blinding(s: State) -> list[Token]:
    """The tokens that bring Blindfolded."""
    copied = s.last is not None and BLIND in s.last.challenges
    return [t for t in s.tokens if t.name == BLIND or (t.name == COPY and copied)]


def discard(s: State, token: Token) -> None:
    """Put a laid card among the used ones; one that a hero laid vanishes."""
    s.used += (*token.holes, *([token.card] if token.card else []))


def draw_anew(s: State) -> None:
    """Simple: the drawn card cannot be carried out; it is discarded at once."""
    for token in s.tokens:
        discard(s, token)
    used = s.used
    clear_turn(s)
    s.discard += used
    s.doer, s.stage = s.owner, "card"


def choose(s: State, *, blindfolded: bool) -> None:
    """Blindfolded or the rest: what is not chosen goes back to the hands."""
    blind = blinding(s)
    for token in s.tokens:
        if (token in blind) != blindfolded:
            give_back(s, token)
    s.tokens = tuple(token for token in s.tokens if (token in blind) == blindfolded)
    s.chosen = True
    again(s)


def give_back(s: State, token: Token) -> None:
    """Give a laid card back to the hand that laid it."""
    if token.card:
        s.hold(token.who, token.card)
    s.used += token.holes
    kept = s.round_laid if token.deferred else s.laid
    laid = list(kept[token.who])
    if token.card and token.name in laid:
        laid.remove(token.name)
        kept[token.who] = tuple(laid)


def next_step(s: State) -> None:
    """What the dice are asked for, the piece to be taken, or the placement."""
    force = s.fixed or ()
    s.ask = ""
    if TELEPORT in force and s.held is None:
        if s.zone is None:
            ask(s, "zone")
        elif s.zone != ANY and s.zone not in s.zones:
            once_more(s)
        if not s.ask:
            s.stage = "take"
        return
    if PAIR in force and len(s.troop) < 2:
        ask(s, "troop")
        return
    if s.zone is None:
        ask(s, "zone")
    elif MOUNT in force and s.zone != ANY and s.zone not in s.zones:
        once_more(s)
    if not s.ask:
        s.stage = "place"


def ask(s: State, what: str) -> None:
    """Ask for a roll of ``what``."""
    s.stage, s.ask = "dice", what


def once_more(s: State) -> None:
    """The zone is empty: the die again, and then any zone."""
    if s.rolled_again:
        s.zone = ANY
        return
    s.zone, s.rolled_again = None, True
    ask(s, "zone")


def took(s: State, zone: str, piece: str) -> None:
    """Teleport it: the piece is in the hand, and the target is rolled."""
    s.remove(zone, piece, top=True)
    s.held, s.source, s.zone, s.rolled_again = piece, zone, None, False
    next_step(s)


def placed(s: State, names: tuple[str, ...], zone: str, under: int) -> None:
    """A placement that holds; the second one of Duplicate it, or the turn succeeds."""
    force = s.fixed or ()
    note_play(s, names, zone)
    if TELEPORT not in force:
        s.spend(s.owner, names)
    s.put(zone, names, under)
    s.under += under
    s.placed += (names,)
    if DUPLICATE in force and len(s.placed) < 2:
        s.rolled_again = False
        if TELEPORT in force:
            s.held = s.source = s.zone = None
        else:
            s.zone = zone
            s.troop = tuple(
                kind_of(name) if die == ANY else die
                for die, name in zip(s.troop, names, strict=False)
            )
        next_step(s)
        return
    s.zone = zone
    succeed(s)


def note_play(s: State, names: tuple[str, ...], zone: str) -> None:
    """Note the turn's first placement, which Copy it may copy; not Teleport it's."""
    if not s.placed and TELEPORT not in (s.fixed or ()):
        s.play = Play(s.fixed or (), zone, tuple(kind_of(name) for name in names))


def succeed(s: State) -> None:
    """Points, then those who may still give a piece back."""
    force = s.fixed or ()
    if TELEPORT not in force:
        s.points[s.owner] += sum(len(names) for names in s.placed)
        if MOUNT not in force and not s.free_zone:
            s.points[s.doer] += s.under
    if s.reward:
        s.points[s.owner] += 1
    may_give_back = any(map(s.may_give_back, s.players))
    if may_give_back and TELEPORT not in force and not s.options.simple:
        s.stage, s.passed = "after", frozenset()
    else:
        after(s)


def after(s: State) -> None:
    """Nobody gives anything back: the last troop ends the round, else refill the hands."""
    reward_teleport(s)
    if not s.troops[s.owner]:
        s.points[s.owner] += LAST_TROOP
        end_round(s, s.owner)
        return
    able = max(len(s.left), len(s.right_pile)) >= 2
    may = [s.owner] if s.fixed else []
    if s.doer != s.owner:
        may = [s.owner, s.doer]
    queue = [each for each in may if len(s.hands[each]) < HAND and able and not s.options.simple]
    s.refill = tuple(queue)
    refilled(s)


def refilled(s: State, player: int | None = None) -> None:
    """One who has drawn or passed; when all have, the turn ends."""
    s.refill = tuple(each for each in s.refill if each != player)
    s.stage = "refill"
    if not s.refill:
        end_turn(s)


def failed(s: State, names: tuple[str, ...], zone: str, fell: Sequence[str]) -> None:
    """A placement that does not hold; ``fell``: as in the move."""
    force = s.fixed or ()
    note_play(s, names, zone)
    own, strangers = fall(s, fell, own=TELEPORT not in force)
    back = s.doer if s.options.simple else s.owner
    if TELEPORT in force:
        s.give(s.doer, *names)
    else:
        s.spend(s.owner, names)
        s.give(back, *names, *own, *s.remove_fresh())
    free = s.save or (BLIND in force and not strangers)
    punish(s, s.doer, len(fell), free=free)


def fall(s: State, fell: Sequence[str], *, own: bool) -> tuple[list[str], list[str]]:
    """Take what fell off the platform: the turn's, if it has ``own``, and the others, which are
    aside now.
    """
    returning, strangers = [], []
    for each in fell:
        name, at, zone = each.partition("@")
        if not at:
            continue
        piece = s.remove(zone, name)
        if own and piece is not None and piece.fresh:
            returning.append(name)
        else:
            strangers.append(name)
    s.aside = tuple(sorted([*s.aside, *strangers]))
    return returning, strangers


def punish(s: State, who: int, count: int, *, free: bool) -> None:
    """What falls cost; the turn or the round is over."""
    if count >= TOPPLED:
        s.pay(who, 2)
        if s.options.mode == DUEL:
            s.points[1 - who] += LAST_TROOP
        end_round(s, who)
        return
    if count and not free:
        s.pay(who, 1)
    reward_teleport(s)
    if s.options.simple and not s.troops[s.owner]:
        s.points[s.owner] += LAST_TROOP
        end_round(s, s.owner)
    else:
        end_turn(s)


def reward_teleport(s: State) -> None:
    """Teleport it: a green gem for the owner as the turn ends."""
    if TELEPORT in (s.fixed or ()):
        s.gem(s.owner)


def end_turn(s: State) -> None:
    """Used cards to the discards, and the next seat."""
    s.last = s.play
    tidy(s)
    begin_turn(s, (s.owner + 1) % s.options.players)


def tidy(s: State) -> None:
    """The turn's cards are used."""
    for token in s.tokens:
        discard(s, token)
    s.discard += s.used
    s.tokens = s.used = ()
    s.round_laid = [(*earlier, *now) for earlier, now in zip(s.round_laid, s.laid, strict=True)]
    for zone, towers in list(s.zones.items()):
        s.zones[zone] = tuple(
            tuple(piece._replace(fresh=False) for piece in tower) for tower in towers
        )


def end_round(s: State, starter: int) -> None:
    """The next one, or the game is over and all stays as it lies."""
    tidy(s)
    if s.round == s.options.rounds:
        s.stage = "over"
        return
    s.round += 1
    begin_round(s, starter)
