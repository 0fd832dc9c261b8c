"""What cards and heroes do in the window and after a placement: each is one row of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from games.gravity_warfare import flow
from games.gravity_warfare.data import COLOURS, ZONES
from games.gravity_warfare.table import ANY, TELEPORT, Event, State, Token

KEEP, GIVE, HOLE, SELF, GUARD = (
    *("keep-it", "give-it-back", "space-time-hole", "do-it-yourself", "guardian"),
)


class Card(NamedTuple):
    """A row. ``args``: the arguments with which a player may play it now, "" where it has none;
    nothing where he may not. ``act``: player, argument and the card that he plays for it.
    """

    args: Callable[[State, int], Iterator[str]]
    act: Callable[[State, int, str, str], None]


def may_lay(s: State, player: int) -> bool:
    """Whether he has a challenge or an event left in this turn."""
    return player in s.others and s.spent[player] < s.right[player]


def may_defend(s: State, player: int) -> bool:
    """The doer, or a partner for him."""
    return player in s.options.partners(s.doer)


def _guardian_args(s: State, player: int) -> Iterator[str]:
    if may_defend(s, player) and (s.options.simple or len(s.troops[s.owner]) >= 2):
        yield ""


def _guardian(s: State, player: int, arg: str, card: str) -> None:
    if s.options.simple:
        s.used += (card,)
        if s.doer != s.owner:
            s.doer = s.owner
            flow.again(s)
            return
        s.drawn_event = False
    else:
        s.lying += (card,)
    s.fixed, s.zone, s.troop = (), ANY, (ANY,)
    flow.next_step(s)


def _hole_args(s: State, player: int) -> Iterator[str]:
    if may_defend(s, player):
        yield from sorted({token.text for token in s.tokens})


def _hole(s: State, player: int, arg: str, card: str) -> None:
    token = next(each for each in s.tokens if each.text == arg)
    s.tokens = tuple(each for each in s.tokens if each is not token)
    s.used += token.holes
    late = token._replace(deferred=True, holes=(card,))
    s.deferred[s.doer] = (*s.deferred.get(s.doer, ()), late)
    flow.again(s)


def _self_args(s: State, player: int) -> Iterator[str]:
    if not s.options.simple or player == s.doer:
        yield from (COLOURS[each] for each in s.players if each != s.doer)


def _self(s: State, player: int, arg: str, card: str) -> None:
    s.doer = COLOURS.index(arg)
    s.used += (card,)
    flow.again(s)


def _event_args(s: State, player: int) -> Iterator[str]:
    if may_lay(s, player) and s.pieces():
        yield ""


def _event(name: str) -> Callable[[State, int, str, str], None]:
    def act(s: State, player: int, arg: str, card: str) -> None:
        s.spent[player] += 1
        s.used += (card,)
        s.event, s.stage = Event(player, name), "event"

    return act


def _nowhere(s: State, player: int) -> Iterator[str]:
    yield from ()


DEFENCES: Mapping[str, Card] = {
    GUARD: Card(_guardian_args, _guardian),
    HOLE: Card(_hole_args, _hole),
    SELF: Card(_self_args, _self),
    KEEP: Card(_event_args, _event(KEEP)),
    GIVE: Card(_nowhere, _event(GIVE)),
}
TELEPORT_EVENT = Card(_event_args, _event(TELEPORT))


def row(s: State, name: str) -> Card:
    """The row of a card; any name that has none is a challenge."""
    if name == TELEPORT and s.options.teleport_event:
        return TELEPORT_EVENT
    return DEFENCES.get(name) or _challenge(name)


def is_event(s: State, name: str) -> bool:
    """Whether a card is carried out at once."""
    return name in (KEEP, GIVE) or (name == TELEPORT and s.options.teleport_event)


def _challenge(name: str) -> Card:
    def args(s: State, player: int) -> Iterator[str]:
        allowed = may_lay(s, player) and not s.chosen
        if allowed and name not in s.in_force and s.possible(name):
            yield ""

    def act(s: State, player: int, arg: str, card: str) -> None:
        s.spent[player] += 1
        text = name if card == name else f"{card}={name}"
        lay(s, player, Token(player, text, card))

    return Card(args, act)


def lay(s: State, player: int, token: Token) -> None:
    """Lay a challenge on the turn."""
    s.tokens += (token,)
    s.laid[player] += (token.name,)
    s.ever_laid |= {player}
    flow.again(s)


def plays(s: State, player: int) -> Iterator[str]:
    """What he may play in the window: ``TOKEN[:ARG]``."""
    for card in s.playable(player):
        if card == "antimatter":
            for name in named(s):
                yield from (f"{card}={name}{_tail(arg)}" for arg in row(s, name).args(s, player))
        else:
            yield from (f"{card}{_tail(arg)}" for arg in row(s, card).args(s, player))


def named(s: State) -> list[str]:
    """The cards that Antimatter may stand for."""
    return [name for name in s.options.pack() if name not in (GUARD, "antimatter")]


def _tail(arg: str) -> str:
    return f":{arg}" if arg else ""


def play(s: State, player: int, token: str, arg: str) -> None:
    """Carry out ``play:TOKEN[:ARG]``."""
    card, wild, name = token.partition("=")
    s.lose(player, card)
    row(s, name if wild else card).act(s, player, arg, card)


def givable(s: State) -> str | None:
    """The zone of the piece that Give it back would return, if that is free."""
    name = s.placed[-1][-1]
    for zone in ZONES:
        towers = s.zones.get(zone, ())
        if any(piece.fresh and piece.name == name for tower in towers for piece in tower):
            tops = [tower[-1] for tower in towers]
            return zone if any(top.fresh and top.name == name for top in tops) else None
    return None


# heroes


class Hero(NamedTuple):
    """A row, as ``Card``: the argument is the hero's."""

    args: Callable[[State, int], Iterator[str]]
    act: Callable[[State, int, str], None]


