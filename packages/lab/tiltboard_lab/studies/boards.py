"""Boards of Gravity Trap: results of perfect play on a board, and a search for better boards.

A board is bad if parity decides its games. The player to move then wins nearly all positions with
an odd number of pods, and loses nearly all positions with an even number, so the moves do not
matter.

The numba solver of packages/kernels is used if it is installed; the engine's own solver is fifty
times slower. Both solvers ignore the rule against mirroring the opponent's moves. This rule matters
only in the few games in which a player mirrors moves.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.engines.search.limits import NO_LIMITS, ThinkingBudget
from tiltboard.games.gravity_trap.board import TrapBoard, shipped_board
from tiltboard.games.gravity_trap.rules import GravityTrapRules, TrapSolver
from tiltboard_lab.studies.jobs import Job

FEWEST, MOST = 5, 7  # Minimum and maximum number of bases on a track (rule T1).
ON_FEWEST, MAX_ON = 2, 3  # Minimum and maximum number of tracks through a base.
# Maximum total number of bases on all tracks. On a board with more links between bases, no ship
# gets stuck before the end of the game.
MAX_PLACES = 46
MAX_SHARED = 2  # Maximum number of bases that two tracks share, so that the board stays connected.
# Numbers of pods at which the search rates a board. Positions with so few pods are solved fast, and
# already show the effect of parity.
_SKETCHED = range(13, 19)
SKETCHES = 60  # Number of random games with which the search rates a board.
SHUFFLED = 3  # Number of random changes before a climb (one run of the search) starts.
_MAX_MOVED = 3  # Maximum number of bases that one change moves.
_TRIES = 2000

Tracks = tuple[tuple[int, ...], ...]
Ships = tuple[int, int]


def solver_of(rules: GravityTrapRules) -> TrapSolver:
    """Return the fastest installed solver for a game of Gravity Trap."""
    try:
        from tiltboard_kernels.games.gravity_trap import FastTrapSolver
    except ImportError:
        return TrapSolver(rules)
    return FastTrapSolver(rules)


def mover_wins(solver: TrapSolver, rules: GravityTrapRules, ships: Ships, pods: int) -> bool:
    """Return whether the player to move wins with perfect play.

    ``ships``: the bases of the ships of the player to move and of the opponent. ``pods``: the bases
    with pods, as a bit mask.
    """
    if not rules.near[ships[0]] & pods:
        return False
    return solver.free(*ships, pods, ThinkingBudget(NO_LIMITS, lambda: 0.0))


class Judged(msgspec.Struct, frozen=True):
    """The results of perfect play on one board."""

    share: float
    """The fraction of all pairs of start bases for which the first player wins."""
    replies: list[int]
    """For each start base of Red, the number of Blue's start bases that make Red lose. A 0 means
    that Red always wins.
    """
    rates: dict[int, float]
    """The win rate of the player to move after random moves, 0 to 1, by the number of pods left."""

    @property
    def parity(self) -> float:
        """The mean change of the win rate when the number of pods grows by one: 0 if parity does
        not matter, 1 if parity decides the game.
        """
        return parity(self.rates)


def parity(rates: dict[int, float]) -> float:
    """Return the mean change of the win rate (0 to 1) when the number of pods grows by one.

    ``rates``: the win rates by number of pods.
    """
    steps = [abs(rates[pods] - rates[pods - 1]) for pods in rates if pods - 1 in rates]
    return sum(steps) / len(steps) if steps else 0.0


def judged(board: TrapBoard, games: int, rng: random.Random) -> Judged:
    """Return the results of perfect play on a board: the winner for each pair of start bases, and
    the win rates by number of pods, sampled from ``games`` random games.
    """
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
    """Return the win rate of the player to move after random moves, by number of pods.

    ``at``: the numbers of pods for which positions are solved. ``games``: the number of random
    games. ``solver``: the solver, or None for the fastest installed solver. If no game reached a
    number of pods, the result has no entry for this number.
    """
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


class FoundBoard(msgspec.Struct, frozen=True):
    """A board that a search has found, with its results."""

    tracks: list[list[int]]
    """The bases on each track, numbered from 1. Neighbouring bases in a list need not be neighbours
    on the track.
    """
    judged: Judged


class Boards(Job, frozen=True, kw_only=True):
    """A search for boards on which parity does not decide the game. Each task is one climb, which
    improves a board step by step.

    A climb starts from ``board`` with a few random changes, and tries ``steps`` more changes. The
    climb keeps a change unless the change makes parity matter more. All boards are symmetric under
    a rotation by 180 degrees.
    """

    finds: ClassVar[Any] = FoundBoard
    board: str
    steps: int
    games: int = 200

    def run(self, number: int) -> FoundBoard:
        """Run one climb, and return the board that it found with the full results of that board."""
        rng = random.Random(f"{self.seed} board {number}")
        board = shipped_board(self.board)
        found = _with(board, climbed(board, self.steps, rng))
        return FoundBoard([list(track) for track in found.tracks], judged(found, self.games, rng))


def climbed(board: TrapBoard, steps: int, rng: random.Random, games: int = SKETCHES) -> Tracks:
    """Return the tracks that one climb finds. If rotating a track by 180 degrees gives another
    track, only one of the two is returned.

    ``steps``: the number of changes that the climb tries. ``games``: the number of random games
    that rate a board.
    """
    opposite = board.opposite or {}
    half = _halves(board.tracks, opposite)
    for _ in range(SHUFFLED):
        half = mutate_tracks(half, opposite, rng)
    best = _sketched(board, half, games, rng)
    for _ in range(steps):
        tried = mutate_tracks(half, opposite, rng)
        value = _sketched(board, tried, games, rng)
        if value <= best:
            best, half = value, tried
    return half


def _halves(tracks: Tracks, opposite: dict[int, int] | Any) -> Tracks:
    """Return one track of each pair of tracks that a rotation by 180 degrees exchanges."""
    kept: list[tuple[int, ...]] = []
    for track in tracks:
        if {opposite[base] for base in track} not in [set(each) for each in kept]:
            kept.append(track)
    return tuple(kept)


def _with(board: TrapBoard, half: Tracks) -> TrapBoard:
    """Return ``board`` with new tracks: the tracks in ``half``, and copies of these tracks rotated
    by 180 degrees.
    """
    opposite = board.opposite or {}
    whole = (*half, *(tuple(opposite[base] for base in track) for track in half))
    return TrapBoard(whole, board.positions, board.opposite, board.hole)


def _sketched(board: TrapBoard, half: Tracks, games: int, rng: random.Random) -> float:
    rules = GravityTrapRules(_with(board, half), no_copy=False)
    return parity(rates(rules, _SKETCHED, games, rng))


def mutate_tracks(half: Tracks, opposite: Any, rng: random.Random) -> Tracks:
    """Return the tracks with one to three bases moved, added or removed at random, so that the
    board still follows rule T1. Returns ``half`` unchanged if no such change is found.
    """
    bases = sorted(opposite)
    for _ in range(_TRIES):
        tracks = [list(track) for track in half]
        for _ in range(rng.randint(1, _MAX_MOVED)):
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
    """Return whether the tracks in ``half``, together with their copies rotated by 180 degrees,
    make a valid board by rule T1. The board must also keep to the limits of this module.
    """
    whole = [set(track) for track in half] + [{opposite[b] for b in track} for track in half]
    if any(len(track) != len(set(track)) for track in half):
        return False
    if not all(FEWEST <= len(track) <= MOST for track in whole):
        return False
    if sum(map(len, whole)) > MAX_PLACES:
        return False
    if any(len(one & other) > MAX_SHARED for one, other in combinations(whole, 2)):
        return False
    on = Counter(base for track in whole for base in track)
    return all(ON_FEWEST <= on[base] <= MAX_ON for base in opposite)
