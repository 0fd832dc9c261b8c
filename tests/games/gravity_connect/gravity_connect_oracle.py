"""Gravity Connect in a second implementation, directly from the rules: a tile moves cell by cell.

This module shares no code with ``games``. ``python
tests/games/gravity_connect/gravity_connect_oracle.py > tests/games/data/gravity-connect.jsonl``
records the playthroughs.
"""

from __future__ import annotations

import copy
import json
import random

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WAYS = {"left": (1, 0), "right": (-1, 0), "top": (0, 1), "bottom": (0, -1)}


class Oracle:
    """A game in progress. ``options``: the options in the form of the contract."""

    def __init__(self, options):
        self.size = options.get("size", 9)
        self.line = options.get("line", 5)
        self.on = {}  # The colour of each tile, by column and row from 1; row 1 is at the top.
        self.turns = []
        self.sides = []
        self.result = None

    def inside(self, cell):
        return 1 <= cell[0] <= self.size and 1 <= cell[1] <= self.size

    def slots(self):
        """Return each slot's side, and the cell outside the board from which its tile enters."""
        found = {}
        for k in range(1, self.size + 1):
            found[str(k)] = ("left", (0, k))
            found[str(self.size + k)] = ("right", (self.size + 1, k))
            found[LETTERS[k - 1]] = ("top", (k, 0))
            found[LETTERS[self.size + k - 1]] = ("bottom", (k, self.size + 1))
        return found

    def mover(self):
        return ["red", "blue"][len(self.turns) % 2]

    def way(self, slot):
        """Return the cells that a tile passes after its entry, or an empty list if the line is
        full.
        """
        side, (x, y) = self.slots()[slot]
        dx, dy = WAYS[side]
        x, y = x + dx, y + dy
        while (x, y) in self.on:
            x, y = x + dx, y + dy
        passed = []
        while self.inside((x, y)) and (x, y) not in self.on:
            passed.append((x, y))
            x, y = x + dx, y + dy
        return passed

    def legal(self):
        if self.result:
            return []
        last_own = self.sides[-2] if len(self.sides) > 1 else None
        found = [s for s, (side, _) in self.slots().items() if side != last_own and self.way(s)]
        return sorted(found)

    def play(self, slot):
        colour = self.mover()
        self.on[self.way(slot)[-1]] = colour
        self.turns.append(slot)
        self.sides.append(self.slots()[slot][0])
        if self.connected(colour):
            self.result = {"winner": colour, "reason": "line"}
        elif len(self.on) == self.size**2:
            self.result = {"winner": "blue", "reason": "full"}

    def connected(self, colour):
        mine = [cell for cell, owner in self.on.items() if owner == colour]
        return any(
            all(self.on.get((x + dx * k, y + dy * k)) == colour for k in range(self.line))
            for x, y in mine
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def after(self, move):
        other = copy.deepcopy(self)
        other.play(move)
        return other

    def describe(self):
        return {
            "to_move": None if self.result else self.mover(),
            "cells": {LETTERS[x - 1] + str(y): colour for (x, y), colour in self.on.items()},
            "reserve": {},
            "legal": self.legal(),
            "result": self.result,
        }


RECORDED = [
    {},
    {},
    {"size": 13},
    {"size": 13, "line": 7},
    {"size": 7, "line": 4},
    {"size": 6, "line": 6},
    {"size": 5},
    {"size": 4},
    {"size": 3, "line": 3},
    {"size": 4, "line": 2},
    {"size": 1},
    {"size": 2, "line": 1},
]


def record(options, rng):
    game = Oracle(options)
    positions = [game.describe()]
    while not game.result:
        game.play(rng.choice(game.legal()))
        positions.append(game.describe())
    question = {"game": "gravity-connect", "options": options, "moves": game.turns}
    return {"question": question, "positions": positions}


if __name__ == "__main__":
    for seed, options in enumerate(RECORDED):
        print(json.dumps(record(options, random.Random(seed)), separators=(",", ":")))
