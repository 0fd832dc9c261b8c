"""The state of a game of Gravity Warfare: the platform, the players' hands, the piles of cards and
the progress of the turn.

The functions that apply moves change a copy of a ``WarfareState``. All other code treats the state
as immutable. Players are numbered by seat.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from tiltboard.games.gravity_warfare.data import COLOURS, Options

ANY = "any"
UNKNOWN = "?"
GEMS = 7  # Number of green gems in the box.
TELEPORT, COPY, BLIND = "teleport-it", "copy-it", "blindfolded"
PAIR, DUPLICATE, MOUNT = "pair-it", "duplicate-it", "mount-it"


class WarfarePiece(NamedTuple):
    """A troop on the platform."""

    name: str
    fresh: bool = False
    """True if the troop was placed in this turn."""


def kind_of(piece: str) -> str:
    """Return the kind of a piece: ``tank``, ``fighter`` or ``ship``."""
    return piece.rpartition("-")[2]


Tower = tuple[WarfarePiece, ...]
"""The pieces of one tower, lowest piece first."""


def spelt(tower: Tower) -> str:
    """Return a tower as text, such as ``blue-ship+red-tank``."""
    return "+".join(piece.name for piece in tower)


class Token(NamedTuple):
    """A challenge that a player has laid on the turn, from a card or from a hero.

    ``who`` is the number of the player who laid the challenge, and ``text`` is the challenge as
    written in moves. ``card`` is the challenge card, or None for a hero's challenge. ``deferred``
    is true if the challenge was deferred to this turn, and ``holes`` are the Space-Time Hole cards
    that deferred the challenge.
    """

    who: int
    text: str
    card: str | None
    deferred: bool = False
    holes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the challenge. For the wild card Antimatter, this is the name of the card that
        Antimatter represents.
        """
        return self.text.rpartition("=")[2]

    @property
    def cards(self) -> tuple[str, ...]:
        """Cards to discard together with this challenge: the Space-Time Holes that deferred the
        challenge and, unless a hero laid the challenge, the challenge card.
        """
        return (*self.holes, *([self.card] if self.card else []))


class CardPlay(NamedTuple):
    """The challenges, zone and kinds of pieces of a turn's first placement, which the challenge
    *Copy it* repeats.
    """

    challenges: tuple[str, ...]
    zone: str
    kinds: tuple[str, ...]


class WarfareEvent(NamedTuple):
    """The event card in progress: the player who carries out the event, and the card's name."""

    who: int
    name: str


class SeenTable(NamedTuple):
    """Parts of a player's view that the program cannot compute from the view, because cards are
    hidden: the player's legal moves, and the seat numbers of all players who can act now.
    """

    legal: tuple[str, ...]
    awaited: tuple[int, ...]


@dataclass(kw_only=True)
class OfTurn:
    """The fields of a state that are reset at the start of each turn."""

    zone: str | None = None
    troop: tuple[str, ...] = ()
    tokens: tuple[Token, ...] = ()
    used: tuple[str, ...] = ()
    passed: frozenset[int] = frozenset()
    """Numbers of the players who have passed since the phase for laying cards last began."""
    spent: list[int] = field(default_factory=list)
    """Number of challenges and events that each player has laid in this turn, in seat order."""
    right: list[int] = field(default_factory=list)
    """Maximum number of challenges and events for each player in this turn, in seat order."""
    ever_laid: frozenset[int] = frozenset()
    laid: list[tuple[str, ...]] = field(default_factory=list)
    """Names of the challenges that each player has laid in this turn and has not withdrawn, in seat
    order.
    """
    fixed: tuple[str, ...] | None = None
    """Names of the challenges in force, or None while players can still lay cards in this turn."""
    chosen: bool = False
    ask: str = ""
    """The dice to roll next: ``roll`` for both dice, ``troop`` or ``zone``. Empty if no dice are
    rolled now.
    """
    rolled_again: bool = False
    held: str | None = None
    source: str | None = None
    placed: tuple[tuple[str, ...], ...] = ()
    under: int = 0
    play: CardPlay | None = None
    event: WarfareEvent | None = None
    drawn_event: bool = False
    free_zone: bool = False
    reward: bool = False
    save: bool = False
    refill: tuple[int, ...] = ()


