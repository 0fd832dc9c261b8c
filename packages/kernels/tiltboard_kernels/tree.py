"""Monte-Carlo tree search with a solver, as compiled code, on states that are arrays of integers.
The version in plain Python is ``search.tree``.

The children of a node are stored next to each other, so that choosing a child reads few lines of
the processor's cache. If a node has many moves, memory for its children is reserved only as moves
are tried. If the tree is full, the nodes with the fewest visits are deleted.

In the mode ``PLAYOUTS``, the value of a leaf is the result of a random playout (UCT). In the mode
``EVALUATED``, the value of a leaf is the value of the leaf's best move, and the evaluation also
decides which moves are tried first (PUCT: C. Rosin, "Multi-armed bandits with episode context",
Annals of Mathematics and Artificial Intelligence 61, 2011).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltboard_kernels.board import (
    forced,
    judged,
    legal,
    play,
    playout,
)
from tiltboard_kernels.jit import (
    MOVES,
    OPEN,
    PLAYERS,
    RESULT,
    SURE,
    TURN,
    Ints,
    copied,
    kernel,
    making_kernel,
    random_below,
)

Edges = NDArray[np.int32]
Floats = NDArray[np.float64]

MAX_NODES = 1_500_000
_EDGES_A_NODE = 8  # Average number of edges per node for which a tree reserves memory.
# Indices in ``Tree.head`` of the number of used nodes and of the number of used edges.
NODES, EDGES = 0, 1
# Number of children for which a node first reserves memory. The reserved memory doubles each time
# it is full.
_FIRST_ROOM = 8
ROOTS = 1 << 14  # ``Tree.roots`` has precomputed values for this many visits.

NODE = np.dtype(
    [
        ("total", np.float64),
        ("weights", np.float32),
        *((name, np.uint32) for name in ("first", "edge", "visits")),
        *((name, np.int16) for name in ("edges", "tried", "far", "proven")),
    ],
    align=True,
)
"""A node of the tree, in 32 bytes.

``edge``: the index of the node's first move. ``edges``: the number of the node's moves, or 0 before
the moves are listed. ``first``: the node of the first move. ``tried``: the number of moves that
have nodes; the first moves have nodes. ``weights``: the sum of the weights of all moves. ``total``:
the sum of the results of all visits, for the player who moved to this node. ``proven``: the proven
result, in the form of ``RESULT``. ``far``: the number of plies to the proven end.

A steady search has no evaluation and uses two fields differently. In an open node, ``far`` is the
move that the search keeps, and ``weights`` is the number of further visits for which the search
keeps the move.
"""


class Tree(NamedTuple):
    """A search tree in arrays; the root is node 0."""

    head: Ints
    """The number of used nodes and the number of used edges."""
    nodes: Any
    edges: Edges
    """The moves of all nodes. Each move has a value for the player to move, in units of log-odds
    times 100.
    """
    roots: Floats
    """Precomputed factors of the UCT formula for each small number of visits n: sqrt(log(n + 1))
    and 1 / sqrt(n).
    """


def grown(nodes: int) -> Tree:
    """Return an empty tree with space for ``nodes`` nodes. The operating system provides the memory
    only as the tree grows.
    """
    visits = np.arange(ROOTS, dtype=np.float64)
    return Tree(
        head=np.zeros(2, np.int64),
        nodes=np.empty(nodes, NODE),
        edges=np.empty(_EDGES_A_NODE * nodes, np.int32),
        roots=np.array([np.sqrt(np.log(visits + 1)), np.maximum(visits, 1) ** -0.5]),
    )


@kernel
def start_anew(t: Tree) -> None:
    """Delete everything from the tree except the root, and reset the visits of the root."""
    t.head[NODES], t.head[EDGES] = 1, 0
    made(t, 0, OPEN)


@kernel
def made(t: Tree, node: int, result: int) -> None:
    """Reset a node, so that it has the given result, no visits and no children."""
    new = t.nodes[node]
    new.edge = new.first = new.visits = 0
    new.edges = new.tried = new.far = 0
    new.proven = result
    new.total = new.weights = 0.0


@kernel
def _room(tried: int, edges: int) -> int:
    """Return the number of children for which a node has reserved memory. The number starts at
    ``_FIRST_ROOM``, doubles each time the memory is full, and is at most the number of moves.
    """
    room = _FIRST_ROOM
    while room < tried:
        room *= 2
    return min(room, edges)


@kernel
def make_room(t: Tree, node: int) -> None:
    """Reserve memory for one more child of a node, if the node's memory is full."""
    parent = t.nodes[node]
    tried = parent.tried
    if tried and tried < _room(tried, parent.edges):
        return
    first = t.head[NODES]
    t.head[NODES] = first + _room(tried + 1, parent.edges)
    for at in range(tried):
        t.nodes[first + at] = t.nodes[parent.first + at]
    parent.first = first


