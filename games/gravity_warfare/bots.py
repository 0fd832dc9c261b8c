"""Bots for Gravity Warfare. A bot chooses its move only from what its player can see.

There are three levels. ``easy`` plays at random and passes often. ``medium`` follows rules of
thumb. ``hard`` also estimates the value of keeping a card. It compares its best moves by playouts
in imagined states, in which the unseen cards are dealt at random.

People place the pieces, so a bot can only ask for a placement.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from tiltboard.games.gravity_warfare import evaluation
from tiltboard.games.gravity_warfare.cards import GIVE, GUARD, HOLE, SELF
from tiltboard.games.gravity_warfare.data import COLOURS
from tiltboard.games.gravity_warfare.state import BLIND, MOUNT, TELEPORT, WarfareState
from tiltboard.games.gravity_warfare.words import ABILITIES, card_said
from tiltboard.games.seated import Phrase, Words

LEVELS = ("easy", "medium", "hard")
# Maximum number of playouts that a hard bot makes for one move, divided equally among the candidate
# moves.
SLICES = 48
CANDIDATES = 6
# Minimum average gain, in points, by which a move must be better than passing. If passing is not
# allowed, the move must be better than the medium bot's move by this gain.
MARGIN = 0.05
MIN_TOLD = 0.1  # Minimum gain, in points, for which the explanation of a move states the gain.
# Maximum number of troops left for a player who counts as close to placing the last troop.
NEAR = 2
WEIGHED = ("pass", "play", "hero", "place", "event", "choose", "withdraw", "name", "draw")


class Player:
    """A bot that computes in short slices of time, so that the host never waits for the bot.
    ``best`` is the best move found so far.
    """

    def __init__(self, view: WarfareState, player: int, level: str, dice: random.Random) -> None:
        self._player, self._level, self._dice = player, level, dice
        self._table, self._legal = (
            view,
            evaluation.plausible_moves(view.seen.legal if view.seen else ()),
        )
        self.best = self._first()
        self._gain = 0.0  # Average gain of ``best`` over passing, in points.
        self._slices = self._weigh() if level == "hard" else iter(())

    def _first(self) -> str:
        if self._level == "easy":
            quiet = [move for move in self._legal if move.endswith(":pass")]
            idle = quiet and self._dice.random() < 0.7
            return str(self._dice.choice(quiet if idle else self._legal))
        keen = self._level == "hard"
        return evaluation.heuristic_move(
            self._table, self._player, self._legal, self._dice, keen=keen
        )

    def think(self) -> bool:
        """Compute for one slice of time, at most a few hundred moves. Return False if the
        computation is complete.
        """
        return next(self._slices, None) is not None

    def _weigh(self) -> Iterator[bool]:
        """Play each candidate move in the same imagined states with the same dice, and compare the
        average results.
        """
        first, *others = self._candidates()
        if not others:
            return
        sums = dict.fromkeys((first, *others), 0.0)
        worlds = SLICES // (1 + len(others))
        for made in range(1, worlds + 1):
            world, luck = evaluation.sample_world(self._table, self._dice), self._dice.random()
            for move in sums:
                sums[move] += evaluation.expected_value(
                    world, self._player, move, random.Random(luck)
                )
                yield True
            better = max(others, key=sums.__getitem__)
            clearly = made > worlds / 2 and sums[better] > sums[first] + made * MARGIN
            self.best = better if clearly else first
            quiet = next((move for move in sums if move.endswith(":pass")), self.best)
            self._gain = (sums[self.best] - sums[quiet]) / made

    @property
    def why(self) -> Words:
        """The reason for the move ``best``: the expected gain in points, and the chance that pieces
        stay on the platform.
        """
        template, params = why(self._table, self._player, self.best)
        if self._gain < MIN_TOLD:
            return template, params
        return "{why} By the end of the turn it is worth {points} points more than to pass.", {
            "why": Phrase(template, params), "points": round(self._gain, 1),
        }  # fmt: skip

    def _candidates(self) -> list[str]:
        table, player = self._table, self._player
        if table.phase in ("refill", "keep", "take", "blocked"):
            return [self.best]
        fit = [move for move in self._legal if move.split(":")[1] in WEIGHED]
        ranked = sorted(fit, key=lambda move: -evaluation.score(table, player, move, self._dice))
        quiet = [move for move in fit if move.endswith(":pass")]
        return list(dict.fromkeys([*quiet, self.best, *ranked]))[:CANDIDATES]


def why(s: WarfareState, player: int, move: str) -> Words:
    """Return the reason for ``move`` as a template and its parameters, based only on what the
    player can see.
    """
    _, what, *words = move.split(":")
    said: dict[str, object]
    match what:
        case "place":
            said = {
                "share": round(100 * evaluation.success_probability(s, move)),
                "high": evaluation.under(move),
            }
            if not said["high"] or s.free_zone or {MOUNT, TELEPORT} & set(s.fixed or ()):
                return "It holds {share} % of the time.", said
            return (
                "It holds {share} % of the time, and each piece under it is a point: {high} more.",
                said,
            )
        case "play":
            return _why_play(s, player, words)
        case "pass" if s.phase == "after":
            return "A card that is kept will gain more later.", {}
        case "pass" if s.phase == "window":
            return _why_pass(s, player)
        case "keep":
            kept, other = s.drawn[int(words[0]) - 1], s.drawn[2 - int(words[0])]
            if evaluation.card_value(kept) > evaluation.card_value(other):
                said = {"card": card_said(kept)}
                return "{card} is worth more: it helps where a turn is hard.", said
            return "Either will do: both make another's turn harder or save one of yours.", {}
        case "buy":
            said = {"points": s.points[player]}
            return "You have points to spare ({points}), and few cards.", said
        case "draw":
            return (
                "A card costs nothing now, and the piles are alike: nobody knows what is on top.",
                {},
            )
        case "hero":
            ability = s.options.box.heroes[words[0]]
            return "It costs nothing, once in a round. {what}", {"what": ABILITIES[ability]}
        case "pay":
            return "A piece that is placed now is worth more than a gem.", {}
        case "choose":
            rest = [token.name for token in s.tokens if token.name != BLIND]
            said = {"one": _share(s, [BLIND]), "other": _share(s, rest)}
            return "Blindfolded holds {one} % of the time, the other cards {other} %.", said
        case "name":
            said = {"share": _share(s, words[:1])}
            return "Done so, a piece holds {share} % of the time.", said
        case "event" if words[-1] in COLOURS:
            left = len(s.troops[COLOURS.index(words[-1])])
            said = {"who": words[-1], "left": left}
            return "So {who} is further from the last piece ({left} left).", said
        case "withdraw":
            return "A card gains less here than on a later turn.", {}
    return "Nothing else gains more now.", {}


def _share(s: WarfareState, names: Collection[str]) -> int:
    """Return the estimated chance, in percent, that a placed piece stays on the platform while the
    challenges ``names`` are in force.
    """
    return round(100 * evaluation.stability(s, names))


def _why_play(s: WarfareState, player: int, words: list[str]) -> Words:
    """Return the reason for playing a card. ``words`` contains the name of the card, and the player
    or challenge at which the card is aimed.
    """
    name, named = words[0].rpartition("=")[2], words[-1]
    left, ahead = len(s.troops[s.owner]), s.points[s.owner] - s.points[player]
    eased = () if name == GUARD else s.in_force - {named.rpartition("=")[2]}
    said = {
        "owner": COLOURS[s.owner], "left": left, "points": ahead, "who": named,
        "lies": _share(s, s.in_force), "eased": _share(s, eased),
        "share": _share(s, s.in_force | {name}),
    }  # fmt: skip
    if name == SELF and named == COLOURS[player]:
        return "So you place it yourself, and have the points for what lies under it.", said
    if name == SELF:
        return "As it lies it holds {lies} % of the time, and {who} pays for what falls.", said
    if name in {GUARD, HOLE}:
        return "So it holds {eased} % of the time; as it lies {lies} %.", said
    if name == GIVE:
        return "So {owner} has the piece back, and is a step further from the last one.", said
    if s.options.box.cards.get(name) == "event":
        return "It can hand one of the others a piece more, or take one out of your way.", said
    if left <= NEAR:
        return (
            "{owner} is near the last piece ({left} left): so it holds {share} % of the time, not "
            "{lies} %.",
            said,
        )
    template = "So it holds {share} % of the time, not {lies} %."
    if ahead > 0:
        template = "{owner} leads you by {points}: so it holds {share} % of the time, not {lies} %."
    return template, said


def _why_pass(s: WarfareState, player: int) -> Words:
    left, partners = len(s.troops[s.owner]), s.options.partners(player)
    said = {"owner": COLOURS[s.owner], "lies": _share(s, s.in_force), "left": left}
    if s.doer in partners or s.owner in partners:
        return "As it lies it holds {lies} % of the time: keep your cards for a harder turn.", said
    if s.in_force:
        return "It is hard enough: it holds {lies} % of the time. Keep your cards for later.", said
    if left > NEAR:
        return "{owner} still has {left} pieces: a card is worth more near the last one.", said
    return "A card gains less here than on a later turn.", said
