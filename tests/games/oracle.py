"""Momentum in a second implementation, directly from the rules: marbles in a dict, moved one step
at a time.

This module shares no code with ``games``. ``python tests/games/oracle.py >
tests/games/data/momentum.jsonl`` records the playthroughs.
"""

from __future__ import annotations

import json
import random

COLOURS = ["red", "blue", "white", "green"]
EIGHT = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
SIX = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]


class Oracle:
    """A game in progress. ``options``: the options in the form of the contract, always with
    ``marbles``.
    """

    def __init__(self, options):
        self.players = COLOURS[: options.get("players", 2)]
        side = options.get("hex")
        if side:
            ring = range(-side + 1, side)
            self.where = {f"{q},{r}": (q, r) for q in ring for r in ring if -side < q + r < side}
            self.directions = SIX
        else:
            width = options.get("width", options.get("size", 7))
            height = options.get("height", options.get("size", 7))
            self.where = {
                "abcdefghijklmnopqrstuvwxyz"[x] + str(y + 1): (x, y)
                for x in range(width)
                for y in range(height)
            }
            self.directions = EIGHT
        for cell in options.get("missing", []):
            del self.where[cell]
        self.name = {point: cell for cell, point in self.where.items()}
        self.holes = set(options.get("holes", []))
        self.cushions = set(options.get("cushions", []))
        self.marbles = options["marbles"]
        self.pie = options.get("pie", True) and len(self.players) == 2
        self.limit = options.get("round_limit")
        self.block = options.get("must_block", True) and len(self.players) == 3
        self.on = {}  # The colour of each marble, by cell.
        self.turns = []
        self.result = None

    def copy(self):
        other = object.__new__(Oracle)
        other.__dict__.update(self.__dict__, on=dict(self.on), turns=list(self.turns))
        return other

    def mover(self):
        return self.players[len(self.turns) % len(self.players)]

    def count(self, colour):
        return list(self.on.values()).count(colour)

    def empty(self):
        return [c for c in self.where if c not in self.on.keys() | self.holes | self.cushions]

    def play(self, move):
        colour = self.mover()
        if move == "swap":
            (cell,) = self.on
            self.on[cell] = colour
        else:
            before = {**self.on, move: colour}
            self.on = dict(before)
            for dx, dy in self.directions:
                x, y = self.where[move]
                last = None
                while self.name.get((x + dx, y + dy)) in before:
                    x, y = x + dx, y + dy
                    last = self.name[x, y]
                if last is None:
                    continue
                beyond = self.name.get((x + dx, y + dy), "off the board")
                if beyond in self.cushions:
                    continue
                del self.on[last]
                if beyond != "off the board" and beyond not in self.holes:
                    self.on[beyond] = before[last]
        self.turns.append(move)
        self.result = self.judge(colour)

    def side(self, colour):
        sides = [["red", "white"], ["blue", "green"]]
        return next(side for side in sides if colour in side)

    def won(self, colour, reason):
        team = {"team": self.side(colour)} if len(self.players) == 4 else {}
        return {"winner": colour, "reason": reason, **team}

    def judge(self, colour):
        if self.count(colour) == self.marbles:
            return self.won(colour, "complete")
        if self.limit and len(self.turns) == self.limit * len(self.players):
            half = len(self.on) / 2
            for each in self.players:
                if self.count(each) > half:
                    return self.won(each, "round-limit")
            if len(self.players) == 4:
                for first in ("red", "blue"):
                    if sum(self.count(each) for each in self.side(first)) > half:
                        return {**self.won(first, "round-limit"), "winner": None}
            return {"winner": None, "reason": "round-limit"}
        if not self.empty():
            return {"winner": None, "reason": "full"}
        return None

    def after(self, move):
        other = self.copy()
        other.play(move)
        return other

    def legal(self):
        if self.result:
            return []
        moves = self.empty()
        if self.block:
            moves = [m for m in moves if self.after(m).harmless()] or moves
        if self.pie and len(self.turns) == 1:
            moves = [*moves, "swap"]
        return sorted(moves)

    def harmless(self):
        if self.result:
            return True
        following = self.mover()
        replies = [self.after(m).result for m in self.empty()]
        return not any(result and result["winner"] == following for result in replies)

    def describe(self):
        return {
            "to_move": None if self.result else self.mover(),
            "cells": dict(self.on),
            "reserve": {each: self.marbles - self.count(each) for each in self.players},
            "legal": self.legal(),
            "result": self.result,
        }


RECORDED = [
    {"marbles": 8},
    {"marbles": 8},
    {"marbles": 8, "pie": False},
    {"marbles": 6, "round_limit": 5},
    {"marbles": 6, "players": 3},
    {"marbles": 3, "size": 4, "players": 3, "round_limit": 12},
    {"marbles": 3, "size": 4, "players": 3, "must_block": False, "round_limit": 12},
    {"marbles": 5, "players": 4},
    {"marbles": 7, "players": 4, "round_limit": 4},
    {"marbles": 10, "width": 9, "height": 7},
    {"marbles": 12, "size": 9, "holes": ["e5"]},
    {"marbles": 6, "size": 6, "holes": ["c3"], "cushions": ["d4", "a1"], "missing": ["f6", "b5"]},
    {"marbles": 4, "width": 10, "height": 2, "round_limit": 20},
    {"marbles": 6, "hex": 4},
    {"marbles": 5, "hex": 4, "holes": ["0,0"], "cushions": ["1,1"], "missing": ["-3,0"]},
    {"marbles": 2, "width": 4, "height": 1, "cushions": ["a1", "d1"], "pie": False},
]


def record(options, rng):
    game = Oracle(options)
    positions = [game.describe()]
    while not game.result:
        moves = game.legal()
        game.play("swap" if "swap" in moves and rng.random() < 0.5 else rng.choice(moves))
        positions.append(game.describe())
    question = {"game": "momentum", "options": options, "moves": game.turns}
    return {"question": question, "positions": positions}


if __name__ == "__main__":
    for seed, options in enumerate(RECORDED):
        print(json.dumps(record(options, random.Random(seed)), separators=(",", ":")))