@kernel
def is_full(t: Tree, moves: int) -> bool:
    """Return whether the tree may be too full for one more simulation. A simulation lists the moves
    of up to two nodes.
    """
    nodes, edges = t.head[NODES], t.head[EDGES]
    return bool(nodes + 2 * moves > len(t.nodes) or edges + 2 * moves > len(t.edges))


@making_kernel
def keep(t: Tree, root: int) -> None:
    """Make the node ``root`` the new root, and delete all nodes that are not below the new root.

    If less than half of the space is free after this, the nodes below nodes with few visits are
    deleted, too.
    """
    nodes, edges = np.empty(len(t.nodes), NODE), np.empty(len(t.edges), np.int32)
    order = np.empty(t.head[NODES], np.int32)  # Indices in ``nodes`` of the nodes that are kept.
    least, size, used = -1, len(nodes), len(edges)
    while 2 * size > len(nodes) or 2 * used > len(edges):
        least = 2 * least + 2
        nodes[0], order[0] = t.nodes[root], 0
        looked, known, size, used = 0, 1, 1, 0
        while looked < known and 2 * size <= len(nodes) and 2 * used <= len(edges):
            node = nodes[order[looked]]
            looked += 1
            if looked > 1 and node.visits < least:
                node.edge = node.first = node.edges = node.tried = 0
            for at in range(node.edges):
                edges[used + at] = t.edges[node.edge + at]
            for at in range(node.tried):
                nodes[size + at] = t.nodes[node.first + at]
                order[known] = size + at
                known += 1
            node.edge = used
            used += node.edges
            if node.tried:
                node.first = size
                size += _room(node.tried, node.edges)
    t.nodes[:size], t.edges[:used] = nodes[:size], edges[:used]
    t.head[NODES], t.head[EDGES] = size, used


MAX_PATH = 2500
PLAYOUTS, DECISIVE, EVALUATED = 0, 1, 2
"""The modes of a search. ``PLAYOUTS`` plays random playouts, ``DECISIVE`` plays random playouts
that never miss a winning move, and ``EVALUATED`` uses the evaluation.
"""
OPEN_STILL = -1
BY_WORTH = -2
# Number of low bits in which an edge stores its move. The high bits store the move's value.
MOVE_BITS = 16
_DEEPEST = 12  # Maximum number of threats in a series that the search follows.
FORCED_ROWS = 2 * _DEEPEST + 3
# Number of visits at which a node is first searched for a forced win. The search is repeated each
# time the visits double.
_FORCED_FROM = 1
# Maximum number of positions in the search for a forced win at a node without visits. The maximum
# increases with each visit of the node.
_FORCED_LOOKS = 30
_VISITS_A_LOOK = 4
# A node keeps its chosen move for several visits. The number of these visits is the node's visits
# divided by the first number, or the move's visits divided by the second number, whichever is
# smaller.
_VISITS_AGAIN, _ITS_VISITS_AGAIN = 32, 8


class KernelSearch(NamedTuple):
    """A tree of one game, the settings of the search, and scratch space.

    ``shares`` and ``weights`` are the arrays that ``curves`` returns.
    """

    tree: Tree
    tables: Any
    """The precomputed tables of the game."""
    mode: int
    explore: float
    """The exploration constant of the search."""
    shares: Floats
    weights: Floats
    noise: int
    """The amplitude of the random noise that is added to evaluations, in units of log-odds times
    100.
    """
    solving: bool
    """True if proven results are passed up the tree, and the mode ``EVALUATED`` also searches for
    forced wins.
    """
    steady: bool
    """True if a chosen move is kept for several visits; always False in the mode ``EVALUATED``."""
    seed: Ints
    """The seed of the random numbers.

    The fields below are scratch space: three states, rows for ``board.forced``, rows for moves, and
    the nodes from the root to the leaf.
    """
    states: Ints
    threats: Ints
    moves: Ints
    path: Ints


