"""The state of a game: the platform, hands and piles, and the progress of the turn.

The functions of the other modules change a ``WarfareState`` copied for them; elsewhere it is a
value. Players are numbers by seat.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from tiltboard.games.gravity_warfare.data import COLOURS, Options

ANY = "any"
UNKNOWN = "?"
GEMS = 7  # green ones
TELEPORT, COPY, BLIND = "teleport-it", "copy-it", "blindfolded"
PAIR, DUPLICATE, MOUNT = "pair-it", "duplicate-it", "mount-it"


class WarfarePiece(NamedTuple):
    """A troop on the platform."""

    name: str
    fresh: bool = False
    """Placed in this turn."""


def kind_of(piece: str) -> str:
    """Return the kind of a piece: ``tank``, ``fighter`` or ``ship``."""
    return piece.rpartition("-")[2]


Tower = tuple[WarfarePiece, ...]
"""Lowest piece first."""


def spelt(tower: Tower) -> str:
    """Return a tower as text, such as ``blue-ship+red-tank``."""
    return "+".join(piece.name for piece in tower)


class Token(NamedTuple):
    """A challenge as laid: the player, its text, its card (None: a hero laid it), whether it was
    deferred to this turn, and the Space-Time Holes that deferred it.
    """

    who: int
    text: str
    card: str | None
    deferred: bool = False
    holes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the challenge; for Antimatter, the card that it stands for."""
        return self.text.rpartition("=")[2]

    @property
    def cards(self) -> tuple[str, ...]:
        """The token's cards, Space-Time Holes included; a hero's challenge has no own card."""
        return (*self.holes, *([self.card] if self.card else []))


class CardPlay(NamedTuple):
    """The first placement of a turn, as Copy it repeats it."""

    challenges: tuple[str, ...]
    zone: str
    kinds: tuple[str, ...]


class WarfareEvent(NamedTuple):
    """The event in progress: the player who carries it out, and the card whose rules it has."""

    who: int
    name: str


class SeenTable(NamedTuple):
    """Parts of a view that a state does not hold: the player's moves, and the awaited seats."""

    legal: tuple[str, ...]
    awaited: tuple[int, ...]


