"""Conditions and effects of cards and heroes, while players lay cards and after a placement."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tiltboard.games.gravity_warfare import turn_phases
from tiltboard.games.gravity_warfare.data import ABILITIES, COLOURS, HAND, ZONES
from tiltboard.games.gravity_warfare.state import (
    ANY,
    GEMS,
    TELEPORT,
    UNKNOWN,
    Token,
    WarfareEvent,
    WarfareState,
)

KEEP, GIVE, HOLE = "keep-it", "give-it-back", "space-time-hole"
SELF, GUARD, WILD = "do-it-yourself", "guardian", "antimatter"
ANY_TIME = ("draw", "gem")
IN_WINDOW = tuple(each for each in ABILITIES if each not in ANY_TIME)


def antimatter_cards(s: WarfareState) -> list[str]:
    """Return the names of the cards that the wild card Antimatter can represent."""
    return [name for name in s.options.pack() if name not in (GUARD, WILD)]


def is_event(s: WarfareState, name: str) -> bool:
    """Return whether the card is an event, which is carried out immediately."""
    return name in (KEEP, GIVE) or (name == TELEPORT and s.options.teleport_event)


def plays(s: WarfareState, player: int) -> Iterator[str]:
    """Yield the cards that ``player`` can play in the phase for laying cards, as
    ``TOKEN[:ARG]``.
    """
    for card in s.playable(player):
        for name in antimatter_cards(s) if card == WILD else [card]:
            if unplayable(s, player, name) is None:
                token = name if card == name else f"{card}={name}"
                yield from (f"{token}{_tail(arg)}" for arg in arguments(s, name))


def _tail(arg: str) -> str:
    return f":{arg}" if arg else ""


def arguments(s: WarfareState, name: str) -> list[str]:
    """Return the possible arguments of the card ``name``. Return ``[""]`` if the card takes no
    argument.
    """
    if name == HOLE:
        return sorted({token.text for token in s.tokens})
    return [COLOURS[each] for each in s.players if each != s.doer] if name == SELF else [""]


def unplayable(s: WarfareState, player: int, name: str) -> str | None:
    """Return the reason why a player cannot play a card in the phase for laying cards. Return None
    if the card is playable. The card's argument is not checked.
    """
    if name in (GUARD, HOLE):
        if player not in s.options.partners(s.doer):
            return "Only the doer plays {card}, or the doer's partner."
        if name == GUARD and not s.options.simple and len(s.troops[s.owner]) < 2:
            return "The Guardian does not guard a last troop."
        return None
    if name == SELF:
        if s.options.simple and player != s.doer:
            return "In the Simple mode only the doer plays {card}."
        return None
    if name == GIVE:
        return "{card} is played right after a placement."
    if player not in s.others:
        return "{who} plays the turn, and lays no challenges and no events."
    if s.spent[player] >= s.right[player]:
        return "{who} has laid all that one may lay in a turn."
    if is_event(s, name):
        return None if s.pieces() else "There is no piece on the platform."
    if s.chosen:
        return "Blindfolded or the rest has been chosen: nothing is laid any more."
    if name in s.in_force:
        return "{card} is in force already."
    return s.impossible(name)


def play(s: WarfareState, player: int, token: str, arg: str) -> None:
    """Apply the move ``play:TOKEN[:ARG]``: remove the card from the player's hand and carry out the
    card's effect.
    """
    card, wild, name = token.partition("=")
    name = name if wild else card
    s.lose(player, card)
    if name == GUARD:
        _guard(s)
    elif name == HOLE:
        late = s.lift(arg)
        s.used += late.holes
        late = late._replace(deferred=True, holes=(card,))
        s.deferred[s.doer] = (*s.deferred.get(s.doer, ()), late)
        turn_phases.again(s)
    elif name == SELF:
        s.doer = COLOURS.index(arg)
        s.used += (card,)
        turn_phases.again(s)
    else:
        s.spent[player] += 1
        if is_event(s, name):
            s.used += (card,)
            s.event, s.stage = WarfareEvent(player, name), "event"
        else:
            lay(s, player, Token(player, token, card))


def _guard(s: WarfareState) -> None:
    """Carry out the Guardian card. All challenges are cancelled, and any troop can be placed in any
    zone.

    There is one exception in Simple mode. If a player other than the owner of the turn would place
    the piece, the only effect is that the owner places the piece instead.
    """
    if not s.options.simple:
        s.lying += (GUARD,)
    else:
        s.used += (GUARD,)
        if s.doer != s.owner:
            s.doer = s.owner
            turn_phases.again(s)
            return
        s.drawn_event = False
    s.fixed, s.zone, s.troop = (), ANY, (ANY,)
    turn_phases.next_step(s)


def lay(s: WarfareState, player: int, token: Token) -> None:
    """Add a challenge to the turn and open the phase for laying cards again."""
    s.tokens += (token,)
    s.laid[player] += (token.name,)
    s.ever_laid |= {player}
    turn_phases.again(s)


def givable(s: WarfareState) -> str | None:
    """Return the zone of the piece that the card *Give it back* returns, or None if another piece
    lies on top of that piece.
    """
    name = s.placed[-1][-1]
    for zone in ZONES:
        towers = s.zones.get(zone, ())
        if any(piece.fresh and piece.name == name for tower in towers for piece in tower):
            tops = [tower[-1] for tower in towers]
            return zone if any(top.fresh and top.name == name for top in tops) else None
    return None


def buys(s: WarfareState, player: int) -> list[str]:
    """Return from which of the two card piles, left or right, ``player`` can draw. Empty if the
    player's hand is full.
    """
    if len(s.hands[player]) >= HAND:
        return []
    return [side for side in ("left", "right") if len(s.pile(side)) >= 2]


# Heroes and their abilities


def own_heroes(s: WarfareState, player: int) -> list[str]:
    """Return the possible names of the player's unused hero. The list has one name if the hero is
    known, and several names if the hero is hidden. The list is empty if the hero is used or the
    game has no heroes.
    """
    if s.options.simple or player in s.used_heroes or not s.heroes:
        return []
    mine = s.heroes[player]
    if mine != UNKNOWN:
        return [mine]
    return [name for name in s.options.box.heroes if name not in s.heroes.values()]


def heroics(s: WarfareState, player: int, abilities: Collection[str]) -> Iterator[str]:
    """Yield the possible uses of the player's hero as ``NAME[:ARG]``, if the hero has one of the
    ``abilities``.
    """
    for name in own_heroes(s, player):
        ability = s.options.box.heroes[name]
        if ability in abilities:
            yield from (f"{name}{_tail(arg)}" for arg in _hero_arguments(s, player, ability))


def _hero_arguments(s: WarfareState, player: int, ability: str) -> list[str]:
    """Return the possible arguments of a hero with this ability. The list is ``[""]`` if the hero
    takes no argument, and empty if the player cannot use the hero now.
    """
    owner, doer, other = player == s.owner, player == s.doer, player in s.others
    zone_bound, troop_bound = s.zone not in (ANY, None), s.troop[:1] not in ((ANY,), ())
    if ability == "reuse":
        laid = sorted(set(s.round_laid[player])) if other and not s.chosen else []
        return [each for each in laid if each not in s.in_force and s.is_possible(each)]
    if ability == "cancel":
        return sorted({token.text for token in s.tokens}) if doer else []
    if ability == "draw":
        return buys(s, player)
    may_act = {
        "free-zone": doer and zone_bound, "free-troop": owner and troop_bound,
        "reroll-zone": zone_bound, "extra": other, "reward": owner, "save": doer,
        "gem": sum(s.gems) < GEMS,
    }  # fmt: skip
    return [""] if may_act[ability] else []


def call(s: WarfareState, player: int, name: str, arg: str) -> None:
    """Apply the move ``hero:NAME[:ARG]``: mark the hero as used and carry out the ability."""
    s.heroes[player] = name
    s.used_heroes += (player,)
    s.known_heroes |= {player}
    ability = s.options.box.heroes[name]
    if ability == "draw":
        s.drawn, s.drawer = s.draw(arg, 2), player
        return
    if ability == "gem":
        s.gem(player)
        return
    match ability:
        case "reuse":
            lay(s, player, Token(player, f"hero={arg}", None))
        case "free-zone":
            s.zone, s.free_zone = ANY, True
        case "free-troop":
            s.troop = (ANY, *s.troop[1:])
            if s.stage == "blocked":
                turn_phases.open_window(s)
        case "cancel":
            s.used += s.lift(arg).cards
        case "extra":
            s.right[player] += 1
        case "reward":
            s.reward = True
        case "save":
            s.save = True
    turn_phases.again(s)
    if ability == "reroll-zone":
        s.zone, s.stage, s.ask = None, "dice", "zone"
