"""The compiled searches of the games. Each search reuses the results of earlier moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tiltboard.firmware_host.engines.search.limits import WIN, Found, ThinkingBudget, log_odds
from tiltboard.games.base import Game
from tiltboard.games.search import Solver
from tiltboard_kernels import kernels_of
from tiltboard_kernels import tree as kernels
from tiltboard_kernels.board import KernelBoard, board_of
from tiltboard_kernels.jit import OPEN, Ints
from tiltboard_kernels.jit import SURE as CERTAIN

_CHUNK_S = 0.004  # Maximum time in seconds until a request to stop takes effect.
_FIRST_CHUNK = 32
# Amplitude of the random noise that is added to evaluations, in units of log-odds times 100. The
# noise makes games differ.
_NOISE = 3
_PLAIN_EXPLORATION = 0.7
_SPREAD = 50.0  # The argument ``spread`` of ``kernels.curves``, in units of log-odds times 100.


def fast_tree(
    game: Game,
    rng: random.Random,
    *,
    plain: bool = False,
    solving: bool = True,
    most_nodes: int = kernels.MAX_NODES,
) -> FastTree | None:
    """Return the best search for ``game``, or None if the game has no kernels.

    ``plain``: True to search by random playouts only. ``solving`` and ``most_nodes``: the same
    parameters as in ``FastTree``.
    """
    board = board_of(game)
    if board is None:
        return None
    playouts = kernels.DECISIVE if board.decisive else kernels.PLAYOUTS
    best = kernels.EVALUATED if board.evaluated else playouts
    mode = kernels.PLAYOUTS if plain else best
    return FastTree(board, rng, mode, solving=solving, most_nodes=most_nodes)


def fast_solver(game: Game) -> Solver | None:
    """Return the exact search in the game's kernels, or None if the kernels have none."""
    make = getattr(kernels_of(game.name), "exact_search", None)
    found: Solver | None = None if make is None else make(game)
    return found


