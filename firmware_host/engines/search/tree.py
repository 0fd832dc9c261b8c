"""Monte-Carlo tree search that can prove results, for any number of players and for teams.

Each player chooses the move that is best for themselves (max-n). The search uses UCT on the
players' scores, with random playouts at the leaves. A position is proven if one of its moves wins
for the player to move, or if all its moves are proven. Sources: L. Kocsis, C. Szepesvari, "Bandit
based Monte-Carlo planning", ECML 2006; M. Winands and others, "Monte-Carlo tree search solver",
Computers and Games 2008.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from tiltboard.firmware_host.engines.search.alphabeta import Attention
from tiltboard.firmware_host.engines.search.limits import WIN, Found, ThinkingBudget, log_odds
from tiltboard.games.rules import Rules

EXPLORATION = 0.7
MAX_NODES = 60_000  # Maximum number of positions in the tree.
_REPORT_EVERY = 1000
_BATCH = 16  # Number of playouts between two checks of the clock.
_BYTES = 1 << 14  # Number of random bytes that one call of the random generator returns.
_CHUNK = 1 << 10


class _Node:
    """A position in the search tree.

    ``shares`` contains the sum of each player's results. ``proven`` contains the winners if the
    result of the position is proven, otherwise None. ``untried`` contains the moves that have no
    node yet.
    """

    __slots__ = ("children", "mover", "proven", "shares", "state", "untried", "visits")

    def __init__(self, state: Any, mover: int, players: int, untried: list[int]) -> None:
        self.state = state
        self.mover = mover
        self.untried = untried
        self.children: dict[int, _Node] = {}
        self.shares = [0.0] * players
        self.visits = 0
        self.proven: tuple[int, ...] | None = None


class TreeSearch:
    """A tree search of one position, with one thinking budget."""

    def __init__(
        self,
        rules: Rules,
        budget: ThinkingBudget,
        rng: random.Random,
        *,
        attention: Attention | None = None,
        playouts: Rules | None = None,
        report: Callable[[Found], None] = lambda _: None,
    ) -> None:
        """Prepare a search.

        ``playouts`` are simpler rules for the same states, which make random games faster.
        """
        self._rules = rules
        self._playouts = playouts or rules
        self._budget = budget
        self._rng = rng
        self._attention = attention
        self._report = report
        self._stream = random_choices(rules.every_move, rng)
        self._size = 0

    def search(self, state: Any) -> Found:
        """Return the moves of ``state``, most visited first. The game must not be over in
        ``state``.
        """
        root = self._node(state, 0, 0)
        budget = self._budget
        report_at = _REPORT_EVERY
        while root.proven is None and not (len(root.children) == 1 and not root.untried):
            for _ in range(_BATCH):
                budget.nodes += 1
                self._visit(root)
                if root.proven is not None:
                    break
            if budget.spent:
                break
            if budget.nodes >= report_at:
                report_at = 2 * budget.nodes
                self._report(self._found(root))
        found = self._found(root)
        self._report(found)
        return found

    def _node(self, state: Any, ply: int, last: int) -> _Node:
        rules = self._rules
        self._size += 1
        winners = rules.result(state)
        moves: Sequence[int] = () if winners is not None else rules.moves(state)
        if moves and self._attention is not None:
            moves = self._attention.noticed_moves(moves, ply, last)
        node = _Node(state, rules.mover(state), rules.players, list(moves))
        node.proven = winners
        return node

    def _visit(self, root: _Node) -> None:
        path, node, last = [root], root, 0
        while node.proven is None:
            if node.untried:
                if self._size >= MAX_NODES:
                    break
                moves = node.untried
                at = int(self._rng.random() * len(moves))
                moves[at], moves[-1] = moves[-1], moves[at]
                last = moves.pop()
                state = self._rules.apply(node.state, last)
                child = self._node(state, len(path), last)
                node.children[last] = child
                path.append(child)
                node = child
                break
            node = self._best(node)
            path.append(node)
        winners = node.proven
        if winners is None:
            rules = self._playouts
            winners = rules.result(rules.advance(node.state, self._stream)) or ()
        elif len(path) > 1:
            self._prove(path)
        share = 1 / len(root.shares) if not winners else 1.0
        for each in path:
            each.visits += 1
            for player in winners or range(len(each.shares)):
                each.shares[player] += share

    def _best(self, node: _Node) -> _Node:
        """Return the child to visit next. The child is not a proven loss for the player to move,
        unless all children are.
        """
        mover, log_visits = node.mover, math.log(node.visits + 1)
        best, chosen = -1.0, None
        for child in node.children.values():
            if child.proven is not None and mover not in child.proven and child.proven:
                continue
            value = child.shares[mover] / child.visits
            value += EXPLORATION * math.sqrt(log_visits / child.visits)
            if value > best:
                best, chosen = value, child
        return chosen or next(iter(node.children.values()))

    def _prove(self, path: list[_Node]) -> None:
        """Use the proof of the last node of ``path`` to prove the earlier nodes of ``path``, if
        possible.
        """
        for node, child in zip(path[-2::-1], path[:0:-1], strict=True):
            winners = child.proven
            if winners is None:
                return
            if node.mover in winners:
                node.proven = winners
                continue
            if node.untried:
                return
            known = [each.proven for each in node.children.values()]
            if any(each is None for each in known):
                return
            proven = [each for each in known if each is not None]
            if () in proven:  # A draw is better than a loss.
                node.proven = ()
            elif len(set(proven)) == 1 or len(node.shares) == 2:
                node.proven = proven[0]
            else:
                # The player to move loses, but can still choose which opponent wins, so the result
                # is not proven.
                return

    def _found(self, root: _Node) -> Found:
        mover = root.mover
        if not root.children:
            move = root.untried[-1]
            return Found(((move, 0),), (move,), 0, self._budget.nodes, self._budget.used_s)
        order = sorted(root.children.items(), key=lambda p: _rank(p[1], mover), reverse=True)
        ranked = tuple((move, _value(child, mover)) for move, child in order)
        line, node = list[int](), root
        while node.children and not (line and node.visits < _BATCH):
            move, node = max(node.children.items(), key=lambda p: _rank(p[1], node.mover))
            line.append(move)
        return Found(ranked, tuple(line), len(line), self._budget.nodes, self._budget.used_s)


def _rank(child: _Node, mover: int) -> tuple[int, int, float]:
    """Return a sort key: proven wins first, then undecided or drawn moves, then losses. Each group
    is ordered by visits.
    """
    sure = 0
    if child.proven is not None and child.proven:
        sure = 1 if mover in child.proven else -1
    return sure, child.visits, child.shares[mover]


def _value(child: _Node, mover: int) -> int:
    if child.proven is not None:
        distance = 1 + _depth(child)
        if not child.proven:
            return 0
        return WIN - distance if mover in child.proven else distance - WIN
    return log_odds((child.shares[mover] + 0.5) / (child.visits + 1))


def _depth(node: _Node) -> int:
    """Return the number of plies to the end of the game in a proven position.

    The winner takes the shortest way in the tree, and the loser the longest.
    """
    if not node.children:
        return 0
    winners = node.proven or ()
    ends = [c for c in node.children.values() if c.proven is not None]
    if node.mover in winners:
        return 1 + min(_depth(c) for c in ends if node.mover in (c.proven or ()))
    return 1 + max(map(_depth, ends))


def random_choices(choices: Sequence[int], rng: random.Random) -> Iterator[int]:
    """Yield random items of ``choices`` without end, all with the same probability, for
    ``Rules.advance``.

    If all choices are from 0 to 255, many random bytes are converted in one call, which is twice as
    fast. Bytes that would make some choices more probable are dropped.
    """
    if len(choices) > 256 or max(choices) > 255:
        return chain.from_iterable(iter(lambda: rng.choices(choices, k=_CHUNK), None))
    fair = 256 // len(choices) * len(choices)
    table = bytes(choices[byte % len(choices)] for byte in range(256))
    surplus = bytes(range(fair, 256))
    runs = iter(lambda: rng.randbytes(_BYTES).translate(table, surplus), None)
    return chain.from_iterable(runs)
