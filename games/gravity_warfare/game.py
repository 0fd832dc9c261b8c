"""Connects Gravity Warfare to the host: JSON state, refused moves, instructions and options."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tiltboard.games.base import (
    Credit,
    GameType,
    IllegalMoveError,
    OptionSpec,
    Outcome,
    PieceLook,
    Position,
    Preset,
    RulesError,
    Turn,
)
from tiltboard.games.gravity_warfare import bots as players
from tiltboard.games.gravity_warfare import data, evaluation, inference, moves, words
from tiltboard.games.gravity_warfare.data import COLOURS, Options
from tiltboard.games.gravity_warfare.reasons import why_not
from tiltboard.games.gravity_warfare.rules import WarfareRules
from tiltboard.games.gravity_warfare.state import ANY, WarfareState, spelt
from tiltboard.games.rules import Dice
from tiltboard.games.seated import Bot, SeatedGame, Witnessed, Words
from tiltboard.ground.override import override

SPIN = "spin-it"


class WarfareGame(SeatedGame):
    """A game of Gravity Warfare with fixed options."""

    name = "gravity-warfare"
    secret_options = tuple(spec.name for spec in data.SPECS if spec.secret)
    time_up = "table:time"

    def __init__(self, options: Options) -> None:
        self.chosen = options
        self.options = options.as_json()
        self.rules: WarfareRules = WarfareRules(options)
        self.players = COLOURS[: options.players]
        self.pieces = tuple(f"{player}-{kind}" for player in self.players for kind in data.KINDS)
        ring = ((1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0), (0, 1), (0, 2))
        self.board = dict(zip(data.ZONES, ring, strict=True))
        """Zone -> (column, row) in a 3 x 3 grid. The eight zones form a ring around the middle."""
        if options.team_size is not None:
            teams = options.players // options.team_size
            self.teams = tuple(self.players[team::teams] for team in range(teams))

    def cells(self, state: WarfareState) -> Mapping[str, str]:
        """Return the towers in each zone as text, oldest tower first, in the notation of the move
        ``table:see``.
        """
        zones = sorted(state.zones.items())
        return {zone: "/".join(map(spelt, towers)) for zone, towers in zones}

    def reserve(self, state: WarfareState) -> Mapping[str, int]:
        """Return how many troops each player has not yet placed, by player name."""
        return dict(zip(self.players, map(len, state.troops), strict=True))

    def outcome(self, position: Position) -> Outcome:
        """Return the result of the game: the players with the most points win. The outcome names
        one winner or one team only if that player or team leads alone.
        """
        won = self.rules.result(position.state) or ()
        names = tuple(self.players[player] for player in won)
        alone = names[0] if len(names) == 1 and not self.teams else None
        return Outcome(
            alone, "points", names if names in self.teams else None, {"winners": list(names)}
        )

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return a turn without physical actions, because people and sensors have already reported
        the moved pieces.
        """
        who = move.partition(":")[0]
        return Turn(move, who, (), (), after)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the error that explains why ``move`` is illegal, or None if the move is legal."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal() and move not in ("chance:heroes", "chance:shuffle"):
            return None
        number = self.rules.number(move)
        if number is not None and self.rules.allows(position.state, number):
            return None
        template, params = why_not(position.state, move)
        return IllegalMoveError(template, **params)

    @override
    def prompt(self, position: Position) -> Words:
        return words.prompt(position.state)

    def lit(self, position: Position) -> Sequence[str]:
        """Return the zones to light: the zone of the turn, or all zones if the player can choose
        the zone. Empty except while players lay cards or move pieces.
        """
        state = position.state
        if state.phase not in ("window", "place", "take") or state.zone is None:
            return ()
        return data.ZONES if state.zone == ANY else (state.zone,)

    def forced(self, position: Position) -> int:
        """Return the number of challenge cards in force in this turn."""
        return len(position.state.in_force)

    def passes(self, move: str) -> bool:
        """Return whether ``move`` is a player's pass or the report that the countdown has ended."""
        return move == self.time_up or move.endswith(":pass")

    def takes_back(self, move: str) -> bool:
        """Return whether players can undo the move. Players can undo a move that reports pieces
        that people placed, took or moved, or a change that the sensors detected. Such reports can
        be wrong.
        """
        return move.partition(":")[2].startswith(("place:", "event:", "take:", "see:"))

    def at_once(self, position: Position) -> bool:
        """Return whether the host makes the next chance move automatically: giving out heroes, or
        shuffling used cards into new piles during a round.
        """
        state: WarfareState = position.state
        return state.phase == "heroes" or (state.phase == "deal" and state.stage != "deal")

    def rolls(self, position: Position) -> bool:
        """Return whether the next move is a roll of dice. A deal of cards is not a roll, because
        any player can deal.
        """
        state: WarfareState = position.state
        return state.phase in ("roll", "dice")

    def witnessed(
        self,
        position: Position,
        change: Mapping[str, int],
        wish: str | None,
        turned: bool | None = None,
    ) -> Witnessed | None:
        """Return the move that explains a change of the platform, or None (see
        ``inference.witnessed``). The move is marked as uncertain if the challenge *Spin it* is in
        force and the platform was not spun.
        """
        state = position.state
        found = inference.witnessed(state, change, wish)
        if found is not None and turned is False and self.spins(position):
            return replace(found, sure=False)
        return found

    def standing(self, position: Position) -> Mapping[str, int]:
        """Return the number of towers in each zone. The sensors do not detect pieces that lie on
        other pieces.
        """
        return {zone: len(towers) for zone, towers in position.state.zones.items()}

    def failure(self, position: Position, move: str) -> str | None:
        """Return the move that reports the failure of this placement or event, or None for any
        other move.
        """
        return moves.failing(move) if move.split(":")[1] in ("place", "event") else None

    def spins(self, position: Position) -> bool:
        """Return whether the challenge *Spin it* is in force. The platform must then spin."""
        return SPIN in position.state.in_force

    @override
    def attempted(self, position: Position, move: str, dice: random.Random) -> str:
        return evaluation.attempted(position.state, move, dice)

    @property
    def texts(self) -> Sequence[str]:
        """All texts of the built-in deck, for translation."""
        return words.texts()

    @override
    def bot(self, view: Position, player: str, level: str, dice: random.Random) -> Bot | None:
        if not view.legal():
            return None
        return players.Player(view.state, self.players.index(player), level, dice)

    @property
    def glossary(self) -> Mapping[str, tuple[str, str]]:
        """Titles and explanations of the zones, cards, heroes and kinds of troops, by name."""
        return words.glossary(self.chosen)

    def more(self, position: Position) -> Mapping[str, Any]:
        """Return the entries of a position's JSON object that exist only in Gravity Warfare."""
        state: WarfareState = position.state
        named = self.players

        def by_seat(values: Iterable[Any]) -> dict[str, Any]:
            return dict(zip(named, values, strict=True))

        turn = {
            "doer": named[state.doer],
            "zone": state.zone,
            "troop": list(state.troop),
            "challenges": sorted(state.in_force),
            "cards": [[named[token.who], token.text] for token in state.tokens],
        }
        deferred = sorted(state.deferred.items())
        return {
            "awaiting": list(position.awaiting),
            "phase": state.phase,
            "round": state.round,
            "cells": {zone: list(map(spelt, on)) for zone, on in sorted(state.zones.items())},
            "troops": by_seat(map(list, state.troops)),
            "aside": list(state.aside),
            "points": by_seat(state.points),
            "gems": by_seat(state.gems),
            "hands": by_seat(map(list, state.hands)),
            "drawn": list(state.drawn),
            "heroes": {named[player]: hero for player, hero in sorted(state.heroes.items())},
            "used": [named[player] for player in sorted(state.used_heroes)],
            "piles": {
                "left": len(state.left),
                "right": len(state.right_pile),
                "discard": len(state.discard),
            },
            "deferred": {named[who]: [token.text for token in tokens] for who, tokens in deferred},
            "turn": None if state.stage in ("heroes", "deal", "over") else turn,
        }

    def completed(self, position: Position, move: str, dice: Dice) -> str:
        """Return the move after filling in random heroes, shuffled cards or fallen pieces."""
        return moves.completed(position.state, move, dice)

    def shown_move(self, move: str, player: str) -> str:
        """Return the move without the names of the dealt heroes and cards, which players must not
        see.
        """
        for stem in ("chance:heroes", "chance:shuffle"):
            if move.startswith(stem):
                return stem
        return move


