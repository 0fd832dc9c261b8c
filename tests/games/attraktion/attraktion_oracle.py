"""Attraktion in a second implementation, directly from the rules: pieces in a dict, moved one step
at a time.

This module shares no code with ``games``. ``python tests/games/attraktion/attraktion_oracle.py >
tests/games/data/attraktion.jsonl`` records the playthroughs.
"""

from __future__ import annotations

import copy
import json
import random


class Oracle:
    """A game in progress. ``options``: the options in the form of the contract."""

    def __init__(self, options):
        self.size = options.get("size", 10)
        spaces = self.size * self.size
        half = spaces // 2 if spaces % 2 == 0 else spaces // 2 + 1
        each = options.get("pieces", half)
        self.box = {"white": each, "black": each}
        self.on = {}  # The colour of each piece, by column and row from 1.
        self.turns = []
        self.result = None

    def name(self, space):
        return "?abcdefghijklmnopqrstuvwxyz"[space[0]] + str(space[1])

    def spaces(self):
        whole = range(1, self.size + 1)
        return {self.name((x, y)): (x, y) for x in whole for y in whole}

    def mover(self):
        return ["white", "black"][len(self.turns) % 2]

    def play(self, move):
        x, y = self.spaces()[move]
        assert (x, y) not in self.on
        mover = self.mover()
        self.on[x, y] = mover
        self.box[mover] -= 1
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            for away in range(2, self.size):
                here = (x + dx * away, y + dy * away)
                nearer = (here[0] - dx, here[1] - dy)
                if here in self.on and nearer not in self.on:
                    self.on[nearer] = self.on.pop(here)
        self.turns.append(move)
        self.result = self.judge()

    def winning(self, colour):
        opposing = {"white": "black", "black": "white"}[colour]
        return sorted(
            self.name((x, y))
            for (x, y), piece in self.on.items()
            if piece == colour
            and self.on.get((x + 1, y + 1)) == opposing
            and self.on.get((x + 1, y - 1)) == opposing
            and self.on.get((x - 1, y + 1)) == opposing
            and self.on.get((x - 1, y - 1)) == opposing
        )

    def judge(self):
        positions = {"white": self.winning("white"), "black": self.winning("black")}
        white, black = len(positions["white"]), len(positions["black"])
        if white != black:
            winner = "white" if white > black else "black"
            return {"winner": winner, "reason": "positions", "positions": positions}
        if len(self.on) == self.size * self.size:
            return {"winner": None, "reason": "full", "positions": positions}
        if self.box[self.mover()] == 0:
            return {"winner": None, "reason": "no-pieces", "positions": positions}
        return None

    def legal(self):
        if self.result:
            return []
        return sorted(name for name, space in self.spaces().items() if space not in self.on)

    def after(self, move):
        other = copy.deepcopy(self)
        other.play(move)
        return other

    def describe(self):
        return {
            "to_move": None if self.result else self.mover(),
            "cells": {self.name(space): colour for space, colour in self.on.items()},
            "reserve": dict(self.box),
            "legal": self.legal(),
            "result": self.result,
        }


RECORDED = [
    {},
    {"size": 8},
    {"size": 12},
    {"size": 16, "pieces": 12},
    {"size": 9, "pieces": 7},
    {"size": 5},
    {"size": 4},
    {"size": 3},
    {"size": 2, "pieces": 9},
]


def record(options, rng):
    game = Oracle(options)
    positions = [game.describe()]
    while not game.result:
        game.play(rng.choice(game.legal()))
        positions.append(game.describe())
    question = {"game": "attraktion", "options": options, "moves": game.turns}
    return {"question": question, "positions": positions}


if __name__ == "__main__":
    for seed, options in enumerate(RECORDED):
        print(json.dumps(record(options, random.Random(seed)), separators=(",", ":")))
