"""The contents of a box of Gravity Warfare (cards, heroes and dice) and the options of a game.

The rules (docs/rules.md) state neither how many cards of each name there are nor the names of the
heroes. The file ``default.toml`` specifies both.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tiltboard.games.base import OptionError, OptionSpec, PieceBody, checked

COLOURS = ("red", "blue", "white", "green", "yellow", "black")
KINDS = ("fighter", "ship", "tank")
BODIES = {
    "fighter": PieceBody(mass_g=16.0),
    "ship": PieceBody(mass_g=20.0),
    "tank": PieceBody(mass_g=24.0),
}
ZONES = tuple("12345678")
BATTLE, SIMPLE, TEAMS, DUEL = MODES = ("battle", "simple", "teams", "1v1")
PAPER = "paper"
HAND = 6
# Maximum sizes of a deck: the number of different cards, the number of all cards, the number of
# heroes, and the number of characters in a name. The built-in deck has 15 different cards, 65 cards
# in total and 10 heroes.
MAX_KINDS, MAX_CARDS, MAX_HEROES, MAX_WORD = 60, 400, 40, 40
_WORD = re.compile(rf"[^:=+@/? ]{{1,{MAX_WORD}}}")
FACES = ("universe", "mothership")
NOT_SIMPLE = ("space-time-hole", "give-it-back")
KINDS_OF_CARDS = {
    "guardian": "defence", "space-time-hole": "defence", "do-it-yourself": "defence",
    "keep-it": "event", "give-it-back": "event", "antimatter": "wild",
}  # fmt: skip
"""The kind of each card that is not a challenge, by card name.

A card with a name that is not listed here is a challenge. If the rules do not describe a challenge,
the players themselves judge whether the challenge was met.
"""
ABILITIES = (
    *("reuse", "free-zone", "free-troop", "cancel", "reroll-zone"),
    *("extra", "draw", "gem", "reward", "save"),
)

SPECS: tuple[OptionSpec, ...] = (
    OptionSpec(
        "mode", "choice", "How the game is played.", BATTLE, choices=MODES,
        label="Mode", choice_labels=("Battle", "Simple", "Teams", "One against one"),
    ),
    OptionSpec("players", "int", "Number of players; 3 is usual.", None, 2, 6, label="Players"),
    OptionSpec(
        "team_size", "int", "How many players are on a team.", None, 2, 3, label="Team size"
    ),
    OptionSpec("rounds", "int", "Rounds of the game.", 3, 1, 9, label="Rounds"),
    OptionSpec(
        "face", "choice", "Which side of the platform is up.", "universe",
        choices=FACES, label="Platform side", choice_labels=("Universe", "Mothership"),
    ),
    OptionSpec(
        "seed", "int", "Fixes how the host shuffles and rolls.", 0, 0, 2**128 - 1, label="Seed",
        secret=True,
    ),
    OptionSpec(
        "cards", "choice", "Hold real cards, or see them on your phones.", "digital",
        choices=("digital", PAPER), label="Cards", choice_labels=("on the phones", "of paper"),
    ),
    OptionSpec(
        "teleport_event", "bool", "Play it as soon as it's drawn.", default=False,
        label="Teleport it!",
    ),
    OptionSpec(
        "deck", "board", "Your own cards, heroes and zones, from a file.", "default",
        choices=("default",),
        label="Deck",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Box:
    """A validated deck: cards, heroes, dice and names of zones."""

    cards: Mapping[str, str]
    """Kind of each card, by card name: ``challenge``, ``defence``, ``event`` or ``wild``."""
    counts: Mapping[str, int]
    """Number of cards of each name in the deck."""
    simple: Mapping[str, int]
    """Number of cards of each name in the deck for Simple mode."""
    heroes: Mapping[str, str]
    """Ability of each hero, by hero name."""
    die: tuple[str, ...]
    """Kinds of troops on the faces of the troop die, sorted and without duplicates."""
    zones: Mapping[str, tuple[str, ...]]
    """Names of the eight zones on each side of the platform. A side that the deck does not name has
    no entry.
    """


@dataclass(frozen=True)
class Options:
    """All options of a game, validated, and the values derived from them."""

    mode: str
    players: int
    team_size: int | None
    rounds: int
    face: str
    seed: int
    cards: str
    teleport_event: bool
    deck: str | Mapping[str, Any]
    """Value of the option ``deck``: a name, or the content of a deck file."""
    box: Box

    @property
    def simple(self) -> bool:
        """True in Simple mode, in which turns begin with drawing a card and no hands are dealt."""
        return self.mode == SIMPLE

    @property
    def paper(self) -> bool:
        """True if the players use paper cards, so that the host does not know the hands."""
        return self.cards == PAPER

    @property
    def dealt(self) -> int:
        """Number of cards dealt to each player in addition to the Guardian card. Not used in Simple
        mode.
        """
        return 9 if self.mode == DUEL else 5

    def as_json(self) -> dict[str, Any]:
        """Return the options as JSON types, in the order of ``SPECS``."""
        return {spec.name: getattr(self, spec.name) for spec in SPECS}

    def pack(self) -> Counter[str]:
        """Return the number of cards of each name in the deck of this mode, with one Guardian per
        player.
        """
        counts = dict(self.box.simple if self.simple else self.box.counts)
        counts["guardian"] = self.players
        return Counter({name: count for name, count in counts.items() if count > 0})

    def partners(self, player: int) -> tuple[int, ...]:
        """Return the numbers of all players on ``player``'s team, including ``player``."""
        if self.team_size is None:
            return (player,)
        teams = self.players // self.team_size
        return tuple(each for each in range(self.players) if each % teams == player % teams)