class FastTree:
    """A tree search of one game.

    ``mode``: one of the modes in ``kernels.tree``. ``solving``: True to pass proven results on to
    earlier positions. ``most_nodes``: the maximum size of the tree. If the tree grows larger, the
    search deletes the nodes with the fewest visits.
    """

    def __init__(
        self,
        board: KernelBoard,
        rng: random.Random,
        mode: int,
        *,
        solving: bool = True,
        most_nodes: int = kernels.MAX_NODES,
    ) -> None:
        self._board = board
        self._rng = rng
        self._every = board.game.rules.every_move
        start = board.encoded(board.game.rules.start())
        plain = mode == kernels.PLAYOUTS
        shares, weights = kernels.curves(_SPREAD)
        self._search = kernels.KernelSearch(
            tree=kernels.grown(most_nodes),
            tables=board.tables,
            mode=mode,
            explore=_PLAIN_EXPLORATION if plain else board.exploration,
            shares=shares,
            weights=weights,
            noise=_NOISE,
            solving=solving,
            steady=board.steady and mode == kernels.DECISIVE,
            seed=np.ones(1, np.int64),
            states=np.zeros((3, len(start)), np.int64),
            threats=np.zeros((kernels.FORCED_ROWS, len(start)), np.int64),
            moves=np.zeros((2, len(self._every)), np.int64),
            path=np.zeros(kernels.MAX_PATH, np.int64),
        )
        self.tree, self.seed = self._search.tree, self._search.seed
        self._at: Ints | None = None
        self._begin(start)
        # This call loads the compiled code, so that the loading time is not part of any measured
        # time.
        kernels.simulate(self._search, start, 1)
        self._at = None
        self.seed[0] = rng.getrandbits(62) | 1

    def forget(self) -> None:
        """Start the next search with an empty tree."""
        self._at = None

    def search(
        self,
        state: Any,
        budget: ThinkingBudget,
        *,
        report: Callable[[Found], None] = lambda _: None,
    ) -> Found:
        """Search a state in which the game is not over. Return the moves of the state, the most
        visited move first.

        ``report``: a function that is called with intermediate results.
        """
        start = self._board.encoded(state)
        self._begin(start)
        limits = budget.limits
        chunk_s = _CHUNK_S if limits.time_s is None else min(_CHUNK_S, limits.time_s / 10)
        chunk, report_s = _FIRST_CHUNK, 0.05
        evaluated = self._search.mode == kernels.EVALUATED
        alone = len(self._board.game.rules.moves(state)) == 1
        while True:
            left = chunk if limits.nodes is None else min(chunk, limits.nodes - budget.nodes)
            begun_s = budget.used_s
            done = kernels.simulate(self._search, start, max(left, 1))
            budget.nodes += done
            full = kernels.is_full(self.tree, len(self._every))
            if full:
                kernels.keep(self.tree, 0)
            now_s = budget.used_s
            if (done < left and not full) or budget.spent:
                break
            if self.tree.nodes[0]["edges"] == 1 and (not evaluated or alone):
                break  # The position has only one move, or a winning move has been found.
            if now_s >= report_s:
                report_s *= 2
                report(self._found(state, budget))
            took_s = now_s - begun_s
            if took_s < chunk_s / 2:
                chunk *= 2
            elif took_s > chunk_s:
                chunk = max(chunk // 2, 1)
        found = self._found(state, budget)
        report(found)
        return found

    def _begin(self, start: Ints) -> None:
        """Reuse the part of the previous tree below the position ``start``, or start with an empty
        tree.
        """
        before, self._at = self._at, start.copy()
        if before is not None:
            node = kernels.found(self._search, before, start)
            if node >= 0:
                kernels.keep(self.tree, node)
                ways = {int(self.tree.nodes[child]["proven"]) for _, child in self._children(0)}
                # The move that led to the proven result is not in the tree, so the result counts as
                # open.
                if self.tree.nodes[0]["proven"] not in ways:
                    self.tree.nodes[0]["proven"] = OPEN
                return
        kernels.start_anew(self.tree)

    def _children(self, node: int) -> list[tuple[int, int]]:
        """Return the move and the node of each child that has been visited."""
        parent = self.tree.nodes[node]
        begin, first, tried = (int(parent[name]) for name in ("edge", "first", "tried"))
        moves = self.tree.edges[begin : begin + tried] & (1 << kernels.MOVE_BITS) - 1
        return [(self._every[move], first + at) for at, move in enumerate(moves)]

    def _found(self, state: Any, budget: ThinkingBudget) -> Found:
        tree, rules = self.tree, self._board.game.rules
        mover, players = rules.mover(state), rules.players
        order = sorted(self._children(0), key=lambda e: self._rank(e[1], mover), reverse=True)
        ranked = [(move, self._value(node, mover)) for move, node in order]
        # Moves without a node come last. The evaluation gives the values of these moves.
        if self._search.mode == kernels.EVALUATED:
            edge, tried, edges = (int(tree.nodes[0][name]) for name in ("edge", "tried", "edges"))
            for each in tree.edges[edge + tried : edge + edges].tolist():
                worth, move = divmod(each, 1 << kernels.MOVE_BITS)
                if abs(worth) == CERTAIN:  # The move ends the game.
                    worth = WIN - 1 if worth > 0 else 1 - WIN
                ranked.append((self._every[move], worth))
            # The remaining moves were omitted because they lose.
            known = {move for move, _ in ranked}
            ranked += [(move, 2 - WIN) for move in rules.moves(state) if move not in known]
        line: list[int] = []
        node = 0
        while children := self._children(node):
            who = (mover + len(line)) % players
            move, node = max(children, key=lambda each: self._rank(each[1], who))
            line.append(move)
            if tree.nodes[node]["visits"] < _FIRST_CHUNK:
                break
        return Found(tuple(ranked), tuple(line), len(line), budget.nodes, budget.used_s)

    def _rank(self, number: int, who: int) -> tuple[int, int, float]:
        """Return the sort key of a node for the player ``who``. Winning nodes come first, then open
        and drawn nodes, then losing nodes. Within each group, the most visited node comes first.
        """
        node = self.tree.nodes[number]
        proven = int(node["proven"])
        sure = 0 if proven <= 0 else 1 if proven >> who & 1 else -1
        return sure, int(node["visits"]), float(node["total"])

    def _value(self, number: int, who: int) -> int:
        node = self.tree.nodes[number]
        proven = int(node["proven"])
        if proven == 0:
            return 0
        if proven > 0:
            distance = 1 + int(node["far"])
            return WIN - distance if proven >> who & 1 else distance - WIN
        return log_odds((node["total"] + 0.5) / (node["visits"] + 1))