@dataclass(kw_only=True)
class WarfareState(OfTurn):
    """The complete state of a game of Gravity Warfare."""

    options: Options = field(compare=False)
    stage: str = "heroes"
    """The name of the stored phase. The property ``phase`` reports another phase while a player
    chooses between drawn cards or new piles are formed.
    """
    turn: int = 0
    """Number of moves made since the start of the game."""
    round: int = 1
    owner: int = 0
    doer: int = 0
    heroes: dict[int, str] = field(default_factory=dict)
    used_heroes: tuple[int, ...] = ()
    known_heroes: frozenset[int] = frozenset()
    points: list[int] = field(default_factory=list)
    gems: list[int] = field(default_factory=list)
    troops: list[tuple[str, ...]] = field(default_factory=list)
    aside: tuple[str, ...] = ()
    zones: dict[str, tuple[Tower, ...]] = field(default_factory=dict)
    hands: list[tuple[str, ...]] = field(default_factory=list)
    left: tuple[str, ...] = ()
    right_pile: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    lying: tuple[str, ...] = ()
    """Guardian cards that are out of play until the next round."""
    drawer: int = -1
    drawn: tuple[str, ...] = ()
    refilling: bool = False
    deferred: dict[int, tuple[Token, ...]] = field(default_factory=dict)
    last: CardPlay | None = None
    round_laid: list[tuple[str, ...]] = field(default_factory=list)
    """Names of the challenges that each player laid in earlier turns of this round, in seat order.
    """
    first_turn: bool = True
    seen: SeenTable | None = None
    """The parts of a player's view that cannot be computed, or None in a complete state. In a
    player's view, hidden cards are ``?``, and no move can be applied.
    """

    def copy(self) -> WarfareState:
        """Return a copy that can be changed without changing this state."""
        other = object.__new__(WarfareState)
        vars(other).update(
            (name, value.copy() if type(value) in (list, dict) else value)
            for name, value in vars(self).items()
        )
        return other

    # Methods for players and seats

    @property
    def players(self) -> range:
        """The numbers of all players, in seat order."""
        return range(self.options.players)

    def seat(self, name: str) -> int | None:
        """Return the seat of the player with the colour ``name``, or None if there is no such
        player.
        """
        return COLOURS.index(name) if name in COLOURS[: self.options.players] else None

    @property
    def others(self) -> list[int]:
        """Seats of the players who are neither the turn's owner nor its doer (the player who places
        the piece).
        """
        return [each for each in self.players if each not in (self.owner, self.doer)]

    def may_give_back(self, player: int) -> bool:
        """Return whether ``player`` can be asked to play *Give it back*. The player must not be the
        owner or the doer of the turn, must have laid no challenge in this turn, and must hold a
        card.
        """
        return (
            player in self.others
            and player not in self.ever_laid
            and bool(self.hands[player])
            and self.spent[player] < self.right[player]
        )

    # Pieces on the platform

    def pieces(self) -> int:
        """Return the number of pieces on the platform."""
        return sum(len(tower) for towers in self.zones.values() for tower in towers)

    def tops(self, zone: str) -> list[str]:
        """Return the names of the topmost pieces in a zone, sorted and without duplicates."""
        return sorted({tower[-1].name for tower in self.zones.get(zone, ())})

    def standing(self) -> list[tuple[str, str]]:
        """Return the name and the zone of each piece on the platform."""
        zones = self.zones.items()
        return [(piece.name, zone) for zone, towers in zones for t in towers for piece in t]

    def put(self, zone: str, names: tuple[str, ...], under: int, *, fresh: bool = True) -> None:
        """Put pieces onto the first tower in the zone that has exactly ``under`` pieces. If
        ``under`` is 0, put the pieces onto the surface of the zone.
        """
        towers = list(self.zones.get(zone, ()))
        new = tuple(WarfarePiece(name, fresh) for name in names)
        if under:
            at = next(n for n, tower in enumerate(towers) if len(tower) == under)
            towers[at] += new
        else:
            towers.append(new)
        self.set_zone(zone, towers)

    def set_zone(self, zone: str, towers: list[Tower]) -> None:
        """Set the towers of a zone. If ``towers`` is empty, delete the zone's entry."""
        kept = tuple(tower for tower in towers if tower)
        if kept:
            self.zones[zone] = kept
        else:
            self.zones.pop(zone, None)

    def remove(self, zone: str, name: str, *, top: bool = False) -> WarfarePiece | None:
        """Remove a piece from a zone and return the piece, or return None if the zone has no such
        piece.

        Among equal pieces, a piece placed in this turn is preferred, then a piece of the newest
        tower, then the topmost piece. If ``top`` is true, only the topmost piece of each tower
        counts. The pieces above a removed piece move down.
        """
        towers = list(self.zones.get(zone, ()))
        found = [
            (piece.fresh, at, height)
            for at, tower in enumerate(towers)
            for height, piece in enumerate(tower)
            if piece.name == name and (not top or height == len(tower) - 1)
        ]
        if not found:
            return None
        _, at, height = max(found)
        piece = towers[at][height]
        towers[at] = towers[at][:height] + towers[at][height + 1 :]
        self.set_zone(zone, towers)
        return piece

    def remove_fresh(self) -> list[str]:
        """Remove all pieces placed in this turn from the platform and return their names."""
        gone = []
        for zone, towers in list(self.zones.items()):
            gone += [piece.name for tower in towers for piece in tower if piece.fresh]
            kept = [tuple(piece for piece in tower if not piece.fresh) for tower in towers]
            self.set_zone(zone, kept)
        return gone

    # Troops, points and gems

    def give(self, player: int, *names: str) -> None:
        """Add pieces to the player's troops that are not yet on the platform."""
        self.troops[player] = tuple(sorted([*self.troops[player], *names]))

    def spend(self, player: int, names: tuple[str, ...]) -> None:
        """Remove pieces from the player's troops."""
        kept = Counter(self.troops[player]) - Counter(names)
        self.troops[player] = tuple(sorted(kept.elements()))

    def pay(self, player: int, cost: int) -> None:
        """Subtract ``cost`` from a player's points, but not below 0."""
        self.points[player] = max(0, self.points[player] - cost)

    def gem(self, player: int) -> None:
        """Give the player a green gem if any gem is left in the supply."""
        if sum(self.gems) < GEMS:
            self.gems[player] += 1

    # Cards in hands and piles

    def hold(self, player: int, *cards: str) -> None:
        """Add cards to the player's hand."""
        self.hands[player] = tuple(sorted([*self.hands[player], *cards]))

    def lose(self, player: int, card: str) -> None:
        """Remove ``card`` from the player's hand. If the hand does not contain ``card``, remove an
        unknown card instead.
        """
        hand = list(self.hands[player])
        hand.remove(card if card in hand else UNKNOWN)
        self.hands[player] = tuple(hand)

    def lift(self, text: str, who: int | None = None) -> Token:
        """Remove the first challenge with this text from the turn and return the challenge. If
        ``who`` is given, consider only challenges that this player laid in this turn.
        """
        token = next(
            each
            for each in self.tokens
            if each.text == text and (who is None or (each.who == who and not each.deferred))
        )
        self.tokens = tuple(each for each in self.tokens if each is not token)
        return token

    def playable(self, player: int) -> list[str]:
        """Return the cards that the player's hand can contain, sorted and without duplicates. An
        unknown card can be any unseen card except a Guardian.
        """
        hand = self.hands[player]
        found = {card for card in hand if card != UNKNOWN}
        if UNKNOWN in hand:
            found |= set(self.unseen()) - {"guardian"}
        return sorted(found)

    def unseen(self) -> Counter[str]:
        """Return the number of cards of each name that are not in a known hand, discarded, deferred
        or laid on the turn.
        """
        seen = Counter(card for hand in self.hands for card in hand)
        seen.update([*self.discard, *self.used, *self.lying, *self.drawn])
        for token in (*self.tokens, *(t for each in self.deferred.values() for t in each)):
            seen.update(token.cards)
        return self.options.pack() - seen

    def pile(self, side: str) -> tuple[str, ...]:
        """Return the cards of the left or the right pile, top card first."""
        return self.left if side == "left" else self.right_pile

    def draw(self, side: str, count: int) -> tuple[str, ...]:
        """Remove ``count`` cards from the top of a pile and return these cards."""
        pile = self.pile(side)
        if side == "left":
            self.left = pile[count:]
        else:
            self.right_pile = pile[count:]
        return pile[:count]

    @property
    def phase(self) -> str:
        """Name of the current phase, as reported to other programs.

        While a player must choose between two drawn cards, the phase is ``keep``. Otherwise, the
        phase is ``deal`` if no pile has enough cards to draw from and there are cards for new
        piles.
        """
        if self.drawn:
            return "keep"
        if self.stage in ("heroes", "deal", "over"):
            return self.stage
        few, enough = (1, 1) if self.options.simple else (2, 3)
        piles = len(self.left), len(self.right_pile)
        wanted = max(piles) < few and sum(piles) + len(self.discard) >= enough
        return "deal" if wanted else self.stage

    # Methods for the challenges in force

    @property
    def event_now(self) -> WarfareEvent:
        """The event card in progress. If no event card was played, the event is the *Keep it* card
        that the doer (the player who places the piece) drew in Simple mode.
        """
        return self.event or WarfareEvent(self.doer, "keep-it")

    def names(self) -> set[str]:
        """Return the names of the challenges laid on this turn, including the challenges that *Copy
        it* repeats.
        """
        found = {token.name for token in self.tokens}
        if COPY in found and self.last is not None:
            found |= set(self.last.challenges)
        return found

    @property
    def in_force(self) -> set[str]:
        """Names of the challenges in force in this turn."""
        return self.names() if self.fixed is None else set(self.fixed)

    def is_possible(self, card: str) -> bool:
        """Return whether ``card`` can be combined with the challenges that players have laid on
        this turn.
        """
        return self.impossible(card) is None

    def impossible(self, card: str) -> str | None:
        """Return the reason why ``card`` cannot be combined with the challenges that players have
        laid on this turn. Return None if the combination is possible (rule W4).
        """
        names = self.names() | {card}
        copied: set[str] = set()
        if COPY in names:
            if self.last is None:
                return "There is nothing to copy."
            names |= set(self.last.challenges)
            if TELEPORT in names:
                return "Copy it and Teleport it cannot be done together."
            copied = {self.last.kinds[0]}
        if {TELEPORT, PAIR} <= names:
            return "Teleport it and Pair it cannot be done together."
        pieces, wanted = self.pieces(), len(names & {TELEPORT, MOUNT})
        if wanted and not pieces:
            return "There is no piece on the platform."
        if TELEPORT in names:
            return "There are too few pieces on the platform." if pieces < wanted else None
        held = [kind_of(piece) for piece in self.troops[self.owner]]
        if len(held) < 2 ** len(names & {PAIR, DUPLICATE}) or not copied <= set(held):
            return "The owner does not hold the troops for it."
        return None
