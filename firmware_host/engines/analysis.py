"""Analysis by the strongest level: of a whole game, and of every move of a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.engines.process import MARGIN_S, EngineProcess
from tiltboard.firmware_host.engines.puzzles import exercises, made_of
from tiltboard.firmware_host.engines.search.limits import (
    STRONGEST,
    SURE,
    WIN,
    Found,
    Limits,
    expected,
)
from tiltboard.firmware_host.engines.search.thinker import Thinker
from tiltboard.games.base import Game, Position

MAX_TURNING = 3  # Turning points, and things to learn.
MIN_LOST = 0.1  # Share of the game that a turning point loses at least.
MOVE_MS = 300
WHOLE_MS = 20_000  # For a whole game; a longer one gets less time per move.
LINE_PLIES = 6  # Length of the lines of better moves and of replies.
PROVEN_TURNS = 5  # Longest win that the proof search looks for.
_FIRST_SHARE = 0.4  # Share of the time for the best move and the moves ranked with it.
_DEEPEST = 64
_MAX_LOOKED = 15_000  # Positions searched to make a puzzle of a position played.


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A move that changed the balance of a game."""

    ply: int
    """Its number; the game's first move is 1."""
    player: str
    move: str
    before: float
    """The player's share of the game before it, 0 to 1."""
    after: float
    """The player's share after it."""
    better: tuple[str, ...] = ()
    """The best line instead; empty if the engine would have played the same move."""
    reply: tuple[str, ...] = ()
    """The best line after it; empty if it ended the game."""
    proven: Literal["lets", "missed"] | None = None
    """Whether it provably lets the opponent win or missed a win (the nearer, if both); None:
    unproven.
    """
    turns: int = 0
    """The winner's turns to the end, if proven."""


class Takeaway(NamedTuple):
    """A thing to learn from a game."""

    point: TurningPoint | None
    """The move it is about, or None if it is about none."""
    number: int = 0
    """The number of a similar puzzle that comes with the game, or 0."""
    kind: str = ""
    """The kind of that puzzle."""
    ply: int | None = None
    """Number of moves after which the position is a puzzle itself, or None."""


class Analysis(NamedTuple):
    """The analysis of a game: the first player's expected share, 0 to 1, at the start and after
    each move; at most three turning points in the order of play; and three things to learn, if the
    game comes with puzzles.
    """

    shares: tuple[float, ...]
    turning: tuple[TurningPoint, ...]
    learn: tuple[Takeaway, ...] = ()


class Judgement(NamedTuple):
    """A position's value to the mover (as in ``Found``), and the best line; empty if the game is
    over.
    """

    value: int
    line: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The mover's share of the game, 0 to 1."""
        return expected(self.value) if abs(self.value) < SURE else float(self.value > 0)


Prove = Callable[[Sequence[str]], tuple[int, str] | None]
"""Given the moves to a position, returns in how many turns its mover can force a win and with which
move, or None if that cannot be proven.
"""
Judge = Callable[[Sequence[str]], Judgement]
"""Given the moves to a position that is not over, returns the engine's judgement of it."""


def check(game: Game) -> None:
    """Raise NotPossibleError for a game that cannot be analysed."""
    if len(game.players) != 2 or not game.rules.every_move:
        raise NotPossibleError("Only games of two players without secrets can be analysed.")


