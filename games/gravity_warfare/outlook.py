"""What a move may come to: worlds that fit a player's view, played on to the end of the turn."""

from __future__ import annotations

import random
from collections import Counter
from math import exp

from games.gravity_warfare import dealer, flow, making, moves
from games.gravity_warfare.table import UNKNOWN, State
from games.gravity_warfare.thumb import holds, meant, thumb

HORIZON = 40  # moves that are played on, at most: to the end of the turn
RACE = 1.1  # how much a troop less brings somebody nearer to the last one
CARD = 0.12  # points that a card in the hand is worth while the round is long
FALLEN = ((0, 2 / 7), (1, 4 / 7), (flow.TOPPLED, 1 / 7))  # pieces, how often: ``dealer.FALLS``


def expected(s: State, player: int, move: str, dice: random.Random) -> float:
    """What ``move`` comes to on average for ``player``, at the end of the turn. Where hands do it,
    both ways count by how likely it holds.
    """
    words = move.split(":")
    if words[1] not in ("place", "event"):
        after = s.copy()
        making.make(after, move)
        return _on_average(after, player, s, dice)
    chance = holds(s, move)
    held = s.copy()
    making.make(held, move)
    stem = ":".join([words[0], words[1], "fail", words[3], words[4]])
    on_board = [f"{p.name}@{zone}" for zone, ts in s.zones.items() for t in ts for p in t]
    if words[1] == "event":
        on_board.remove(f"{words[4]}@{words[3]}")
    failed = 0.0
    for count, often in FALLEN:
        fell = dice.sample(on_board, min(count, len(on_board)))
        lost = s.copy()
        making.make(lost, f"{stem}:fell={'+'.join(fell)}" if fell else stem)
        failed += often * value(lost, player)
    return chance * _on_average(held, player, s, dice) + (1 - chance) * failed


def _on_average(s: State, player: int, before: State, dice: random.Random) -> float:
    """Everybody plays by rules of thumb; the placements that follow are not diced but weighed."""
    for _ in range(HORIZON):
        if s.stage in ("over", "refill") or (s.owner, s.round) != (before.owner, before.round):
            break
        move = intended(s, dice)
        if ":place:" in move or (":event:" in move and s.options.simple):
            return expected(s, player, move, dice)
        making.make(s, move)
    return value(s, player)


def intended(s: State, dice: random.Random) -> str:
    """A move for whoever is awaited, or for chance; everybody by rules of thumb, and all holds."""
    awaited = moves.awaited(s)
    if not awaited:
        chances = [move for move in moves.listed(s) if move.startswith("chance")]
        return dealer.completed(s, dice.choice(chances), dice)
    player = dice.choice(awaited)
    return thumb(s, player, meant(moves.listed_of(s, player)), dice)


def value(s: State, player: int) -> float:
    """Points, and the hope for those of the last troop: of his side against the others."""
    near = [
        exp(
            -RACE
            * (
                len(s.troops[each])
                + 0.5 * ((each - s.owner) % s.options.players) / s.options.players
            )
        )
        for each in s.players
    ]
    total = sum(near)
    left = min(len(held) for held in s.troops)
    cards = CARD * min(left, 4) / 4
    over = s.stage == "over"
    worth = [
        s.points[each]
        + (0 if over else flow.LAST_TROOP * near[each] / total + cards * len(s.hands[each]))
        for each in s.players
    ]
    partners = s.options.partners
    sides = {partners(each): 0.0 for each in s.players}
    for each in s.players:
        sides[partners(each)] += worth[each]
    mine = sides.pop(partners(player))
    return mine - 0.5 * max(sides.values()) - 0.5 * sum(sides.values()) / len(sides)


def imagined(seen: State, dice: random.Random) -> State:
    """A world that fits what a player sees: the rest is dealt at random."""
    s = seen.copy()
    rest = list((s.options.pack() - _known(s)).elements())
    dice.shuffle(rest)
    guardians = [card for card in rest if card == "guardian"]
    rest = [card for card in rest if card != "guardian"]
    for other in s.players:
        cards = list(s.hands[other])
        for at in (at for at, card in enumerate(cards) if card == UNKNOWN):
            held = cards.count("guardian")
            cards[at] = (guardians if guardians and not held else rest or guardians or cards).pop()
        s.hands[other] = tuple(sorted(cards))
    rest += guardians
    s.drawn = tuple(rest.pop() if card == UNKNOWN and rest else card for card in s.drawn)
    s.left = tuple(rest.pop() if rest else card for card in s.left)
    s.right_pile = tuple(rest.pop() if rest else card for card in s.right_pile)
    free = [hero for hero in s.options.box.heroes if hero not in s.heroes.values()]
    dice.shuffle(free)
    s.heroes = {each: free.pop() if hero == UNKNOWN else hero for each, hero in s.heroes.items()}
    return s


def _known(s: State) -> Counter[str]:
    """Cards whose place is known."""
    seen = Counter(card for hand in s.hands for card in hand)
    seen.update([*s.discard, *s.used, *s.lying, *s.drawn])
    for token in (*s.tokens, *(each for tokens in s.deferred.values() for each in tokens)):
        seen.update([*token.holes, *([token.card] if token.card else [])])
    del seen[UNKNOWN]
    return seen
