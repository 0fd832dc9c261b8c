"""Gravity Trap in a second implementation, directly from the rules: ships and pods by name.

This module shares no code with ``games``; it reads the files of the shipped boards with code of its
own. ``python tests/games/gravity_trap/gravity_trap_oracle.py >
tests/games/data/gravity-trap.jsonl`` records the playthroughs.
"""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path

BOARDS = Path(__file__).parents[3] / "games" / "gravity_trap" / "boards"


def from_toml(text):
    """Return the tracks and the opposite bases of a shipped board, which has a symmetry of a half
    turn.
    """
    data = tomllib.loads(text)
    at = {base: tuple(place) for base, place in data["positions"].items()}
    base_at = {place: base for base, place in at.items()}
    turned = {base: base_at[9 - x, 9 - y] for base, (x, y) in at.items()}
    tracks = [[str(base) for base in track["bases"]] for track in data["track"]]
    return tracks, turned


class Oracle:
    """A game in progress. ``options``: the options in the form of the contract."""

    def __init__(self, options):
        board = options.get("board", "whirl")
        if isinstance(board, str):
            self.tracks, opposite = from_toml((BOARDS / f"{board}.toml").read_text())
        else:
            self.tracks = [[str(base) for base in track] for track in board["tracks"]]
            opposite = {}
            for base, other in (board.get("opposite") or {}).items():
                opposite[base] = str(other)
                opposite[str(other)] = base
        self.bases = {base for track in self.tracks for base in track}
        self.opposite = opposite if options.get("mirror") != "allow" else {}
        self.ship = {}
        self.pods = set()
        self.turns = []
        self.result = None

    def copy(self):
        other = object.__new__(Oracle)
        other.__dict__.update(self.__dict__)
        other.ship, other.pods, other.turns = dict(self.ship), set(self.pods), list(self.turns)
        return other

    def after(self, move):
        other = self.copy()
        other.play(move)
        return other

    def mover(self):
        return ["red", "blue"][len(self.turns) % 2]

    def reachable(self, colour):
        here = self.ship[colour]
        return {
            base for track in self.tracks if here in track for base in track if base in self.pods
        }

    def has_only_copied(self):
        """Return whether the second player has only copied, from the start on."""
        return all(
            self.opposite.get(self.turns[index]) == self.turns[index + 1]
            for index in range(0, len(self.turns) - 1, 2)
        )

    def legal(self):
        if self.result:
            return []
        if len(self.turns) < 2:
            return sorted(self.bases - set(self.ship.values()))
        moves = self.reachable(self.mover())
        if self.mover() == "blue" and self.has_only_copied():
            moves = moves - {self.opposite.get(self.turns[-1])} or moves
        return sorted(moves)

    def play(self, move):
        colour = self.mover()
        self.ship[colour] = move
        self.turns.append(move)
        if len(self.turns) == 2:
            self.pods = self.bases - set(self.ship.values())
            if not self.reachable("red"):
                self.wins("blue")
        elif len(self.turns) > 2:
            self.pods.remove(move)
            rival = self.mover()
            if not self.reachable(colour):
                self.wins(rival)
            elif not self.reachable(rival):
                self.wins(colour)

    def wins(self, colour):
        margin = len(self.reachable(colour))
        self.result = {"winner": colour, "reason": "stuck", "margin": margin}

    def describe(self):
        ships = {base: colour for colour, base in self.ship.items()}
        return {
            "to_move": None if self.result else self.mover(),
            "cells": {**dict.fromkeys(self.pods, "pod"), **ships},
            "reserve": {},
            "legal": self.legal(),
            "result": self.result,
        }


RING = [[1, 2, 3, 4], [3, 4, 5, 6], [5, 6, 7, 8], [7, 8, 1, 2]]
HALF_TURN = {"1": 5, "2": 6, "3": 7, "4": 8}
RECORDED = [
    {},
    {},
    {},
    {"mirror": "allow"},
    {"board": "whirl", "mirror": "no-copy"},
    {"board": {"tracks": RING, "opposite": HALF_TURN}},
    {"board": {"tracks": RING, "opposite": HALF_TURN}},
    {"board": {"tracks": RING, "opposite": HALF_TURN}, "mirror": "allow"},
    {"board": {"tracks": RING}},
    {"board": {"tracks": [[1, 2, 3]]}},
    {"board": {"tracks": [[1, 2], [3, 4, 5]]}},
]


def record(options, rng):
    game = Oracle(options)
    positions = [game.describe()]
    while not game.result:
        moves = game.legal()
        copy = game.opposite.get(game.turns[-1]) if len(game.turns) % 2 else None
        game.play(copy if copy in moves and rng.random() < 0.7 else rng.choice(moves))
        positions.append(game.describe())
    question = {"game": "gravity-trap", "options": options, "moves": game.turns}
    return {"question": question, "positions": positions}


if __name__ == "__main__":
    for seed, options in enumerate(RECORDED):
        print(json.dumps(record(options, random.Random(seed)), separators=(",", ":")))
