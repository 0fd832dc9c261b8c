"""Boards of Gravity Trap: what perfect players make of one, and a search for better ones.

A board that parity decides is a bad one: where the player to move wins nearly all positions with
an odd number of pods and loses nearly all with an even number, who wins is counted and not played.
Solved by numba where it is installed (packages/kernels), else by the solver of the engine, which
takes fifty times as long. Without the mimic rule, which is for the few games that copy.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.engines.search.limits import NO_LIMITS, Budget
from tiltboard.games.gravity_trap.board import Board, shipped
from tiltboard.games.gravity_trap.rules import GravityTrapRules, TrapSolver
from tiltboard_lab.studies.jobs import Job

FEWEST, MOST = 5, 7  # bases of a track (rule T1)
ON_FEWEST, ON_MOST = 2, 3  # tracks of a base
PLACES_MOST = 46  # on all tracks together: where much is joined, nobody is stuck before the end
SHARED_MOST = 2  # bases of any two tracks, so that a board does not fall into parts
_SKETCHED = range(13, 19)  # pods at which a search looks: cheap, and parity shows there
SKETCHES = 60  # random games for it
SHUFFLED = 3  # changes before a climb begins
_MOST_MOVED = 3  # bases at once
_TRIES = 2000

Tracks = tuple[tuple[int, ...], ...]
Ships = tuple[int, int]


def solver_of(rules: GravityTrapRules) -> TrapSolver:
    """The faster one that is there."""
    try:
        from tiltboard_kernels.games.gravity_trap import FastTrapSolver
    except ImportError:
        return TrapSolver(rules)
    return FastTrapSolver(rules)


def mover_wins(solver: TrapSolver, rules: GravityTrapRules, ships: Ships, pods: int) -> bool:
    """Whether the player to move wins, who has the first of the ``ships``."""
    if not rules.near[ships[0]] & pods:
        return False
    return solver.free(*ships, pods, Budget(NO_LIMITS, lambda: 0.0))


class Judged(msgspec.Struct, frozen=True):
    """What perfect play makes of a board.

    ``share``: of the pairs of starts, those that the first mover wins. ``replies``: for each of
    red's starts, how many of blue's lose it for red; 0 is a start that wins. ``rates``: pods left
    -> how often the player to move wins after random moves.
    """

    share: float
    replies: list[int]
    rates: dict[int, float]

    @property
    def parity(self) -> float:
        """The mean step between the rates of neighbouring numbers of pods: 0 where parity does not
        matter, 1 where it decides.
        """
        return parity(self.rates)


def parity(rates: dict[int, float]) -> float:
    """As ``Judged.parity``."""
    steps = [abs(rates[pods] - rates[pods - 1]) for pods in rates if pods - 1 in rates]
    return sum(steps) / len(steps) if steps else 0.0


def judged(board: Board, games: int, rng: random.Random) -> Judged:
    """All pairs of starts solved; rates from so many random games."""
    rules = GravityTrapRules(board, no_copy=False)
    solver = solver_of(rules)
    turned = {at: board.opposite[at + 1] - 1 for at in range(rules.count)} if board.opposite else {}
    wins: dict[tuple[int, int], bool] = {}
    for red in range(rules.count):
        for blue in range(rules.count):
            if red == blue:
                continue
            half_turned = turned.get(red, red), turned.get(blue, blue)
            if half_turned in wins:
                wins[red, blue] = wins[half_turned]
            else:
                pods = rules.all & ~(1 << red | 1 << blue)
                wins[red, blue] = mover_wins(solver, rules, (red, blue), pods)
    lost = [
        sum(not won for (red, _), won in wins.items() if red == each) for each in range(rules.count)
    ]
    found = rates(rules, range(min(8, rules.count // 2), rules.count - 2), games, rng, solver)
    return Judged(sum(wins.values()) / len(wins), lost, found)


def rates(
    rules: GravityTrapRules,
    at: range,
    games: int,
    rng: random.Random,
    solver: TrapSolver | None = None,
) -> dict[int, float]:
    """As in ``Judged``, for numbers of pods in ``at``."""
    solver = solver or solver_of(rules)
    seen: dict[int, list[bool]] = {pods: [] for pods in at}
    for _ in range(games):
        state = rules.start()
        while state.winner is None:
            left = state.pods.bit_count()
            if state.turn >= 2 and left in seen:
                mover = state.turn % 2
                ships = state.ships[mover], state.ships[1 - mover]
                seen[left].append(mover_wins(solver, rules, ships, state.pods))
            state = rules.apply(state, rng.choice(rules.moves(state)))
    return {pods: sum(won) / len(won) for pods, won in seen.items() if won}


class Found(msgspec.Struct, frozen=True):
    """A board that a search has come to. ``tracks``: bases from 1, in no order along the curve."""

    tracks: list[list[int]]
    judged: Judged


class Boards(Job, frozen=True, kw_only=True):
    """Task n is one climb: from ``board``, its tracks shuffled, ``steps`` changes of which those
    stay that make parity matter less. Boards stay as they are under a half turn.
    """

    finds: ClassVar[Any] = Found
    board: str
    steps: int
    games: int = 200

    def run(self, number: int) -> Found:
        """Climb. What is found is judged whole."""
        rng = random.Random(f"{self.seed} board {number}")
        board = shipped(self.board)
        found = _with(board, climbed(board, self.steps, rng))
        return Found([list(track) for track in found.tracks], judged(found, self.games, rng))


def climbed(board: Board, steps: int, rng: random.Random, games: int = SKETCHES) -> Tracks:
    """One of each pair of tracks that are each other's half turn."""
    opposite = board.opposite or {}
    half = _halves(board.tracks, opposite)
    for _ in range(SHUFFLED):
        half = changed(half, opposite, rng)
    best = _sketched(board, half, games, rng)
    for _ in range(steps):
        tried = changed(half, opposite, rng)
        value = _sketched(board, tried, games, rng)
        if value <= best:
            best, half = value, tried
    return half


