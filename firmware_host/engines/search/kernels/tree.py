"""Monte-Carlo tree search with a solver on whole rows of numbers; ``search.tree`` is the plain one.

The nodes behind one node's moves lie side by side, so that choosing one of them reads few lines of
the processor's cache; where there are many moves they get room as they are tried. A tree that has
no room left forgets what was looked at least.

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

from firmware_host.engines.search.kernels.board import (
    forced,
    judged,
    legal,
    play,
    playout,
)
from firmware_host.engines.search.kernels.jit import (
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

MOST_NODES = 1_500_000
_EDGES_A_NODE = 8  # room, on average
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
    """Make room in a node for one more child, where there is none."""
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


MOST_PATH = 2500
PLAYOUTS, DECISIVE, EVALUATED = 0, 1, 2
"""Modes: random playouts; playouts that miss no winning drop; the evaluation."""
OPEN_STILL = -1
BY_WORTH = -2
MOVE_BITS = 16  # of an edge; its worth is above
_DEEPEST = 12  # threats in a row that are looked at
FORCED_ROWS = 2 * _DEEPEST + 3
_FORCED_FROM = 1  # visits; then each time that they have doubled
_FORCED_LOOKS = 30  # and one more for each _VISITS_A_LOOK
_VISITS_A_LOOK = 4
_VISITS_AGAIN, _ITS_VISITS_AGAIN = 32, 8  # of a position and of its move, for one more look


def curves(spread: float) -> Floats:
    """For each worth of an edge: the share of the game that it stands for, and its weight among
    its siblings, which falls by e with ``spread`` hundredths.
    """
    worth = np.arange(-SURE, SURE + 1)
    return np.ascontiguousarray(
        np.stack([1 / (1 + np.exp(-worth / 100)), np.exp(np.clip(worth, -800, 800) / spread)])
    )


@kernel
def _share(curves: Floats, worth: int) -> float:
    return float(curves[0, worth + SURE])


@kernel
def _expand(
    t: Tree,
    node: int,
    g: Any,
    s: Ints,
    spare: Ints,
    moves: Ints,
    seed: Ints,
    mode: int,
    noise: int,
    curves: Floats,
) -> None:
    """List the moves of ``node``, whose state is ``s``: by their worth, and of those that are known
    to lose only one, where there is no other; or shuffled; in the mode ``DECISIVE`` one that wins
    stands alone.
    """
    count = judged(g, s, moves, spare) if mode == EVALUATED else legal(g, s, moves[0], spare)
    edge = t.head[EDGES]
    mover = s[TURN] % g.facts[PLAYERS]
    weights = 0.0
    for at in range(count):
        move = moves[0, at]
        if mode != EVALUATED:
            other = edge + random_below(seed, at + 1)
            t.edges[edge + at] = t.edges[other]
            t.edges[other] = move
            if mode == DECISIVE:
                copied(spare[0], s)
                play(g, spare[0], move)
                if spare[0, RESULT] > 0 and spare[0, RESULT] >> mover & 1:
                    t.edges[edge] = move
                    count = 1
                    break
            continue
        worth = _blurred(moves[1, at], seed, noise)
        weights += curves[1, worth + SURE]
        place = edge + at
        while place > edge and t.edges[place - 1] >> MOVE_BITS < worth:
            t.edges[place] = t.edges[place - 1]
            place -= 1
        t.edges[place] = worth << MOVE_BITS | move
    while count > 1 and mode == EVALUATED and t.edges[edge + count - 1] >> MOVE_BITS == -SURE:
        count -= 1
    t.head[EDGES] = edge + count
    t.nodes[node].edge, t.nodes[node].edges, t.nodes[node].weights = edge, count, weights


@kernel
def _force(t: Tree, node: int, g: Any, s: Ints, rows: Ints) -> None:
    """Prove ``node``, whose state is ``s``, if its mover wins by force. Looked at when its visits
    have doubled, the further the more they are.
    """
    visits = t.nodes[node].visits
    if t.nodes[node].proven != OPEN_STILL or visits < _FORCED_FROM or visits & (visits - 1):
        return
    plies = forced(g, s, rows, _FORCED_LOOKS + visits // _VISITS_A_LOOK)
    if plies:
        t.nodes[node].proven = 1 << _mover(s[TURN], g.facts[PLAYERS])
        t.nodes[node].far = plies


@kernel
def _blurred(worth: int, seed: Ints, noise: int) -> int:
    """A value with some noise, unless it is proven."""
    if abs(worth) == SURE:
        return worth
    worth += random_below(seed, 2 * noise + 1) - noise
    return int(min(max(worth, 1 - SURE), SURE - 1))


@kernel
def _best_worth(g: Any, s: Ints, spare: Ints, moves: Ints, seed: Ints, noise: int) -> int:
    """The worth of the best move of the state ``s``."""
    best = -SURE
    for at in range(judged(g, s, moves, spare)):
        best = max(best, _blurred(moves[1, at], seed, noise))
    return int(best)


@kernel
def _chosen(
    t: Tree, node: int, mover: int, mode: int, explore: float, curves: Floats, solving: int
) -> int:
    """Which of the moves of ``node`` to look at next; ``tried``: the first that has no node yet."""
    parent = t.nodes[node]
    edge, first, tried = parent.edge, parent.first, parent.tried
    chosen, best = 0, -1.0
    if mode == EVALUATED:
        scale = explore * math.sqrt(parent.visits + 1) / parent.weights
        if tried < parent.edges:
            worth = t.edges[edge + tried] >> MOVE_BITS
            chosen, best = tried, _share(curves, worth) + scale * curves[1, worth + SURE]
        for at in range(tried):
            child = t.nodes[first + at]
            if solving and child.proven > 0 and not child.proven >> mover & 1:
                continue
            weight = curves[1, (t.edges[edge + at] >> MOVE_BITS) + SURE]
            visits, more = child.visits, child.visits + 1
            found = (child.total * more + scale * weight * visits) / (float(visits) * more)
            if found > best:
                chosen, best = at, found
        return int(chosen)
    if tried < parent.edges:
        return int(tried)
    if parent.visits < ROOTS:
        scale = explore * t.roots[0, parent.visits]
    else:
        scale = explore * math.sqrt(math.log(parent.visits + 1))
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
    """Which of the moves of ``node`` was chosen to be looked at for some more visits; else -1."""
    parent = t.nodes[node]
    if parent.weights < 1 or t.nodes[parent.first + parent.far].proven != OPEN_STILL:
        return -1
    parent.weights -= 1
    return int(parent.far)


@kernel
def keep_on(t: Tree, node: int, at: int) -> None:
    """Look at a move of ``node`` again before the others are compared anew: the more visits both
    have, the less one changes. Comparing takes as long as a playout.
    """
    parent = t.nodes[node]
    if at < parent.tried:
        visits = t.nodes[parent.first + at].visits
        parent.far = at
        parent.weights = min(parent.visits // _VISITS_AGAIN, visits // _ITS_VISITS_AGAIN)


@kernel
def _mover(turn: int, players: int) -> int:
    """``turn % players``, which takes long."""
    return turn & 1 if players == 2 else turn % players


@kernel
def _prove(t: Tree, path: Ints, length: int, turn: int, players: int) -> None:
    """The last node of ``path`` is proven: what follows for those above. ``turn``: the root's."""
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
            if proven == 0 and best != 0:  # nobody wins: better than losing
                best, far = 0, its_far
            elif best == OPEN_STILL or best == proven:
                best, far = proven, max(far, its_far)
            elif best > 0:
                mixed, far = True, max(far, its_far)
        if best > 0 and mixed and players > 2:
            return  # who of the others wins is in the mover's hand, and open
        parent.proven, parent.far = best, far + 1