def curves(spread: float) -> tuple[Floats, Floats]:
    """Return two arrays, indexed by the value of an edge from -``SURE`` to ``SURE``.

    The first array has the expected score of a move with this value, 0 to 1. The second array has
    the weight of the move in comparison with the other moves of the node. The weight grows by the
    factor e each time the value grows by ``spread``, in units of log-odds times 100.
    """
    worth = np.arange(-SURE, SURE + 1)
    return 1 / (1 + np.exp(-worth / 100)), np.exp(np.clip(worth, -800, 800) / spread)


@kernel
def _expand(search: KernelSearch, node: int, s: Ints) -> None:
    """List the moves of ``node``, whose state is ``s``.

    Evaluated moves are sorted by value, and moves known to lose are omitted unless all moves lose.
    Without an evaluation, moves are shuffled. In the mode ``DECISIVE``, a winning move is the only
    move in the list.
    """
    t, g, moves, spare = search.tree, search.tables, search.moves, search.states
    evaluated = search.mode == EVALUATED
    count = judged(g, s, moves, spare) if evaluated else legal(g, s, moves[0], spare)
    edge = t.head[EDGES]
    mover = s[TURN] % g.facts[PLAYERS]
    weights = 0.0
    for at in range(count):
        move = moves[0, at]
        if not evaluated:
            other = edge + random_below(search.seed, at + 1)
            t.edges[edge + at] = t.edges[other]
            t.edges[other] = move
            if search.mode == DECISIVE:
                copied(spare[0], s)
                play(g, spare[0], move)
                if spare[0, RESULT] > 0 and spare[0, RESULT] >> mover & 1:
                    t.edges[edge] = move
                    count = 1
                    break
            continue
        worth = _with_noise(search, moves[1, at])
        weights += search.weights[worth + SURE]
        place = edge + at
        while place > edge and t.edges[place - 1] >> MOVE_BITS < worth:
            t.edges[place] = t.edges[place - 1]
            place -= 1
        t.edges[place] = worth << MOVE_BITS | move
    while count > 1 and evaluated and t.edges[edge + count - 1] >> MOVE_BITS == -SURE:
        count -= 1
    t.head[EDGES] = edge + count
    t.nodes[node].edge, t.nodes[node].edges, t.nodes[node].weights = edge, count, weights


