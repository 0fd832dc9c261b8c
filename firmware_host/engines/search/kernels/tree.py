"""Monte-Carlo tree search with a solver on whole rows of numbers; ``search.tree`` is the plain one.

A leaf is worth what a random playout brings (mode ``PLAYOUTS``: UCT), or what the evaluation says
of the best of its moves; then the evaluation also tells which moves are looked at first (PUCT).
Source of the latter: C. Rosin, "Multi-armed bandits with episode context", Annals of Mathematics
and Artificial Intelligence 61 (2011).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmware_host.engines.search.kernels.board import legal, play, playout, value
from firmware_host.engines.search.kernels.jit import (
    MOVES,
    OPEN,
    PLAYERS,
    RESULT,
    TURN,
    Ints,
    copied,
    kernel,
    making_kernel,
    random_below,
)

Longs = NDArray[np.int32]
Shorts = NDArray[np.int16]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

MOST_NODES = 600_000
MOST_EDGES = 10_000_000
MOST_PATH = 2500
PLAYOUTS, DECISIVE, EVALUATED = 0, 1, 2
"""Modes: random playouts; playouts that miss no winning drop; the evaluation."""
ROOT, NODES, EDGES = 0, 1, 2  # in ``Tree.head``: which node is the root; how many are in use
OPEN_STILL = -1
BY_WORTH = -2
_SURE = 3000  # hundredths of the log-odds: as far as an edge's value goes


NODE = np.dtype(
    [
        *((name, np.int32) for name in ("parent", "edge", "visits")),
        *((name, np.float32) for name in ("weight", "weights")),
        *((name, np.int16) for name in ("edges", "tried", "move", "far")),
        *((name, np.int8) for name in ("who", "proven")),
        ("total", np.float64),
    ],
    align=True,
)
"""A node. ``edge``, ``edges``: where its moves begin, and how many they are, 0: not listed yet; the
first ``tried`` of them have a node each. ``total``: what its visits have brought to ``who`` moved
to it by ``move``. ``proven``: as ``RESULT``; ``far``: plies to that end. ``weight``: among its
siblings; ``weights``: of all its moves.
"""


class Tree(NamedTuple):
    """``head``: as above. ``logit``: what an edge's move is worth to the mover, in hundredths."""

    head: Ints
    nodes: Any
    edge_move: Shorts
    logit: Shorts
    edge_child: Longs


def grown(nodes: int = MOST_NODES, edges: int = MOST_EDGES) -> Tree:
    """An empty tree; memory is used only as it grows."""
    return Tree(
        head=np.zeros(3, np.int64),
        nodes=np.empty(nodes, NODE),
        edge_move=np.empty(edges, np.int16),
        logit=np.empty(edges, np.int16),
        edge_child=np.empty(edges, np.int32),
    )


def curves(spread: float) -> Floats:
    """For each worth of an edge: the share of the game that it stands for, and its weight among
    its siblings, which falls by e with ``spread`` hundredths.
    """
    worth = np.arange(-_SURE, _SURE + 1)
    return np.ascontiguousarray(
        np.stack([1 / (1 + np.exp(-worth / 100)), np.exp(np.clip(worth, -800, 800) / spread)])
    )


@kernel
def _share(curves: Floats, worth: int) -> float:
    return float(curves[0, worth + _SURE])


@kernel
def new_node(t: Tree, parent: int, move: int, who: int, result: int) -> int:
    """The number of a node that has just been made."""
    node = t.head[NODES]
    t.head[NODES] = node + 1
    made = t.nodes[node]
    made.parent, made.move, made.who, made.proven = parent, move, who, result
    made.edge = made.visits = made.edges = made.tried = made.far = 0
    made.total = 0.0
    return int(node)


@kernel
def _expand(
    t: Tree,
    node: int,
    s: Ints,
    facts: Ints,
    rows: Ints,
    about: Ints,
    spare: Ints,
    moves: Ints,
    seed: Ints,
    mode: int,
    noise: int,
    curves: Floats,
    hidden: Bytes,
) -> None:
    """List the moves of ``node``, whose state is ``s``: by their worth, or shuffled; in the mode
    ``DECISIVE`` one that wins stands alone. ``hidden``: moves that are not seen.
    """
    count = legal(s, facts, rows, about, moves, spare)
    kept = 0
    for at in range(count):
        if not hidden[moves[at]]:
            moves[kept] = moves[at]
            kept += 1
    count = kept if kept else 1
    edge = t.head[EDGES]
    t.head[EDGES] = edge + count
    t.nodes[node].edge, t.nodes[node].edges = edge, count
    mover = s[TURN] % facts[PLAYERS]
    weights = 0.0
    for at in range(count):
        move = moves[at]
        after = spare[0]
        if mode != PLAYOUTS:
            copied(after, s)
            play(after, facts, rows, about, move)
        if mode != EVALUATED:
            other = edge + random_below(seed, at + 1)
            t.edge_move[edge + at] = t.edge_move[other]
            t.edge_move[other] = move
            if mode == DECISIVE and after[RESULT] > 0 and after[RESULT] >> mover & 1:
                t.edge_move[edge] = move
                t.nodes[node].edges = 1
                t.head[EDGES] = edge + 1
                return
            continue
        if after[RESULT] == OPEN:
            worth = -value(after, facts, about) + random_below(seed, 2 * noise + 1) - noise
            worth = min(max(worth, -_SURE + 1), _SURE - 1)
        elif after[RESULT] == 0:
            worth = 0
        elif after[RESULT] >> mover & 1:
            worth = _SURE
        else:
            worth = -_SURE
        weights += curves[1, worth + _SURE]
        place = edge + at
        while place > edge and t.logit[place - 1] < worth:
            t.logit[place] = t.logit[place - 1]
            t.edge_move[place] = t.edge_move[place - 1]
            place -= 1
        t.logit[place], t.edge_move[place] = worth, move
    t.nodes[node].weights = weights