class WarfareType(GameType):
    """The game type Gravity Warfare, which creates games from options."""

    name = "gravity-warfare"
    credit = Credit(
        "Gravity Warfare",
        "Luis, Amelia and Daniel Machado",
        2017,
        "Gravity Warfare (WarpGame) is a registered trademark and patented. Numbers of cards, "
        "zones and heroes are our own: they are not in its rules.",
    )
    option_specs: Sequence[OptionSpec] = data.SPECS
    emblem = ("platform",)
    looks: Mapping[str, PieceLook] = {
        "platform": PieceLook(form="platform", paint="slate"),
        **{
            f"{of}-{kind}": PieceLook(paint=of, body=data.BODIES[kind])
            for of in COLOURS
            for kind in data.KINDS
        },
    }
    aim = "Dice, cards and a platform that tilts. Build high, and don't let anything fall."
    rules_summary = (
        "Roll for a zone and a troop, wait for what the others lay, and put the piece into that "
        "zone of the tilting platform. Nothing may fall.",
        "A troop that holds is worth a point, and one more for every piece under it.",
        "The others make it harder with challenges: with the eyes closed, with chopsticks, two "
        "together. Defences put them off, and events move pieces.",
        "A failed placement takes the turn's pieces back and costs a point if something fell. "
        "Where four pieces fall, or somebody has no troop left, the round is over.",
        "Three rounds; most points win.",
    )
    presets = tuple(
        Preset({"Mode": label, "Players": str(players)}, {"mode": mode, "players": players}, about)
        for label, mode, counts, about in (
            (
                "Battle",
                data.BATTLE,
                (3, 2, 4, 5, 6),
                "Everyone holds cards and a hero. Make it hard for the others.",
            ),
            (
                "Simple",
                data.SIMPLE,
                (3, 2, 4, 5, 6),
                "To begin with: no hands, no heroes. Draw a card, and place your piece as it says.",
            ),
            (
                "Teams",
                data.TEAMS,
                (4, 6),
                "Like Battle, with partners. Your points count together.",
            ),
            (
                "One against one",
                data.DUEL,
                (2,),
                "Like Battle, for two: ten cards each, and two challenges a turn.",
            ),
        )
        for players in counts
    )
    at_the_table = False
    seated = True

    @override
    def largest_files(self) -> Mapping[str, str]:
        return {"deck": data.largest_deck()}

    @override
    def create(self, options: Mapping[str, Any]) -> WarfareGame:
        return WarfareGame(data.read(options))


GRAVITY_WARFARE = WarfareType()