@kernel
def _force(search: KernelSearch, node: int, s: Ints) -> None:
    """Mark ``node``, whose state is ``s``, as proven if the player to move has a forced win.

    The search runs each time the node's visits have doubled. The maximum number of positions in the
    search grows with the visits.
    """
    it, g = search.tree.nodes[node], search.tables
    if it.proven != OPEN_STILL or it.visits < _FORCED_FROM or it.visits & (it.visits - 1):
        return
    plies = forced(g, s, search.threats, _FORCED_LOOKS + it.visits // _VISITS_A_LOOK)
    if plies:
        it.proven, it.far = 1 << _mover(s[TURN], g.facts[PLAYERS]), plies


@kernel
def _with_noise(search: KernelSearch, worth: int) -> int:
    """Return a value with some random noise. A proven value is returned without noise."""
    if abs(worth) == SURE:
        return worth
    worth += random_below(search.seed, 2 * search.noise + 1) - search.noise
    return int(min(max(worth, 1 - SURE), SURE - 1))


@kernel
def _best_worth(search: KernelSearch, s: Ints) -> int:
    """Return the value of the best move in the state ``s``."""
    best = -SURE
    for at in range(judged(search.tables, s, search.moves, search.states)):
        best = max(best, _with_noise(search, search.moves[1, at]))
    return int(best)


@kernel
def _chosen(search: KernelSearch, node: int, mover: int) -> int:
    """Return the index of the move of ``node`` that the search visits next. If the index equals
    ``tried``, the move is the first move without a node.
    """
    t, weights, solving = search.tree, search.weights, search.solving
    parent = t.nodes[node]
    edge, first, tried = parent.edge, parent.first, parent.tried
    chosen, best = 0, -1.0
    if search.mode == EVALUATED:
        scale = search.explore * math.sqrt(parent.visits + 1) / parent.weights
        if tried < parent.edges:
            worth = t.edges[edge + tried] >> MOVE_BITS
            chosen, best = tried, search.shares[worth + SURE] + scale * weights[worth + SURE]
        for at in range(tried):
            child = t.nodes[first + at]
            if solving and child.proven > 0 and not child.proven >> mover & 1:
                continue
            weight = weights[(t.edges[edge + at] >> MOVE_BITS) + SURE]
            visits, more = child.visits, child.visits + 1
            found = (child.total * more + scale * weight * visits) / (float(visits) * more)
            if found > best:
                chosen, best = at, found
        return int(chosen)
    if tried < parent.edges:
        return int(tried)
    if parent.visits < ROOTS:
        scale = search.explore * t.roots[0, parent.visits]
    else:
        scale = search.explore * math.sqrt(math.log(parent.visits + 1))
    for at in range(tried):
        child = t.nodes[first + at]
        if solving and child.proven > 0 and not child.proven >> mover & 1:
            continue
        root = t.roots[1, child.visits] if child.visits < ROOTS else 1.0 / math.sqrt(child.visits)
        found = root * (root * child.total + scale)
        if found > best:
            chosen, best = at, found
    return int(chosen)


@kernel
def kept_on(t: Tree, node: int) -> int:
    """Return the index of the move that ``node`` keeps for more visits, and count one of these
    visits. Return -1 if no move is kept.
    """
    parent = t.nodes[node]
    if parent.weights < 1 or t.nodes[parent.first + parent.far].proven != OPEN_STILL:
        return -1
    parent.weights -= 1
    return int(parent.far)


@kernel
def keep_on(t: Tree, node: int, at: int) -> None:
    """Keep a move of ``node`` for several visits before the moves are compared again.

    A comparison takes as long as a playout. If the node and the move have many visits, one more
    visit hardly changes the outcome of the comparison.
    """
    parent = t.nodes[node]
    if at < parent.tried:
        visits = t.nodes[parent.first + at].visits
        parent.far = at
        parent.weights = min(parent.visits // _VISITS_AGAIN, visits // _ITS_VISITS_AGAIN)


@kernel
def _mover(turn: int, players: int) -> int:
    """Return ``turn % players``. For two players, the slow division is avoided."""
    return turn & 1 if players == 2 else turn % players


@kernel
def _prove(t: Tree, path: Ints, length: int, turn: int, players: int) -> None:
    """Pass the proven result of the last node of ``path`` up to the nodes above it.

    ``length``: number of nodes in ``path``. ``turn``: the turn at the root.
    """
    for at in range(length - 1, 0, -1):
        node, parent = t.nodes[path[at]], t.nodes[path[at - 1]]
        if parent.proven != OPEN_STILL:
            return
        mover = _mover(turn + at - 1, players)
        if node.proven >> mover & 1:
            parent.proven, parent.far = node.proven, node.far + 1
            continue
        if parent.tried < parent.edges:
            return
        best, far, mixed = OPEN_STILL, 0, False
        for number in range(parent.first, parent.first + parent.edges):
            proven, its_far = int(t.nodes[number].proven), int(t.nodes[number].far)
            if proven == OPEN_STILL:
                return
            if proven == 0 and best != 0:  # A draw is better than a loss.
                best, far = 0, its_far
            elif best == OPEN_STILL or best == proven:
                best, far = proven, max(far, its_far)
            elif best > 0:
                mixed, far = True, max(far, its_far)
        if best > 0 and mixed and players > 2:
            # The player to move cannot win, and this player's move decides which other player wins.
            # Therefore the result stays open.
            return
        parent.proven, parent.far = best, far + 1


@kernel
def _back_up(search: KernelSearch, length: int, turn: int, worth: int, winners: int) -> None:
    """Add the result of a leaf to the ``length`` nodes on the path from the root to the leaf.

    ``turn``: the turn at the root. ``worth``: the leaf's value for the player to move at the leaf.
    ``winners``: the winners as bits, or ``BY_WORTH`` if ``worth`` is the result.
    """
    players = search.tables.facts[PLAYERS]
    leaf = _mover(turn + length - 1, players)
    who = _mover(turn + players - 1, players)
    for at in range(length):
        node = search.tree.nodes[search.path[at]]
        node.visits += 1
        if winners == BY_WORTH:
            node.total += search.shares[(worth if who == leaf else -worth) + SURE]
        elif winners == 0:
            node.total += 1.0 / players
        else:
            node.total += winners >> who & 1
        who = 0 if who == players - 1 else who + 1


@kernel
def simulate(search: KernelSearch, start: Ints, count: int) -> int:
    """Visit ``count`` more leaves of the tree, and return the number of visits.

    The function stops earlier if the root is proven or the tree is full. ``start``: the state of
    the root.
    """
    t, g, s, path = search.tree, search.tables, search.states[2], search.path
    players, turn, evaluated = g.facts[PLAYERS], start[TURN], search.mode == EVALUATED
    for done in range(count):
        if t.nodes[0].proven != OPEN_STILL or is_full(t, g.facts[MOVES]):
            return done
        copied(s, start)
        node, length = 0, 1
        path[0] = 0
        worth = 0  # The value of the leaf for the player to move at the leaf.
        winners = BY_WORTH  # A proof or a playout can replace this value with the winners.
        while True:
            if evaluated and search.solving and node:
                _force(search, node, s)
            if t.nodes[node].proven != OPEN_STILL:
                winners = t.nodes[node].proven
                if search.solving:
                    _prove(t, path, length, turn, players)
                break
            if t.nodes[node].edges == 0:
                visited = node == 0 or t.nodes[node].visits > 0
                if evaluated and not visited:
                    worth = _best_worth(search, s)
                    if abs(worth) < SURE:
                        break
                if evaluated or visited:
                    _expand(search, node, s)
            if t.nodes[node].edges == 0 or length >= len(path):
                playout(g, s, search.seed, search.mode == DECISIVE)
                winners = s[RESULT]
                break
            at = kept_on(t, node) if search.steady else -1
            if at < 0:
                at = _chosen(search, node, _mover(s[TURN], players))
                if search.steady:
                    keep_on(t, node, at)
            edge = t.edges[t.nodes[node].edge + at]
            fresh = at == t.nodes[node].tried
            if fresh:
                make_room(t, node)
            play(g, s, edge & (1 << MOVE_BITS) - 1)
            if fresh:
                made(t, t.nodes[node].first + at, s[RESULT])
                t.nodes[node].tried += 1
            node = t.nodes[node].first + at
            path[length] = node
            length += 1
        _back_up(search, length, turn, worth, winners)
    return int(count)


@kernel
def found(search: KernelSearch, s: Ints, wanted: Ints) -> int:
    """Return the node with the state ``wanted``, which is one or two moves after the root's state
    ``s``. If several nodes have this state, return the most visited node. If no node has this
    state, return -1.
    """
    t, g, states = search.tree, search.tables, search.states
    root = t.nodes[0]
    best, most = -1, -1
    for at in range(root.tried):
        child = t.nodes[root.first + at]
        copied(states[0], s)
        play(g, states[0], t.edges[root.edge + at] & (1 << MOVE_BITS) - 1)
        if child.visits > most and _same(states[0], wanted):
            best, most = root.first + at, int(child.visits)
        if states[0, RESULT] != OPEN or states[0, TURN] >= wanted[TURN]:
            continue
        for place in range(child.tried):
            copied(states[1], states[0])
            play(g, states[1], t.edges[child.edge + place] & (1 << MOVE_BITS) - 1)
            visits = int(t.nodes[child.first + place].visits)
            if visits > most and _same(states[1], wanted):
                best, most = child.first + place, visits
    return int(best)


@kernel
def _same(s: Ints, wanted: Ints) -> bool:
    for at in range(len(s)):
        if s[at] != wanted[at]:
            return False
    return True