@kernel
def _chosen(t: Tree, node: int, mover: int, mode: int, explore: float, curves: Floats) -> int:
    """The child to look at next; -1: the next edge that has none yet."""
    parent = t.nodes[node]
    edge, tried = parent.edge, parent.tried
    evaluated = mode == EVALUATED
    chosen, best, scale = -2, -1.0, 0.0
    if evaluated:
        scale = explore * math.sqrt(parent.visits + 1) / parent.weights
        if tried < parent.edges:
            worth = t.logit[edge + tried]
            chosen, best = -1, _share(curves, worth) + scale * curves[1, worth + _SURE]
    elif tried < parent.edges:
        return -1
    else:
        scale = explore * math.sqrt(math.log(parent.visits + 1))
    for at in range(edge, edge + tried):
        child = t.nodes[t.edge_child[at]]
        if child.proven > 0 and not child.proven >> mover & 1:
            continue
        if evaluated:
            found = child.total / child.visits + scale * child.weight / (1 + child.visits)
        else:
            found = child.total / child.visits + scale / math.sqrt(child.visits)
        if found > best:
            chosen, best = t.edge_child[at], found
    return chosen if chosen != -2 else t.edge_child[edge]


@kernel
def _prove(t: Tree, node: int, players: int) -> None:
    """``node`` is proven: what follows for those above it."""
    while node != t.head[ROOT]:
        parent = t.nodes[node].parent
        if t.nodes[parent].proven != OPEN_STILL:
            return
        mover = t.nodes[node].who
        if t.nodes[node].proven >> mover & 1:
            t.nodes[parent].proven = t.nodes[node].proven
            t.nodes[parent].far = t.nodes[node].far + 1
            node = parent
            continue
        if t.nodes[parent].tried < t.nodes[parent].edges:
            return
        best, far, mixed = OPEN_STILL, 0, False
        edge = t.nodes[parent].edge
        for at in range(edge, edge + t.nodes[parent].edges):
            child = t.edge_child[at]
            proven = int(t.nodes[child].proven)
            if proven == OPEN_STILL:
                return
            if proven == 0 and best != 0:  # nobody wins: better than losing
                best, far = 0, int(t.nodes[child].far)
            elif best == OPEN_STILL or best == proven:
                best, far = proven, max(far, int(t.nodes[child].far))
            elif best > 0:
                mixed, far = True, max(far, int(t.nodes[child].far))
        if best > 0 and mixed and players > 2:
            return  # who of the others wins is in the mover's hand, and open
        t.nodes[parent].proven, t.nodes[parent].far = best, far + 1
        node = parent


@kernel
def _full(t: Tree, facts: Ints) -> bool:
    """Whether there is no room for the moves of another node."""
    return bool(t.head[EDGES] + facts[MOVES] > len(t.edge_move))


@kernel
def _back_up(
    t: Tree,
    path: Ints,
    length: int,
    mover: int,
    worth: int,
    winners: int,
    players: int,
    curves: Floats,
) -> None:
    """Tell the nodes of ``path`` what its leaf has brought: as in ``simulate``."""
    for at in range(length):
        node = t.nodes[path[at]]
        node.visits += 1
        if winners == BY_WORTH:
            node.total += _share(curves, worth if node.who == mover else -worth)
        elif winners == 0:
            node.total += 1.0 / players
        else:
            node.total += winners >> node.who & 1