def _if(condition: Callable[[State, int], bool]) -> Callable[[State, int], Iterator[str]]:
    def args(s: State, player: int) -> Iterator[str]:
        if condition(s, player):
            yield ""

    return args


def _free(s: State) -> bool:
    return s.zone not in (ANY, None)


def _reuse_args(s: State, player: int) -> Iterator[str]:
    if player in s.others and not s.chosen:
        for name in sorted(set(s.round_laid[player])):
            if name not in s.in_force and s.possible(name):
                yield name


def _reuse(s: State, player: int, arg: str) -> None:
    lay(s, player, Token(player, f"hero={arg}", None))


def _free_zone(s: State, player: int, arg: str) -> None:
    s.zone, s.free_zone = ANY, True
    flow.again(s)


def _free_troop(s: State, player: int, arg: str) -> None:
    s.troop = (ANY, *s.troop[1:])
    if s.stage == "blocked":
        flow.open_window(s)
    else:
        flow.again(s)


def _cancel_args(s: State, player: int) -> Iterator[str]:
    if player == s.doer:
        yield from sorted({token.text for token in s.tokens})


def _cancel(s: State, player: int, arg: str) -> None:
    token = next(each for each in s.tokens if each.text == arg)
    s.tokens = tuple(each for each in s.tokens if each is not token)
    flow.discard(s, token)
    flow.again(s)


def _reroll(s: State, player: int, arg: str) -> None:
    flow.again(s)
    s.zone = None
    flow.ask(s, "zone")


def _extra(s: State, player: int, arg: str) -> None:
    s.right[player] += 1
    flow.again(s)


def _reward(s: State, player: int, arg: str) -> None:
    s.reward = True
    flow.again(s)


def _save(s: State, player: int, arg: str) -> None:
    s.save = True
    flow.again(s)


def _troop_bound(s: State, player: int) -> bool:
    return player == s.owner and bool(s.troop) and s.troop[0] != ANY


HEROES: Mapping[str, Hero] = {
    "reuse": Hero(_reuse_args, _reuse),
    "free-zone": Hero(_if(lambda s, player: player == s.doer and _free(s)), _free_zone),
    "free-troop": Hero(_if(_troop_bound), _free_troop),
    "cancel": Hero(_cancel_args, _cancel),
    "reroll-zone": Hero(_if(lambda s, player: _free(s)), _reroll),
    "extra": Hero(_if(lambda s, player: player in s.others), _extra),
    "reward": Hero(_if(lambda s, player: player == s.owner), _reward),
    "save": Hero(_if(lambda s, player: player == s.doer), _save),
}


def buys(s: State, player: int) -> list[str]:
    """The sides from which he may draw, if his hand has room."""
    if not s.may_draw(player):
        return []
    return [side for side in ("left", "right") if len(s.pile(side)) >= 2]


def _draw_args(s: State, player: int) -> Iterator[str]:
    yield from buys(s, player)


def draw_two(s: State, player: int, side: str) -> None:
    """Draw two cards, of which the player will keep one."""
    s.drawn, s.drawer = s.draw(side, 2), player


def _gem(s: State, player: int, arg: str) -> None:
    s.gem(player)


ANY_TIME: Mapping[str, Hero] = {
    "draw": Hero(_draw_args, draw_two),
    "gem": Hero(_if(lambda s, player: s.gems_out < 7), _gem),
}


def own_heroes(s: State, player: int) -> list[str]:
    """His hero, or what an unknown one may be."""
    if s.options.simple or player in s.used_heroes or not s.heroes:
        return []
    mine = s.heroes[player]
    if mine != "?":
        return [mine]
    return [name for name in s.options.box.heroes if name not in s.heroes.values()]


def heroics(s: State, player: int, table: Mapping[str, Hero]) -> Iterator[str]:
    """``NAME[:ARG]`` of the abilities in ``table``."""
    for name in own_heroes(s, player):
        ability = s.options.box.heroes[name]
        if ability in table:
            yield from (f"{name}{_tail(arg)}" for arg in table[ability].args(s, player))


def call(s: State, player: int, name: str, arg: str) -> None:
    """Carry out ``hero:NAME[:ARG]``."""
    s.heroes[player] = name
    s.used_heroes += (player,)
    s.known_heroes |= {player}
    ability = s.options.box.heroes[name]
    (HEROES.get(ability) or ANY_TIME[ability]).act(s, player, arg)