@kernel
def _back_up(
    t: Tree,
    path: Ints,
    length: int,
    turn: int,
    worth: int,
    winners: int,
    players: int,
    curves: Floats,
) -> None:
    """Tell the nodes of ``path`` what its leaf has brought: as in ``simulate``. ``turn``: the
    root's.
    """
    leaf = _mover(turn + length - 1, players)
    who = _mover(turn + players - 1, players)
    for at in range(length):
        node = t.nodes[path[at]]
        node.visits += 1
        if winners == BY_WORTH:
            node.total += _share(curves, worth if who == leaf else -worth)
        elif winners == 0:
            node.total += 1.0 / players
        else:
            node.total += winners >> who & 1
        who = 0 if who == players - 1 else who + 1


@kernel
def simulate(
    t: Tree,
    g: Any,
    start: Ints,
    work: Ints,
    moves: Ints,
    path: Ints,
    seed: Ints,
    numbers: Ints,
    explore: float,
    curves: Floats,
) -> int:
    """Look at ``numbers[0]`` more leaves of the tree from the root, whose state is ``start``; fewer
    where it is proven. ``numbers``: besides, the mode, the noise, and whether what is proven is
    told upwards, whether wins by force are looked for, and whether a move that was chosen is looked
    at for some visits (not in the mode ``EVALUATED``). ``work``: three rows for states, then
    ``FORCED_ROWS``.
    """
    count, mode, noise, solving = numbers[0], numbers[1], numbers[2], numbers[3]
    players, turn = g.facts[PLAYERS], start[TURN]
    evaluated, steady = mode == EVALUATED, numbers[5]
    s = work[2]
    for done in range(count):
        if t.nodes[0].proven != OPEN_STILL or is_full(t, g.facts[MOVES]):
            return done
        copied(s, start)
        node, length = 0, 1
        path[0] = 0
        worth = 0  # of the leaf, for the mover there
        winners = BY_WORTH  # unless a proof or a playout decides
        while True:
            if numbers[4] and node:
                _force(t, node, g, s, work[3:])
            if t.nodes[node].proven != OPEN_STILL:
                winners = t.nodes[node].proven
                if solving:
                    _prove(t, path, length, turn, players)
                break
            if t.nodes[node].edges == 0:
                visited = node == 0 or t.nodes[node].visits > 0
                if evaluated and not visited:
                    worth = _best_worth(g, s, work, moves, seed, noise)
                    if abs(worth) < SURE:
                        break
                if evaluated or visited:
                    _expand(t, node, g, s, work, moves, seed, mode, noise, curves)
            if t.nodes[node].edges == 0 or length >= len(path):
                playout(g, s, seed, mode == DECISIVE)
                winners = s[RESULT]
                break
            mover = _mover(s[TURN], players)
            at = kept_on(t, node) if steady else -1
            if at < 0:
                at = _chosen(t, node, mover, mode, explore, curves, solving)
                if steady:
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
        _back_up(t, path, length, turn, worth, winners, players, curves)
    return int(count)