@kernel
def simulate(
    t: Tree,
    start: Ints,
    facts: Ints,
    rows: Ints,
    about: Ints,
    work: Ints,
    moves: Ints,
    path: Ints,
    seed: Ints,
    numbers: Ints,
    explore: float,
    curves: Floats,
    hidden: Bytes,
) -> int:
    """Look at ``numbers[0]`` more leaves of the tree from the root, whose state is ``start``; fewer
    where it is proven. ``numbers``: besides, the mode and the noise. ``work``: three rows for
    states. ``hidden``: as in ``_expand``, after each move, and last for the root.
    """
    count, mode, noise = numbers[0], numbers[1], numbers[2]
    players = facts[PLAYERS]
    evaluated = mode == EVALUATED
    s = work[2]
    root = t.head[ROOT]
    nothing_hidden = hidden[0] if len(hidden) == 1 else hidden[facts[MOVES] + 1]
    for done in range(count):
        if t.nodes[root].proven != OPEN_STILL:
            return done
        copied(s, start)
        node, length = root, 1
        path[0] = root
        worth = 0  # of the leaf, for the mover there
        winners = BY_WORTH  # or by a proof or a playout
        while True:
            if t.nodes[node].proven != OPEN_STILL:
                winners = t.nodes[node].proven
                _prove(t, node, players)
                break
            mover = s[TURN] % players
            fresh = t.nodes[node].edges == 0
            wanted = evaluated or t.nodes[node].visits or node == root
            if fresh and wanted and not _full(t, facts):
                unseen = nothing_hidden
                if len(hidden) > 1 and length <= 2:
                    unseen = hidden[facts[MOVES] if length == 1 else t.nodes[node].move]
                _expand(
                    *(t, node, s, facts, rows, about, work, moves, seed),
                    *(mode, noise, curves, unseen),
                )
            if evaluated and fresh:
                worth = t.logit[t.nodes[node].edge]
                if worth < _SURE:
                    break
            if t.nodes[node].edges == 0 or length >= len(path):
                winners = playout(s, facts, rows, about, seed, mode == DECISIVE)
                break
            child = _chosen(t, node, mover, mode, explore, curves)
            if child < 0:
                edge = t.nodes[node].edge + t.nodes[node].tried
                move = t.edge_move[edge]
                if t.head[NODES] == len(t.nodes) or (evaluated and _full(t, facts)):
                    worth = t.logit[edge]
                    if not evaluated:
                        winners = playout(s, facts, rows, about, seed, mode == DECISIVE)
                    break
                play(s, facts, rows, about, move)
                child = new_node(t, node, move, mover, s[RESULT])
                if evaluated:
                    t.nodes[child].weight = curves[1, t.logit[edge] + _SURE]
                t.edge_child[edge] = child
                t.nodes[node].tried += 1
            else:
                play(s, facts, rows, about, t.nodes[child].move)
            node = child
            path[length] = node
            length += 1
        _back_up(t, path, length, s[TURN] % players, worth, winners, players, curves)
    return int(count)


@kernel
def found(t: Tree, s: Ints, wanted: Ints, facts: Ints, rows: Ints, about: Ints, work: Ints) -> int:
    """The node of the state ``wanted``, one or two moves after the root's, ``s``; else -1."""
    root = t.nodes[t.head[ROOT]]
    for at in range(root.edge, root.edge + root.tried):
        node = t.edge_child[at]
        copied(work[0], s)
        play(work[0], facts, rows, about, t.edge_move[at])
        if _same(work[0], wanted):
            return int(node)
        if work[0, RESULT] != OPEN or work[0, TURN] >= wanted[TURN]:
            continue
        after = t.nodes[node]
        for place in range(after.edge, after.edge + after.tried):
            copied(work[1], work[0])
            play(work[1], facts, rows, about, t.edge_move[place])
            if _same(work[1], wanted):
                return int(t.edge_child[place])
    return -1


@kernel
def _same(s: Ints, wanted: Ints) -> bool:
    for at in range(len(s)):
        if s[at] != wanted[at]:
            return False
    return True


@making_kernel
def keep(t: Tree, root: int) -> None:
    """Make ``root`` the root and forget what does not follow from it."""
    now_at = np.full(t.head[NODES], -1, np.int32)
    used = t.head[EDGES]
    edge_move, logit = t.edge_move[:used].copy(), t.logit[:used].copy()
    edge_child = t.edge_child[:used].copy()
    size = edges = 0
    for node in range(root, t.head[NODES]):  # children have higher numbers
        if node != root and now_at[t.nodes[node].parent] < 0:
            continue
        now_at[node] = size
        t.nodes[size] = t.nodes[node]
        kept = t.nodes[size]
        kept.parent = -1 if node == root else now_at[kept.parent]
        begin, count = kept.edge, kept.edges
        t.edge_move[edges : edges + count] = edge_move[begin : begin + count]
        t.logit[edges : edges + count] = logit[begin : begin + count]
        t.edge_child[edges : edges + count] = edge_child[begin : begin + count]
        kept.edge = edges
        size += 1
        edges += count
    for node in range(size):
        edge = t.nodes[node].edge
        for at in range(edge, edge + t.nodes[node].tried):
            t.edge_child[at] = now_at[t.edge_child[at]]
    t.head[ROOT], t.head[NODES], t.head[EDGES] = 0, size, edges
