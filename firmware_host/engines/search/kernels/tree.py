"""Monte-Carlo tree search with a solver on whole rows of numbers; ``search.tree`` is the plain one.

A leaf is worth what a random playout brings (mode ``PLAYOUTS``: UCT), or what the evaluation says
of the best of its moves; then the evaluation also tells which moves are looked at first (PUCT).
Source of the latter: C. Rosin, "Multi-armed bandits with episode context", Annals of Mathematics
and Artificial Intelligence 61 (2011).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firmware_host.engines.search.kernels.board import (
    forced,
    judged,
    legal,
    play,
    playout,
    sensible,
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
    random_below,
)
from firmware_host.engines.search.kernels.nodes import (
    EDGES,
    ROOTS,
    Floats,
    Tree,
    is_full,
    made,
    make_room,
)

Bytes = NDArray[np.uint8]

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
    hidden: Bytes,
    sharp: bool,
) -> None:
    """List the moves of ``node``, whose state is ``s``: by their worth, and of those that are known
    to lose only one, where there is no other; or shuffled; in the mode ``DECISIVE`` one that wins
    stands alone.
    ``hidden``: moves that are not seen. ``sharp``: as in ``board.judged``.
    """
    count = _seen(g, s, spare, moves, mode, hidden, sharp)
    edge = t.head[EDGES]
    mover = s[TURN] % g.facts[PLAYERS]
    weights = 0.0
    for at in range(count):
        move = moves[0, at]
        if mode != EVALUATED:
            other = edge + random_below(seed, at + 1)
            t.edges[edge + at] = t.edges[other]
            t.edges[other] = move
            if mode == DECISIVE and _wins(g, s, move, mover, spare[0]):
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
def _wins(g: Any, s: Ints, move: int, mover: int, after: Ints) -> bool:
    copied(after, s)
    play(g, after, move)
    return bool(after[RESULT] > 0 and after[RESULT] >> mover & 1)


@kernel
def _seen(g: Any, s: Ints, spare: Ints, moves: Ints, mode: int, hidden: Bytes, sharp: bool) -> int:
    """List the moves of ``s`` that are seen, or the first where none is; in the mode ``EVALUATED``
    with what each is worth.
    """
    if mode == EVALUATED:
        count = judged(g, s, moves, spare, sharp)
    elif mode == DECISIVE and sharp:
        count = sensible(g, s, moves[0], spare)
    else:
        count = legal(g, s, moves[0], spare)
    kept = 0
    for at in range(count):
        if not hidden[moves[0, at]]:
            moves[0, kept], moves[1, kept] = moves[0, at], moves[1, at]
            kept += 1
    return kept if kept else 1


@kernel
def _blurred(worth: int, seed: Ints, noise: int) -> int:
    """With some noise, where it is not sure."""
    if abs(worth) == SURE:
        return worth
    worth += random_below(seed, 2 * noise + 1) - noise
    return int(min(max(worth, 1 - SURE), SURE - 1))


@kernel
def _best_worth(
    g: Any, s: Ints, spare: Ints, moves: Ints, seed: Ints, noise: int, hidden: Bytes, sharp: bool
) -> int:
    """The worth of the best move of the state ``s``."""
    best = -SURE
    for at in range(_seen(g, s, spare, moves, EVALUATED, hidden, sharp)):
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
    hidden: Bytes,
) -> int:
    """Look at ``numbers[0]`` more leaves of the tree from the root, whose state is ``start``; fewer
    where it is proven. ``numbers``: besides, the mode, the noise, and whether what is proven is
    told upwards, whether wins by force are looked for, and whether a move that was chosen is looked
    at for some visits (not in the mode ``EVALUATED``). ``work``: three rows for states, then
    ``FORCED_ROWS``. ``hidden``: as in ``_expand``, after each move, and last for the root.
    """
    count, mode, noise, solving = numbers[0], numbers[1], numbers[2], numbers[3]
    players, turn = g.facts[PLAYERS], start[TURN]
    evaluated, steady = mode == EVALUATED, numbers[5]
    s = work[2]
    sharp = len(hidden) == 1
    nothing_hidden = hidden[0] if sharp else hidden[g.facts[MOVES] + 1]
    for done in range(count):
        if t.nodes[0].proven != OPEN_STILL or is_full(t, g.facts[MOVES]):
            return done
        copied(s, start)
        node, length, last = 0, 1, 0
        path[0] = 0
        worth = 0  # of the leaf, for the mover there
        winners = BY_WORTH  # or by a proof or a playout
        while True:
            if numbers[4] and node:
                _force(t, node, g, s, work[3:])
            if t.nodes[node].proven != OPEN_STILL:
                winners = t.nodes[node].proven
                if solving:
                    _prove(t, path, length, turn, players)
                break
            if t.nodes[node].edges == 0:
                unseen = nothing_hidden
                if not sharp and length <= 2:
                    unseen = hidden[g.facts[MOVES] if length == 1 else last]
                visited = node == 0 or t.nodes[node].visits > 0
                if evaluated and not visited:
                    worth = _best_worth(g, s, work, moves, seed, noise, unseen, sharp)
                    if abs(worth) < SURE:
                        break
                if evaluated or visited:
                    _expand(*(t, node, g, s, work, moves, seed, mode, noise, curves, unseen, sharp))
            if t.nodes[node].edges == 0 or length >= len(path):
                winners = _played_out(g, s, seed, mode)
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
            last = edge & (1 << MOVE_BITS) - 1
            play(g, s, last)
            if fresh:
                made(t, t.nodes[node].first + at, s[RESULT])
                t.nodes[node].tried += 1
            node = t.nodes[node].first + at
            path[length] = node
            length += 1
        _back_up(t, path, length, turn, worth, winners, players, curves)
    return int(count)


@kernel
def _played_out(g: Any, s: Ints, seed: Ints, mode: int) -> int:
    playout(g, s, seed, mode == DECISIVE)
    return int(s[RESULT])


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