@kernel
def found(t: Tree, g: Any, s: Ints, wanted: Ints, work: Ints) -> int:
    """The node of the state ``wanted``, one or two moves after the root's, ``s``, with the most
    visits, where several moves lead to it; else -1.
    """
    root = t.nodes[0]
    best = -1
    for at in range(root.tried):
        node = t.nodes[root.first + at]
        copied(work[0], s)
        play(g, work[0], t.edges[root.edge + at] & (1 << MOVE_BITS) - 1)
        if _same(work[0], wanted):
            best = _busier(t, best, root.first + at)
        if work[0, RESULT] != OPEN or work[0, TURN] >= wanted[TURN]:
            continue
        for place in range(node.tried):
            copied(work[1], work[0])
            play(g, work[1], t.edges[node.edge + place] & (1 << MOVE_BITS) - 1)
            if _same(work[1], wanted):
                best = _busier(t, best, node.first + place)
    return int(best)


@kernel
def _busier(t: Tree, node: int, other: int) -> int:
    """Which of two has more visits; ``node`` may be -1, nobody's."""
    return other if node < 0 or t.nodes[other].visits > t.nodes[node].visits else node


@kernel
def _same(s: Ints, wanted: Ints) -> bool:
    for at in range(len(s)):
        if s[at] != wanted[at]:
            return False
    return True
