"""Estimates the value of moves for bots.

Rules of thumb give quick estimates. Playouts to the end of the turn, in states that agree with a
player's view, give better estimates. All factors in this module are guesses, including the chances
that a placed piece stays on the platform.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from math import exp, prod

from tiltboard.games.gravity_warfare import apply, moves, turn_phases
from tiltboard.games.gravity_warfare.data import COLOURS, HAND
from tiltboard.games.gravity_warfare.state import (
    DUPLICATE,
    MOUNT,
    PAIR,
    TELEPORT,
    UNKNOWN,
    WarfareState,
    kind_of,
)

HARDNESS = {
    "limit-it": 0.1, "blindfolded": 0.35, "duplicate-it": 0.15, "pair-it": 0.25, "spin-it": 0.3,
    "mount-it": 0.2, "chopsticks": 0.3, "teleport-it": 0.15, "copy-it": 0.15,
}  # fmt: skip
USUAL_HARDNESS = 0.2
WORTH = {"guardian": 9, "do-it-yourself": 7, "antimatter": 8, "keep-it": 6, "space-time-hole": 6}
USUAL_WORTH = 5
# Value in points of each placed troop, because each troop is progress towards placing the last
# troop.
PROGRESS = 0.7
CARD_TURN = 1.0  # Value in points of a turn whose card is not drawn yet.
# Threshold for the chance that a placed piece stays on the platform. If the chance is lower, a
# medium bot plays a defence card.
HARD_TURN = 0.65
HORIZON = 40  # Maximum number of moves in a playout to the end of the turn.
# Decay rate for the race to place the last troop first. Each troop that a player still has
# multiplies the player's weight by exp(-RACE).
RACE = 1.1
CARD = 0.12  # Value in points of a card in a player's hand early in a round.
# Factor by which each piece underneath reduces the chance that a placed piece stays on the
# platform.
HIGHER = 0.92
FALLEN = (
    (0, 2 / 7),
    (1, 4 / 7),
    (turn_phases.TOPPLED, 1 / 7),
)  # Pairs of (number of fallen pieces, probability of this number), as in ``moves.FALLS``.


def success_probability(s: WarfareState, move: str) -> float:
    """Return the estimated chance, 0.05 to 1, that the piece placed by ``move`` stays on the
    platform.
    """
    return max(0.05, stability(s, s.fixed or ()) * HIGHER ** under(move))


def under(move: str) -> int:
    """Return the number of pieces under the placed piece, as stated in ``move``."""
    return int(move.partition(":under=")[2] or 0)


def stability(s: WarfareState, names: Collection[str]) -> float:
    """Return the estimated chance, 0 to 1, that a piece stays on the platform when a player places
    it directly on the surface. The challenges ``names`` are in force.
    """
    return (0.95 - 0.015 * s.pieces()) * _combined_ease(names)


def _combined_ease(names: Collection[str]) -> float:
    return prod(1 - _hardness(name) for name in names)


def _hardness(name: str) -> float:
    return HARDNESS.get(name, USUAL_HARDNESS)


def card_value(card: str) -> int:
    """Return the value of keeping a card in the hand, relative to other cards."""
    return WORTH.get(card, USUAL_WORTH)


def attempted(s: WarfareState, move: str, dice: random.Random) -> str:
    """Return ``move``, or a move that reports a random failure. The probability of the failure is
    the estimated chance that ``move`` fails.
    """
    words = move.split(":")
    if words[1] not in ("place", "event") or dice.random() < success_probability(s, move):
        return move
    return moves.completed(s, moves.failing(move), dice)


def plausible_moves(legal: Sequence[str]) -> list[str]:
    """Return the legal moves that do not report a failure. Return all legal moves if every move
    reports a failure.
    """
    hopeful = [move for move in legal if ":fail:" not in move]
    return hopeful or list(legal)


def heuristic_move(
    s: WarfareState, player: int, legal: Sequence[str], dice: random.Random, *, keen: bool = True
) -> str:
    """Return the legal move that ``score`` rates highest."""
    return max(legal, key=lambda move: score(s, player, move, dice, keen=keen))


def score(
    s: WarfareState, player: int, move: str, dice: random.Random, *, keen: bool = True
) -> float:
    """Return the value of a move by rules of thumb, relative to passing.

    A small random part varies the games. If ``keen`` is true, the value includes the gain from a
    card kept in Simple mode.
    """
    words = move.split(":")
    whim = dice.random()
    mine = player in s.options.partners(s.owner)
    match words[1]:
        case "pass":
            return 0.0 if s.stage != "refill" else -5.0
        case "place":
            return _placing(s, move) + 0.1 * whim
        case "play" if s.options.simple and keen:
            return _kept_liking(s, words[2], words[3:]) + 0.1 * whim
        case "play" if s.options.simple:
            return HARD_TURN - _combined_ease(s.in_force) + 0.1 * whim
        case "play":
            return _card_liking(s, player, words[2], mine=mine) + whim
        case "name" if keen and words[2] != "keep-it":
            return _prospect(s, [words[2]]) + 0.1 * whim
        case "keep":
            return card_value(s.drawn[int(words[2]) - 1]) + whim
        case "buy":
            return 0.2 if s.points[player] > 6 and len(s.hands[player]) < HAND - 2 else -1.0
        case "hero":
            ability = s.options.box.heroes.get(words[2], "")
            usual = 0.1 if mine or ability == "extra" else -0.5
            liked = {"gem": 0.1, "draw": 0.1, "reward": 0.5 if mine else -1.0}
            return liked.get(ability, usual) + 0.2 * whim
        case "withdraw":
            return -1.0
        case "choose":
            rest = sum(_hardness(token.name) for token in s.tokens)
            return rest - 0.6 if words[2] == "rest" else 0.0
        case "event" if len(words) > 5 and words[5] in COLOURS:
            given = COLOURS.index(words[5])
            return whim - (9 if given in s.options.partners(player) else len(s.troops[given]) / 6)
    return whim


def _placing(s: WarfareState, move: str) -> float:
    """Return the value of a placement. The value consists of the points if the piece stays on the
    platform, the loss of one point if the piece falls, and a bonus for each kind of troop that the
    player still has.
    """
    chance = success_probability(s, move)
    forced = s.fixed or ()
    if TELEPORT in forced:
        return chance
    high = 0 if MOUNT in forced or s.free_zone else under(move)
    left = Counter(s.troops[s.owner]) - Counter(move.split(":")[3].split("+"))
    # If a player still has more kinds of troops, the player can use more results of the troop die.
    kinds = len({kind_of(piece) for piece in left})
    return chance * (1 + high) - (1 - chance) + 0.1 * kinds


def _prospect(s: WarfareState, names: Collection[str], high: int = 0) -> float:
    """Return how many points the turn is expected to bring its owner, if the challenges ``names``
    are in force and the piece is placed on top of ``high`` other pieces.
    """
    chance = stability(s, names) * HIGHER**high
    if TELEPORT in names:
        return chance - 1
    if DUPLICATE in names:
        chance *= chance
    return chance * (_troops(names) * (1 + PROGRESS) + high) - (1 - chance)


def _troops(names: Collection[str]) -> int:
    return (2 if PAIR in names else 1) * (2 if DUPLICATE in names else 1)


def _kept_liking(s: WarfareState, card: str, args: Sequence[str]) -> float:
    """Return the gain from playing a kept card in Simple mode, compared with not playing the card.

    If the doer (the player who places the piece) is not the owner of the turn, fallen troops go to
    the doer, so the owner loses these troops in either case.
    """
    names = s.in_force
    if s.doer != s.owner:
        return 1.0 - _combined_ease(names)
    now = CARD_TURN if s.stage == "card" or s.drawn_event else _prospect(s, names)
    if card == "guardian":
        tallest = max((len(tower) for towers in s.zones.values() for tower in towers), default=0)
        return _prospect(s, (), tallest) - now
    if TELEPORT in names or s.drawn_event:
        return -1.0
    given = len(s.troops[COLOURS.index(args[0])])
    return _troops(names) * (1 + PROGRESS) - now - 0.1 * given


def _card_liking(s: WarfareState, player: int, token: str, *, mine: bool) -> float:
    name = token.rpartition("=")[2]
    trouble = sum(_hardness(each) for each in s.in_force)
    if name in ("guardian", "do-it-yourself", "space-time-hole"):
        doing = player in s.options.partners(s.doer)
        return 2.5 * trouble - 1.9 if doing else -2.0
    if mine:
        return -2.0
    lead = s.points[s.owner] - s.points[player]
    close = 6 - len(s.troops[s.owner])
    return _hardness(name) + 0.12 * close + 0.05 * lead - 0.9 - trouble


# Playouts to the end of the turn


def expected_value(s: WarfareState, player: int, move: str, dice: random.Random) -> float:
    """Return the average value of ``move`` for ``player`` at the end of the turn. For a placement
    or an event card, success and failure are weighted by the chance that the piece stays on the
    platform.
    """
    words = move.split(":")
    if words[1] not in ("place", "event"):
        after = s.copy()
        apply.make(after, move)
        return _on_average(after, player, s, dice)
    chance = success_probability(s, move)
    held = s.copy()
    apply.make(held, move)
    stem, (_, on_board) = moves.failing(move), moves.could_fall(s, move)
    failed = 0.0
    for count, often in FALLEN:
        fell = dice.sample(on_board, min(count, len(on_board)))
        lost = s.copy()
        apply.make(lost, f"{stem}:fell={'+'.join(fell)}" if fell else stem)
        failed += often * value(lost, player)
    return chance * _on_average(held, player, s, dice) + (1 - chance) * failed


def _on_average(s: WarfareState, player: int, before: WarfareState, dice: random.Random) -> float:
    """Return the value of the state after all players have played to the end of the turn by rules
    of thumb. For each placement, the values of success and failure are both computed and weighted
    by their chances.
    """
    for _ in range(HORIZON):
        if s.stage in ("over", "refill") or (s.owner, s.round) != (before.owner, before.round):
            break
        move = playout_move(s, dice)
        if ":place:" in move or (":event:" in move and s.options.simple):
            return expected_value(s, player, move, dice)
        apply.make(s, move)
    return value(s, player)


def playout_move(s: WarfareState, dice: random.Random) -> str:
    """Return the next move of a playout: a move by rules of thumb if a player must act, or a random
    move if dice or cards decide. Placements always succeed.
    """
    awaited = moves.awaited_seats(s)
    if not awaited:
        chances = [move for move in moves.legal_moves(s) if move.startswith("chance")]
        return moves.completed(s, dice.choice(chances), dice)
    player = dice.choice(awaited)
    return heuristic_move(s, player, plausible_moves(moves.listed_of(s, player)), dice)


def value(s: WarfareState, player: int) -> float:
    """Return the points of ``player``'s team minus the other teams' points. Each team's points
    include the bonus for the last troop, multiplied by the chance that the team places its last
    troop first.
    """
    seats, partners = s.options.players, s.options.partners
    # Time until each player's next turn, as a fraction of a round.
    waits = [((each - s.owner) % seats) / seats for each in s.players]
    near = [exp(-RACE * (len(s.troops[each]) + 0.5 * waits[each])) for each in s.players]
    cards = CARD * min(4, *map(len, s.troops)) / 4
    sides = {partners(each): 0.0 for each in s.players}
    for each in s.players:
        sides[partners(each)] += s.points[each]
        if s.stage != "over":
            hope = turn_phases.LAST_TROOP * near[each] / sum(near)
            sides[partners(each)] += hope + cards * len(s.hands[each])
    mine = sides.pop(partners(player))
    return mine - 0.5 * max(sides.values()) - 0.5 * sum(sides.values()) / len(sides)


def sample_world(seen: WarfareState, dice: random.Random) -> WarfareState:
    """Return a complete state that agrees with the player's view ``seen``. The hidden cards and
    heroes are dealt at random, and paper cards stay unknown.
    """
    s = seen.copy()
    s.seen = None
    if s.options.paper:
        return s
    rest = list(s.unseen().elements())
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