def analyse(
    positions: Sequence[Position],
    moves: Sequence[str],
    judge: Judge,
    prove: Prove = lambda _: None,
) -> Analysis:
    """Analyse a game of two players. ``positions`` are the start and the one after each of
    ``moves``; results of ``prove`` take precedence over the judge's opinion.
    """
    game, judged = positions[0].game, []
    for at, position in enumerate(positions):
        outcome = position.outcome
        if outcome is None:
            judged.append(judge(moves[:at]))
        elif outcome.winner is None:
            judged.append(Judgement(0))
        else:
            judged.append(Judgement(WIN if outcome.winner == position.mover else -WIN))
    shares = [
        found.share if position.mover == game.players[0] else 1 - found.share
        for position, found in zip(positions, judged, strict=True)
    ]
    turning = [
        _turning(at + 1, move, positions[at].mover, judged[at], judged[at + 1])
        for at, move in enumerate(moves)
    ]
    dear = [point for point in turning if point.before - point.after >= MIN_LOST]
    points = []
    for found in sorted(dear, key=lambda point: point.after - point.before)[:MAX_TURNING]:
        point = _with_proof(found, positions[found.ply], moves, prove)
        before, better = positions[point.ply - 1], point.better
        if better:
            better = _longer(before, moves[: point.ply - 1], better, judge)
        reply = _longer(positions[point.ply], moves[: point.ply], point.reply, judge)
        points.append(replace(point, better=better, reply=reply))
    points.sort(key=lambda point: point.ply)
    return Analysis(tuple(shares), tuple(points), _takeaways(game, points, moves))


def _turning(ply: int, move: str, mover: str, before: Judgement, after: Judgement) -> TurningPoint:
    """Return a move with its cost, for two players who take turns."""
    proven: Literal["lets", "missed"] | None = None
    turns = 0
    missed = before.value >= SURE and after.value > -SURE
    lets = after.value >= SURE and before.value > -SURE
    if missed and not (lets and after.value > before.value):  # of two wins the nearer one is told
        proven, turns = "missed", (WIN - before.value + 1) // 2
    elif lets:
        proven, turns = "lets", (WIN - after.value + 1) // 2
    better = () if before.line[:1] == (move,) else before.line
    return TurningPoint(
        ply, mover, move, before.share, 1 - after.share, better, after.line, proven, max(turns, 0)
    )


def _with_proof(
    point: TurningPoint, after: Position, moves: Sequence[str], prove: Prove
) -> TurningPoint:
    """Return ``point`` with what can be proven: that the player could have won, or lets the other
    win.
    """
    missed = prove(moves[: point.ply - 1])
    if missed is not None:
        turns, better = missed
        if point.proven == "missed" and point.better[:1] == (better,):
            return replace(point, turns=turns)
        if better != point.move and not after.over:
            return replace(point, proven="missed", turns=turns, better=(better,))
    lets = None if after.over else prove(moves[: point.ply])
    return point if lets is None else replace(point, proven="lets", turns=lets[0])


def _longer(
    position: Position, moves: Sequence[str], line: Sequence[str], judge: Judge
) -> tuple[str, ...]:
    """Return ``line`` after ``moves`` as far as it is legal, extended by the engine's moves."""
    found: list[str] = []
    while len(found) < LINE_PLIES and not position.over:
        ahead = tuple(line[len(found) :]) or judge((*moves, *found)).line
        if not ahead or ahead[0] not in position.legal():
            break
        line = (*found, *ahead)
        found.append(ahead[0])
        position = position.after(ahead[0])
    return tuple(found)


def _takeaways(
    game: Game, points: Sequence[TurningPoint], moves: Sequence[str]
) -> tuple[Takeaway, ...]:
    """Return the things to learn: each turning point (or none, if there are fewer than three) with
    an unused puzzle of the same kind and length, a missed win or a defence, if there is one.
    """
    left, found = dict(enumerate(exercises(game.name), start=1)), []
    for at in range(MAX_TURNING):
        point = points[at] if at < len(points) else None
        numbers, ply = list(left), None
        if point is not None:
            ply = point.ply - 1
            if made_of(game, moves[:ply], most=_MAX_LOOKED) is None:
                ply = None
            kind = "win" if point.proven == "missed" else "save"
            numbers = [n for n in numbers if left[n].kind == kind] or numbers
            numbers = [n for n in numbers if left[n].turns == point.turns] or numbers
        number = numbers[(len(moves) + 7 * at) % len(numbers)] if numbers else 0
        if number or point is not None:
            like = left.pop(number, None)
            found.append(Takeaway(point, number, "" if like is None else like.kind, ply))
    return tuple(found)


