"""The nodes of a tree, and room for them: what a search of ``kernels.tree`` knows.

The nodes behind one node's moves lie side by side, so that choosing one of them reads few lines of
the processor's cache; where there are many moves they get room as they are tried. A tree that has
no room left forgets what was looked at least.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmware_host.engines.search.kernels.jit import OPEN, Ints, kernel, making_kernel

Edges = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_NODES = 1_500_000
_EDGES_A_NODE = 8  # there is room for
NODES, EDGES = 0, 1  # in ``Tree.head``: how many are in use
_FIRST_ROOM = 8  # nodes; then twice as many, and so on
ROOTS = 1 << 14  # visits of which ``Tree.roots`` knows

NODE = np.dtype(
    [
        ("total", np.float64),
        ("weights", np.float32),
        *((name, np.uint32) for name in ("first", "edge", "visits")),
        *((name, np.int16) for name in ("edges", "tried", "far", "proven")),
    ],
    align=True,
)
"""A node, in 32 bytes. ``edge``, ``edges``: where its moves begin, and how many they are, 0: not
listed yet; the first ``tried`` of them have a node each, from ``first`` on. ``weights``: of all of
them. ``total``: what its visits have brought to who moved to it. ``proven``: as ``RESULT``;
``far``: plies to that end. A steady search that evaluates nothing has other use for two: ``far``
of an open node is the move that is looked at ``weights`` more times.
"""


class Tree(NamedTuple):
    """``head``: as above; the root is node 0. ``edges``: moves, and what each is worth to the mover
    in hundredths. ``roots``: for few visits what UCT needs: the root of their logarithm, and one
    over theirs.
    """

    head: Ints
    nodes: Any
    edges: Edges
    roots: Floats


def grown(nodes: int) -> Tree:
    """An empty tree with room for so many nodes; memory is used only as it grows."""
    visits = np.arange(ROOTS, dtype=np.float64)
    return Tree(
        head=np.zeros(2, np.int64),
        nodes=np.empty(nodes, NODE),
        edges=np.empty(_EDGES_A_NODE * nodes, np.int32),
        roots=np.array([np.sqrt(np.log(visits + 1)), np.maximum(visits, 1) ** -0.5]),
    )


@kernel
def start_anew(t: Tree) -> None:
    """Forget everything but a root of which nothing is known."""
    t.head[NODES], t.head[EDGES] = 1, 0
    made(t, 0, OPEN)


@kernel
def made(t: Tree, node: int, result: int) -> None:
    """A node of which only the result is known."""
    new = t.nodes[node]
    new.edge = new.first = new.visits = 0
    new.edges = new.tried = new.far = 0
    new.proven = result
    new.total = new.weights = 0.0


@kernel
def _room(tried: int, edges: int) -> int:
    """For how many nodes there is room behind a node's moves: ``_FIRST_ROOM``, then twice as many
    each time that it is filled, but not for more than there are moves.
    """
    room = _FIRST_ROOM
    while room < tried:
        room *= 2
    return min(room, edges)


@kernel
def make_room(t: Tree, node: int) -> None:
    """For a node behind one more of a node's moves, where there is none."""
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
    """Whether one more simulation, which lists the moves of two nodes at most, may find no room."""
    nodes, edges = t.head[NODES], t.head[EDGES]
    return bool(nodes + 2 * moves > len(t.nodes) or edges + 2 * moves > len(t.edges))


@kernel
def _counted(t: Tree, root: int, least: int, kept: Edges) -> tuple[int, int, int]:
    """How many nodes ``keep`` would keep, with how much room and how many edges; ``kept``: which,
    in the order in which they are looked at.
    """
    kept[0] = root
    known, looked, size, used = 1, 0, 1, 0
    while looked < known:
        node = t.nodes[kept[looked]]
        if looked == 0 or node.visits >= least:
            used += node.edges
            if node.tried:
                size += _room(node.tried, node.edges)
            for at in range(node.tried):
                kept[known] = node.first + at
                known += 1
        looked += 1
    return known, size, used


@making_kernel
def keep(t: Tree, root: int) -> None:
    """Make ``root`` the root and forget what does not follow from it; and so that half of the room
    is free, what lies behind nodes with few visits.
    """
    kept = np.empty(t.head[NODES], np.int32)
    least = 0
    known, size, used = _counted(t, root, least, kept)
    while 2 * size > len(t.nodes) or 2 * used > len(t.edges):
        least = 2 * least + 2
        known, size, used = _counted(t, root, least, kept)
    nodes, edges = np.empty(known, NODE), np.empty(used, np.int32)
    used = 0
    for number in range(known):
        nodes[number] = t.nodes[kept[number]]
        node = nodes[number]
        if number and node.visits < least:
            node.edge = node.first = node.edges = node.tried = 0
        for at in range(node.edges):
            edges[used + at] = t.edges[node.edge + at]
        node.edge = used
        used += node.edges
    t.edges[:used] = edges
    t.nodes[0] = nodes[0]
    number, size = 1, 1
    kept[0] = 0  # now where each of ``nodes`` is
    for parent in range(known):
        node = t.nodes[kept[parent]]
        if node.tried:
            node.first = size
            for at in range(node.tried):
                t.nodes[size + at] = nodes[number]
                kept[number] = size + at
                number += 1
            size += _room(node.tried, node.edges)
    t.head[NODES], t.head[EDGES] = size, used
