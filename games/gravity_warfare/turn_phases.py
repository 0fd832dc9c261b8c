"""Automatic steps from one phase of a turn or round to the next phase (docs/rules.md)."""

from __future__ import annotations

from collections.abc import Sequence

from tiltboard.games.gravity_warfare import state
from tiltboard.games.gravity_warfare.data import COLOURS, DUEL, HAND, KINDS
from tiltboard.games.gravity_warfare.state import (
    ANY,
    BLIND,
    COPY,
    MOUNT,
    TELEPORT,
    Token,
    WarfareState,
)

START_POINTS = 5
LAST_TROOP = 5
TOPPLED = 4


def begin_round(s: WarfareState, starter: int) -> None:
    """Begin a round: reset pieces, cards and gems, and start the phase in which cards are dealt."""
    clear_turn(s)
    s.owner = s.doer = starter
    s.stage, s.first_turn = "deal", True
    s.troops = [
        tuple(f"{COLOURS[each]}-{kind}" for kind in KINDS for _ in range(2)) for each in s.players
    ]
    s.hands = [()] * len(s.players)
    s.gems = [0] * len(s.players)
    s.round_laid = [()] * len(s.players)
    s.aside = s.lying = s.left = s.right_pile = s.discard = s.used_heroes = ()
    s.zones, s.deferred, s.last = {}, {}, None


def clear_turn(s: WarfareState) -> None:
    """Reset all fields of the state that apply only to one turn."""
    count = s.options.players
    right = 2 if s.options.mode == DUEL else 1
    fresh = state.OfTurn(spent=[0] * count, right=[right] * count, laid=[()] * count)
    vars(s).update(vars(fresh))


def deal(s: WarfareState, cards: Sequence[str]) -> None:
    """Deal the shuffled ``cards`` for a new round. During a round, form new piles from the cards
    instead. Each paper card is ``?``.
    """
    rest = tuple(cards)
    if s.stage == "deal":
        if not s.options.simple:
            for player in s.players:
                s.hold(player, "guardian", *rest[: s.options.dealt])
                rest = rest[s.options.dealt :]
        begin_turn(s, s.owner)
    s.discard = ()
    half = (len(rest) + 1) // 2
    s.left, s.right_pile = rest[:half], rest[half:]


def cards_to_shuffle(s: WarfareState) -> list[str]:
    """Return the cards to shuffle now, with ``?`` for each paper card."""
    if s.stage != "deal":
        return [*s.left, *s.right_pile, *s.discard]
    pack = s.options.pack()
    if not s.options.simple:
        del pack["guardian"]
    return [state.UNKNOWN] * pack.total() if s.options.paper else list(pack.elements())


def begin_turn(s: WarfareState, owner: int) -> None:
    """Begin a turn of the player ``owner``. In Simple mode, the turn begins with drawing a card,
    except for the first turn of a round.
    """
    clear_turn(s)
    s.owner = s.doer = owner
    if s.options.simple and not s.first_turn:
        s.stage = "card"
    else:
        s.stage = s.ask = "roll"
    s.first_turn = False


def open_window(s: WarfareState) -> None:
    """Start the phase in which players lay cards, and add the challenges that were deferred to this
    turn.
    """
    s.tokens += s.deferred.pop(s.owner, ())
    again(s)


def again(s: WarfareState) -> None:
    """Restart the phase in which players lay cards, as if no player had passed. In Simple mode,
    only the doer (the player who places the piece) can act.
    """
    s.stage, s.ask = "window", ""
    s.passed = frozenset(each for each in s.players if s.options.simple and each != s.doer)


def close_window(s: WarfareState) -> None:
    """End the phase in which players lay cards, after all players have passed. Remove impossible
    challenges and start the next phase (rule W4).
    """
    laid, s.tokens = s.tokens, ()
    for token in laid:
        if s.is_possible(token.name):
            s.tokens += (token,)
        else:
            s.used += token.cards
    lapsed = len(s.tokens) < len(laid)
    if s.options.simple and (lapsed or (s.drawn_event and not s.pieces())):
        s.discard += (*s.used, *(card for token in s.tokens for card in token.cards))
        clear_turn(s)
        s.doer, s.stage = s.owner, "card"
    elif s.drawn_event:
        s.stage = "event"
    elif 0 < len(blinding(s)) < len(s.tokens):
        s.stage = "choose"
    else:
        s.fixed = tuple(sorted(s.names()))
        if COPY in s.fixed and s.last is not None:
            s.zone, s.troop = s.last.zone, s.last.kinds
        next_step(s)


def blinding(s: WarfareState) -> list[Token]:
    """Return the laid challenges that require a blindfold. These are *Blindfolded*, and *Copy it*
    if the challenge to copy is *Blindfolded*.
    """
    copied = s.last is not None and BLIND in s.last.challenges
    return [t for t in s.tokens if t.name == BLIND or (t.name == COPY and copied)]


def choose(s: WarfareState, *, blindfolded: bool) -> None:
    """Keep either the challenge *Blindfolded* or all other challenges, and return the rejected
    cards to the players' hands.
    """
    blind, laid = blinding(s), s.tokens
    s.tokens = tuple(token for token in laid if (token in blind) == blindfolded)
    for token in laid:
        if token not in s.tokens:
            give_back(s, token)
    s.chosen = True
    again(s)


def give_back(s: WarfareState, token: Token) -> None:
    """Return a laid card to the hand of the player who laid the card."""
    s.used += token.holes
    if token.card:
        s.hold(token.who, token.card)
        turns = s.round_laid if token.deferred else s.laid
        laid = list(turns[token.who])
        if token.name in laid:
            laid.remove(token.name)
            turns[token.who] = tuple(laid)