def engine_judge(
    process: EngineProcess, game: Game, length: int, wanted: Callable[[], bool]
) -> Judge:
    """Return a judge that asks an engine. ``length`` is the number of moves of the game. Once
    ``wanted`` returns False the judge raises NotPossibleError. Raises EngineError too.
    """
    options = {name: value for name, value in game.options.items() if value is not None}
    process.set_up(game.name, options, STRONGEST, book=False)
    move_ms = min(MOVE_MS, WHOLE_MS // (length + 1))

    def judge(moves: Sequence[str]) -> Judgement:
        longest_s = move_ms / 1000 + MARGIN_S
        best = process.think(moves, f"movetime {move_ms}", longest_s, wanted=wanted)
        if best is None:
            raise NotPossibleError("The analysis was stopped.")
        value, line = process.info.value or 0, process.info.line
        return Judgement(value, line if line[:1] == (best,) else (best,))

    return judge


def engine_proof(process: EngineProcess) -> Prove:
    """Return proofs by an engine that answers ``query wins``, as ours does; call after
    ``engine_judge``.
    """

    def prove(moves: Sequence[str]) -> tuple[int, str] | None:
        words = process.ask(moves, f"wins {PROVEN_TURNS}")
        return (int(words[0]), words[1]) if len(words) == 2 and words[0].isdecimal() else None

    return prove


def every_move(
    thinker: Thinker,
    state: Any,
    limits: Limits,
    *,
    now: Callable[[], float],
    stopped: Callable[[], bool] = lambda: False,
) -> Found:
    """Return the strongest level's findings in ``state``, which is not over, with every legal move
    among ``ranked``. ``limits.time_s`` must be given.

    A search that ranks few moves exactly is run after each move, one ply deeper each round, while
    time lasts, so that all moves are searched equally deep. With more than two sides the next
    player's value of a move says little about its maker's, so the playout search, which tries each
    move at least once, gets all the time.
    """
    rules, two = thinker.game.rules, len(thinker.game.teams or thinker.game.players) == 2
    total_s = limits.time_s or 0.0
    until_s = now() + total_s
    first = replace(limits, time_s=_FIRST_SHARE * total_s) if two else limits
    found = thinker.think(state, STRONGEST, first, stopped=stopped)
    moves = rules.moves(state)
    if len(found.ranked) >= len(moves) or not two:
        return _ranked(found, dict(found.ranked))
    values = dict.fromkeys(moves, 0) | dict(found.ranked)
    for depth in range(1, _DEEPEST):
        seen: dict[int, int] = {}
        for at, move in enumerate(moves):
            left_s = until_s - now()
            if depth > 1 and (left_s <= 0 or stopped()):
                return _ranked(found, values)
            after, mover = rules.apply(state, move), rules.mover(state)
            winners = rules.result(after)
            if winners is not None:
                seen[move] = 0 if not winners else WIN - 1 if mover in winners else 1 - WIN
                continue
            share = Limits(depth, None, max(left_s, 0.0) / (len(moves) - at))
            value = thinker.think(after, STRONGEST, share, stopped=stopped).value
            if not _together(thinker.game, mover, rules.mover(after)):
                value = -value
            seen[move] = value - 1 if value >= SURE else value + 1 if value <= -SURE else value
        values = seen
        if all(abs(value) >= SURE for value in values.values()):
            break
    return _ranked(found, values)


def _together(game: Game, one: int, other: int) -> bool:
    """Return whether two players win together."""
    pair = {game.players[one], game.players[other]}
    return len(pair) == 1 or any(pair <= set(team) for team in game.teams)


def _ranked(found: Found, values: dict[int, int]) -> Found:
    """Return ``found`` with these values; its own move stays the best: it was searched longest."""
    best = found.move
    if found.value <= -SURE:
        values = dict.fromkeys(values, found.value)
    values[best] = max(*values.values(), found.value if found.value >= SURE else -WIN)
    order = sorted(values.items(), key=lambda pair: (pair[1], pair[0] == best), reverse=True)
    return replace(found, ranked=tuple(order))