@dataclass(kw_only=True)
class OfTurn:
    """The part of a state that each turn resets."""

    zone: str | None = None
    troop: tuple[str, ...] = ()
    tokens: tuple[Token, ...] = ()
    used: tuple[str, ...] = ()
    passed: frozenset[int] = frozenset()
    """Players who have passed in this window."""
    spent: list[int] = field(default_factory=list)
    """Number of challenges and events that each player has laid."""
    right: list[int] = field(default_factory=list)
    """The number that each may lay."""
    ever_laid: frozenset[int] = frozenset()
    laid: list[tuple[str, ...]] = field(default_factory=list)
    """Challenges laid in this turn and not taken back."""
    fixed: tuple[str, ...] | None = None
    """Challenges in force once the window is closed."""
    chosen: bool = False
    ask: str = ""
    """The decision that the next throw makes."""
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
    """The state of a game."""

    options: Options = field(compare=False)
    stage: str = "heroes"
    """The phase, unless a draw or a new deal comes between (see ``phase``)."""
    turn: int = 0
    """Moves made."""
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
    """Guardians that are out until the next round."""
    drawer: int = -1
    drawn: tuple[str, ...] = ()
    refilling: bool = False
    deferred: dict[int, tuple[Token, ...]] = field(default_factory=dict)
    last: CardPlay | None = None
    round_laid: list[tuple[str, ...]] = field(default_factory=list)
    """Challenges laid in earlier turns of the round."""
    first_turn: bool = True
    seen: SeenTable | None = None
    """Set in a player's view, where hidden things are ``?`` and which cannot be played on."""

    def copy(self) -> WarfareState:
        """Return a copy that can be changed without changing this state."""
        other = object.__new__(WarfareState)
        vars(other).update(
            (name, value.copy() if type(value) in (list, dict) else value)
            for name, value in vars(self).items()
        )
        return other

    # who

    @property
    def players(self) -> range:
        """The players' numbers, by seat."""
        return range(self.options.players)

    def seat(self, name: str) -> int | None:
        """Return the number of the player called ``name``, or None."""
        return COLOURS.index(name) if name in COLOURS[: self.options.players] else None

    @property
    def others(self) -> list[int]:
        """The players who are neither owner nor doer."""
        return [each for each in self.players if each not in (self.owner, self.doer)]

    def may_give_back(self, player: int) -> bool:
        """Return whether ``player`` may give the piece back: the player is neither owner nor doer,
        has laid no challenge, and holds a card that may be Give it back.
        """
        return (
            player in self.others
            and player not in self.ever_laid
            and bool(self.hands[player])
            and self.spent[player] < self.right[player]
        )

    # platform

    def pieces(self) -> int:
        """Return the number of pieces on the platform."""
        return sum(len(tower) for towers in self.zones.values() for tower in towers)

    def tops(self, zone: str) -> list[str]:
        """Return the names of the pieces on top in a zone, each once."""
        return sorted({tower[-1].name for tower in self.zones.get(zone, ())})

    def standing(self) -> list[tuple[str, str]]:
        """Return the name and the zone of each piece on the platform."""
        zones = self.zones.items()
        return [(piece.name, zone) for zone, towers in zones for t in towers for piece in t]

    def put(self, zone: str, names: tuple[str, ...], under: int, *, fresh: bool = True) -> None:
        """Put pieces onto the first tower of exactly ``under`` pieces; 0: onto the surface."""
        towers = list(self.zones.get(zone, ()))
        new = tuple(WarfarePiece(name, fresh) for name in names)
        if under:
            at = next(n for n, tower in enumerate(towers) if len(tower) == under)
            towers[at] += new
        else:
            towers.append(new)
        self.set_zone(zone, towers)

    def set_zone(self, zone: str, towers: list[Tower]) -> None:
        """Set the towers of a zone; a zone without pieces gets no entry."""
        kept = tuple(tower for tower in towers if tower)
        if kept:
            self.zones[zone] = kept
        else:
            self.zones.pop(zone, None)

    def remove(self, zone: str, name: str, *, top: bool = False) -> WarfarePiece | None:
        """Take a piece away: of equals one placed this turn, else the newest tower's, the topmost
        such. ``top``: only what lies on top. The tower closes up. None if there is no such piece.
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
        """Take away all that was placed in this turn."""
        gone = []
        for zone, towers in list(self.zones.items()):
            gone += [piece.name for tower in towers for piece in tower if piece.fresh]
            kept = [tuple(piece for piece in tower if not piece.fresh) for tower in towers]
            self.set_zone(zone, kept)
        return gone

    # troops

    def give(self, player: int, *names: str) -> None:
        """Put pieces into the player's troops."""
        self.troops[player] = tuple(sorted([*self.troops[player], *names]))

    def spend(self, player: int, names: tuple[str, ...]) -> None:
        """Take pieces out of the player's troops."""
        kept = Counter(self.troops[player]) - Counter(names)
        self.troops[player] = tuple(sorted(kept.elements()))

    def pay(self, player: int, cost: int) -> None:
        """Take points from a player, down to 0."""
        self.points[player] = max(0, self.points[player] - cost)

    def gem(self, player: int) -> None:
        """Give the player a green gem, while there are any."""
        if sum(self.gems) < GEMS:
            self.gems[player] += 1

    # cards

    def hold(self, player: int, *cards: str) -> None:
        """Put cards into the player's hand."""
        self.hands[player] = tuple(sorted([*self.hands[player], *cards]))

    def lose(self, player: int, card: str) -> None:
        """Remove ``card``, or an unknown card in its place, from the player's hand."""
        hand = list(self.hands[player])
        hand.remove(card if card in hand else UNKNOWN)
        self.hands[player] = tuple(hand)

    def lift(self, text: str, who: int | None = None) -> Token:
        """Take the first challenge of that text off the turn; ``who``: the player who laid it."""
        token = next(
            each
            for each in self.tokens
            if each.text == text and (who is None or (each.who == who and not each.deferred))
        )
        self.tokens = tuple(each for each in self.tokens if each is not token)
        return token

    def playable(self, player: int) -> list[str]:
        """Return the cards in the player's hand, each once; an unknown one can be any unseen."""
        hand = self.hands[player]
        found = {card for card in hand if card != UNKNOWN}
        if UNKNOWN in hand:
            found |= set(self.unseen()) - {"guardian"}
        return sorted(found)

    def unseen(self) -> Counter[str]:
        """Return how often each card of the deck is not in hands, turn, deferrals or discards."""
        seen = Counter(card for hand in self.hands for card in hand)
        seen.update([*self.discard, *self.used, *self.lying, *self.drawn])
        for token in (*self.tokens, *(t for each in self.deferred.values() for t in each)):
            seen.update(token.cards)
        return self.options.pack() - seen

    def pile(self, side: str) -> tuple[str, ...]:
        """Return the cards of the left or the right pile, top first."""
        return self.left if side == "left" else self.right_pile

    def draw(self, side: str, count: int) -> tuple[str, ...]:
        """Take cards off the top of a pile."""
        pile = self.pile(side)
        if side == "left":
            self.left = pile[count:]
        else:
            self.right_pile = pile[count:]
        return pile[:count]

    @property
    def phase(self) -> str:
        """The contract's name of the phase. It is ``deal`` before all else if no pile is large
        enough to draw from and there are cards for new ones.
        """
        if self.drawn:
            return "keep"
        if self.stage in ("heroes", "deal", "over"):
            return self.stage
        few, enough = (1, 1) if self.options.simple else (2, 3)
        piles = len(self.left), len(self.right_pile)
        wanted = max(piles) < few and sum(piles) + len(self.discard) >= enough
        return "deal" if wanted else self.stage

    # in force

    @property
    def event_now(self) -> WarfareEvent:
        """The event in progress; if none was played, a Keep it that the doer drew."""
        return self.event or WarfareEvent(self.doer, "keep-it")

    def names(self) -> set[str]:
        """Return the challenges laid on this turn, and those that Copy it copies."""
        found = {token.name for token in self.tokens}
        if COPY in found and self.last is not None:
            found |= set(self.last.challenges)
        return found

    @property
    def in_force(self) -> set[str]:
        """The names of the challenges in force in this turn."""
        return self.names() if self.fixed is None else set(self.fixed)

    def possible(self, card: str) -> bool:
        """Return whether ``card`` can be carried out together with the turn's challenges."""
        return self.impossible(card) is None

    def impossible(self, card: str) -> str | None:
        """Return why ``card`` cannot be combined with the turn's challenges, or None (rule W4)."""
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