def next_step(s: WarfareState) -> None:
    """Set the next phase of the turn, in which a player rolls dice, takes a piece or places a
    piece.
    """
    force = s.fixed or ()
    taking = TELEPORT in force and s.held is None
    if state.PAIR in force and len(s.troop) < 2:
        s.stage, s.ask = "dice", "troop"
        return
    # If the zone has no piece that can be taken or built on, the zone die is rolled a second time.
    # If the new zone has no such piece either, the player can choose any zone.
    if (taking or MOUNT in force) and s.zone not in (None, ANY, *s.zones):
        s.zone = ANY if s.rolled_again else None
        s.rolled_again = True
    if s.zone is None:
        s.stage, s.ask = "dice", "zone"
    else:
        s.stage, s.ask = "take" if taking else "place", ""


def placed(s: WarfareState, names: tuple[str, ...], zone: str, under: int) -> None:
    """Apply a placement after which the piece stays on the platform. *Duplicate it* requires a
    second placement; otherwise, the turn succeeds.
    """
    force = s.fixed or ()
    if TELEPORT not in force:
        s.spend(s.owner, names)
    s.put(zone, names, under)
    s.under += under
    s.placed += (names,)
    s.zone = zone
    if state.DUPLICATE not in force or len(s.placed) == 2:
        succeed(s)
        return
    s.rolled_again = False
    if TELEPORT in force:
        s.held = s.source = s.zone = None
    # If the player could choose the kind of the first piece, the second piece must be of the same
    # kind.
    else:
        both = zip(s.troop, names, strict=False)
        s.troop = tuple(state.kind_of(name) if die == ANY else die for die, name in both)
    next_step(s)


def succeed(s: WarfareState) -> None:
    """Score a successful turn. If a player can still play *Give it back*, wait for that player
    before the turn ends.
    """
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


def after(s: WarfareState) -> None:
    """Begin the refill of hands after a turn whose pieces stay on the platform."""
    may = [s.owner] if s.fixed else []
    if s.doer != s.owner:
        may = [s.owner, s.doer]
    if s.options.simple or not s.troops[s.owner] or max(len(s.left), len(s.right_pile)) < 2:
        may = []
    s.refill = tuple(each for each in may if len(s.hands[each]) < HAND)
    reward_teleport(s)
    end_refill(s)


def end_refill(s: WarfareState, player: int | None = None) -> None:
    """Remove ``player`` from the players who can still refill their hands. When no such player is
    left, end the turn.
    """
    s.refill = tuple(each for each in s.refill if each != player)
    s.stage = "refill"
    if not s.refill:
        end_turn(s)


def apply_failure(s: WarfareState, names: tuple[str, ...], fell: Sequence[str]) -> None:
    """Apply a failed placement. ``fell`` names the fallen pieces in the same way as the move."""
    force = s.fixed or ()
    own, strangers = fall(s, fell, own=TELEPORT not in force)
    if TELEPORT in force:
        s.give(s.doer, *names)
    else:
        s.spend(s.owner, names)
        back = s.doer if s.options.simple else s.owner
        s.give(back, *names, *own, *s.remove_fresh())
    free = s.save or (BLIND in force and not strangers)
    punish(s, s.doer, len(fell), free=free)


def fall(s: WarfareState, fell: Sequence[str], *, own: bool) -> tuple[list[str], list[str]]:
    """Remove the fallen pieces from the platform. Return two lists: the pieces that the caller
    gives back to a player, and the pieces that are set aside (out of play). If ``own`` is true, the
    pieces placed in this turn are given back. Otherwise, no piece is given back.
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


def punish(s: WarfareState, who: int, count: int, *, free: bool) -> None:
    """Subtract the penalty for ``count`` fallen pieces from the points of the player ``who``, then
    end the turn. If at least TOPPLED pieces fell, end the round. If ``free`` is true, a fall of
    fewer pieces costs no points.
    """
    if count >= TOPPLED:
        s.pay(who, 2)
        if s.options.mode == DUEL:
            s.points[1 - who] += LAST_TROOP
        end_round(s, who)
        return
    if count and not free:
        s.pay(who, 1)
    reward_teleport(s)
    end_turn(s)


def reward_teleport(s: WarfareState) -> None:
    """Give the owner a green gem at the end of a turn with *Teleport it*."""
    if TELEPORT in (s.fixed or ()):
        s.gem(s.owner)


def end_turn(s: WarfareState) -> None:
    """End the round if the owner has no troops left; otherwise, begin the next player's turn."""
    if not s.troops[s.owner]:
        s.points[s.owner] += LAST_TROOP
        end_round(s, s.owner)
        return
    s.last = s.play
    tidy(s)
    begin_turn(s, (s.owner + 1) % s.options.players)


def tidy(s: WarfareState) -> None:
    """Discard the cards of the turn, and clear the mark for new pieces on the platform."""
    s.discard += (*s.used, *(card for token in s.tokens for card in token.cards))
    s.tokens = s.used = ()
    s.round_laid = [(*earlier, *now) for earlier, now in zip(s.round_laid, s.laid, strict=True)]
    for zone, towers in list(s.zones.items()):
        s.zones[zone] = tuple(
            tuple(piece._replace(fresh=False) for piece in tower) for tower in towers
        )


def end_round(s: WarfareState, starter: int) -> None:
    """Begin the next round with the player ``starter``, or end the game after the last round."""
    tidy(s)
    if s.round == s.options.rounds:
        s.stage = "over"
        return
    s.round += 1
    begin_round(s, starter)