def largest_deck() -> str:
    """Return the text of a deck file of the maximum size: with as many cards, kinds of cards and
    heroes as ``box_of`` accepts.
    """
    each = MAX_CARDS // MAX_KINDS
    names = ["guardian", *(f"c{number}" for number in range(1, MAX_KINDS))]
    cards = [f'[[card]]\nname = "{name}"\ncount = {each}\n' for name in names]
    heroes = [f'[[hero]]\nname = "h{n}"\nability = "gem"\n' for n in range(MAX_HEROES)]
    return "".join((*cards, *heroes))


@cache
def default_box() -> Box:
    """Return the built-in deck."""
    text = (resources.files(__package__) / "default.toml").read_text(encoding="utf-8")
    return box_of(tomllib.loads(text))


def box_of(data: Mapping[str, Any]) -> Box:
    """Validate the content of a deck file and return the deck. Raises OptionError if an entry is
    invalid.
    """
    cards, counts, simple = {}, {}, {}
    for entry in _tables(data, "card", MAX_KINDS):
        name = _word(entry, "card")
        if name in cards:
            raise OptionError("The deck has two cards named {name}.", name=name)
        cards[name] = KINDS_OF_CARDS.get(name, "challenge")
        counts[name] = _count(entry, "count", 1)
        simple[name] = 0 if name in NOT_SIMPLE else _count(entry, "simple", counts[name])
    if max(sum(counts.values()), sum(simple.values())) > MAX_CARDS:
        raise OptionError("A deck has at most {most} cards.", most=MAX_CARDS)
    heroes = {}
    for entry in _tables(data, "hero", MAX_HEROES):
        name, ability = _word(entry, "hero"), entry.get("ability")
        if ability not in ABILITIES:
            raise OptionError(
                "Hero {name}: there is no ability {ability}; there are: {known}.",
                name=name, ability=ability, known=", ".join(ABILITIES),
            )  # fmt: skip
        heroes[name] = ability
    die = data.get("troop_die", ["tank", "fighter", "ship"])
    if not isinstance(die, list) or not die or any(kind not in KINDS for kind in die):
        raise OptionError("troop_die must be a list of {known}.", known=", ".join(KINDS))
    faces = {}
    for entry in _tables(data, "face", len(FACES)):
        face, zones = entry.get("name"), entry.get("zones")
        named = zones if isinstance(zones, list) else []
        zones = [zone for zone in named if isinstance(zone, str) and 0 < len(zone) <= MAX_WORD]
        if face not in FACES:
            raise OptionError("A face is {known}, not {name}.", known=" or ".join(FACES), name=face)
        if len(zones) != len(ZONES):
            raise OptionError("Face {name} needs the names of its eight zones.", name=face)
        faces[face] = tuple(zones)
    return Box(cards, counts, simple, heroes, tuple(sorted(set(die))), faces)


def _tables(data: Mapping[str, Any], key: str, most: int) -> list[Mapping[str, Any]]:
    found = data.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise OptionError("A deck's {key} must be a list of tables.", key=key)
    if len(found) > most:
        raise OptionError("A deck's {key} has at most {most} entries.", key=key, most=most)
    return found


def _word(entry: Mapping[str, Any], what: str) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or not name.isprintable() or not _WORD.fullmatch(name):
        raise OptionError("A {what} needs a name of one word: {name}.", what=what, name=name)
    return name


def _count(entry: Mapping[str, Any], key: str, usual: int) -> int:
    count = entry.get(key, usual)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 99:
        raise OptionError(
            "Card {name}: {key} must be a number from 0 to 99.", name=entry["name"], key=key
        )
    return count


def read(given: Mapping[str, Any]) -> Options:
    """Validate options given as JSON types and fill in the defaults. Raises OptionError."""
    values = {spec.name: spec.default for spec in SPECS} | checked("Gravity Warfare", SPECS, given)
    mode, players, size, deck = (values[key] for key in ("mode", "players", "team_size", "deck"))
    if mode == TEAMS:
        size = size or 2
        players = players or 2 * size
        if players not in (4, 6) or players % size:
            raise OptionError(
                "{players} players make no even teams of {size}: teams play with 4 or 6.",
                players=players, size=size,
            )  # fmt: skip
    else:
        players = players or (2 if mode == DUEL else 3)
        if size is not None:
            raise OptionError("team_size is for mode=teams only.")
        if mode == DUEL and players != 2:
            raise OptionError("mode=1v1 is for 2 players.")
    if values["teleport_event"] and mode == SIMPLE:
        raise OptionError("teleport_event is not for mode=simple.")
    box = default_box() if isinstance(deck, str) else box_of(deck)
    guardians = box.counts.get("guardian", 0)
    if guardians < players:
        raise OptionError(
            "This deck has {count} Guardians; it needs one for each player.", count=guardians
        )
    options = Options(**{**values, "players": players, "team_size": size}, box=box)
    pack = options.pack()
    if mode == SIMPLE:
        if all(box.cards[name] == "defence" for name in pack):
            raise OptionError("This deck has nothing but defences, which decide no turn.")
        return options
    dealt = players * options.dealt
    if pack.total() - players < dealt:
        raise OptionError("This deck has too few cards for the deal: it needs {n}.", n=dealt)
    if len(box.heroes) < players:
        raise OptionError("This deck has too few heroes: it needs one for each player.")
    return options