def _halves(tracks: Tracks, opposite: dict[int, int] | Any) -> Tracks:
    """One of each two tracks that are each other's half turn."""
    kept: list[tuple[int, ...]] = []
    for track in tracks:
        if {opposite[base] for base in track} not in [set(each) for each in kept]:
            kept.append(track)
    return tuple(kept)


def _with(board: Board, half: Tracks) -> Board:
    """``board`` with other tracks, those half turned included."""
    opposite = board.opposite or {}
    whole = (*half, *(tuple(opposite[base] for base in track) for track in half))
    return Board(whole, board.positions, board.opposite, board.hole)


def _sketched(board: Board, half: Tracks, games: int, rng: random.Random) -> float:
    rules = GravityTrapRules(_with(board, half), no_copy=False)
    return parity(rates(rules, _SKETCHED, games, rng))


def changed(half: Tracks, opposite: Any, rng: random.Random) -> Tracks:
    """A few bases put on other tracks; a board by rule T1 still."""
    bases = sorted(opposite)
    for _ in range(_TRIES):
        tracks = [list(track) for track in half]
        for _ in range(rng.randint(1, _MOST_MOVED)):
            track = rng.choice(tracks)
            way = rng.randrange(4)
            at = rng.randrange(len(track))
            if way == 0 and len(track) > FEWEST:
                del track[at]
            elif way == 1 and len(track) < MOST:
                track.append(rng.choice(bases))
            elif way == 2:
                track[at] = rng.choice(bases)
            else:
                other = rng.choice(tracks)
                there = rng.randrange(len(other))
                track[at], other[there] = other[there], track[at]
        if fits(tracks, opposite):
            return tuple(tuple(track) for track in tracks)
    return half


def fits(half: Sequence[Sequence[int]], opposite: Any) -> bool:
    """Whether half the tracks, with their half turns, are a board by rule T1 in one piece."""
    whole = [set(track) for track in half] + [{opposite[b] for b in track} for track in half]
    if any(len(track) != len(set(track)) for track in half):
        return False
    if not all(FEWEST <= len(track) <= MOST for track in whole):
        return False
    if sum(map(len, whole)) > PLACES_MOST:
        return False
    if any(len(one & other) > SHARED_MOST for one, other in combinations(whole, 2)):
        return False
    on = Counter(base for track in whole for base in track)
    return all(ON_FEWEST <= on[base] <= ON_MOST for base in opposite)
