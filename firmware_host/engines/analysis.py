"""Analyses whole games with the engine's strongest level, and values all moves of a position."""

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
    expected_score,
)
from tiltboard.firmware_host.engines.search.thinker import Thinker
from tiltboard.games.base import Game, Position

# Maximum number of turning points in an analysis. The number of takeaways has the same limit.
MAX_TURNING = 3
# A move that lowers the player's expected score (0 to 1) by at least this much is a turning point.
MIN_LOST = 0.1
MOVE_MS = 300
# Time limit for the analysis of a whole game, in ms. In a longer game, each move gets less time.
WHOLE_MS = 20_000
# Number of plies in the line of moves that shows a better move, and in the line that shows a reply.
LINE_PLIES = 6
PROVEN_TURNS = 5  # Maximum length, in turns, of the wins that the proof search looks for.
# Fraction of the total time that the first search, which finds the best move, gets.
_FIRST_SHARE = 0.4
_DEEPEST = 64
# Maximum number of positions that are searched to decide whether a position of the game is a
# puzzle.
_MAX_LOOKED = 15_000


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A move that clearly lowered the expected score of the player who made it."""

    ply: int
    """Number of the move in the game, from 1."""
    player: str
    move: str
    before: float
    """The player's expected score before the move, 0 to 1."""
    after: float
    """The player's expected score after the move, 0 to 1."""
    better: tuple[str, ...] = ()
    """The best line of moves that starts with a different move; empty if the engine would have made
    the same move.
    """
    reply: tuple[str, ...] = ()
    """The opponent's best line of moves after this move; empty if this move ended the game."""
    proven: Literal["lets", "missed"] | None = None
    """"lets" if the move provably lets the opponent win, "missed" if the move provably misses a
    win, or None if neither is proven. If both are proven, the faster win decides.
    """
    turns: int = 0
    """If the win is proven, the number of turns that the winner needs to end the game; otherwise 0.
    """


class Takeaway(NamedTuple):
    """One lesson from a game, shown to its players."""

    point: TurningPoint | None
    """The turning point that the lesson is about, or None if the lesson is only a puzzle."""
    number: int = 0
    """The number of a similar puzzle among the game's puzzles, or 0 if there is none."""
    kind: str = ""
    """The kind of the similar puzzle, "win" or "save"; empty if there is no puzzle."""
    ply: int | None = None
    """Number of moves after which the position of the recorded game is itself a puzzle, or None if
    there is no such position.
    """


class Analysis(NamedTuple):
    """The analysis of a game.

    ``shares`` are the first player's expected scores, 0 to 1, at the start and after each move.
    ``turning`` are at most three turning points in the order of play. ``learn`` are up to three
    lessons.
    """

    shares: tuple[float, ...]
    turning: tuple[TurningPoint, ...]
    learn: tuple[Takeaway, ...] = ()


class Judgement(NamedTuple):
    """A position's value for the player to move, in log odds times 100, and the best line of moves.
    The line is empty if the game is over.
    """

    value: int
    line: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The expected score of the player to move, 0 to 1."""
        return expected_score(self.value) if abs(self.value) < SURE else float(self.value > 0)


Prove = Callable[[Sequence[str]], tuple[int, str] | None]
"""Type of a function that returns the number of turns in which the player to move can force a win,
and the first move of the win.

The argument is the list of moves that lead to the position. The result is None if no win can be
proven.
"""
Judge = Callable[[Sequence[str]], Judgement]
"""Type of a function that returns the engine's judgement of a position, given the moves that lead
to the position. The game must not be over in the position.
"""


def check(game: Game) -> None:
    """Raise NotPossibleError if ``game`` cannot be analysed."""
    if len(game.players) != 2 or not game.rules.every_move:
        raise NotPossibleError("Only games of two players without secrets can be analysed.")


def analyse(
    positions: Sequence[Position],
    moves: Sequence[str],
    judge: Judge,
    prove: Prove = lambda _: None,
) -> Analysis:
    """Analyse a two-player game.

    ``positions`` are the initial position and the position after each of ``moves``. A win proven by
    ``prove`` takes precedence over the engine's judgement from ``judge``.
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
    """Return the turning point for a move, with the player's expected score before and after the
    move.

    Works only for two players who take turns.
    """
    proven: Literal["lets", "missed"] | None = None
    turns = 0
    missed = before.value >= SURE and after.value > -SURE
    lets = after.value >= SURE and before.value > -SURE
    # If a missed win and a win for the opponent are both proven, report the faster win.
    if missed and not (lets and after.value > before.value):
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
    """Return ``point`` with a proof added, if the player provably missed a win or lets the opponent
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
    """Return the moves of ``line`` that are legal after ``moves``, followed by more moves that the
    engine chooses.
    """
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
    """Return up to three lessons. Each lesson has a different puzzle, if there are enough puzzles.

    A puzzle of the same kind (a missed win or a defence) and the same length as the turning point
    is preferred.
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
    """Return a judge that asks an engine. ``length`` is the number of moves of the game.

    The judge raises NotPossibleError once ``wanted`` returns False, and EngineError if the engine
    fails.
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
    """Return a function that asks the engine to prove forced wins, with ``query wins``.

    Call it after ``engine_judge``. If the engine does not support this query, the function proves
    nothing. The built-in engine supports the query.
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
    """Return the strongest level's result in ``state``, in which ``ranked`` contains every legal
    move.

    The game must not be over in ``state``, and ``limits.time_s`` must be set.

    Some searches compute exact values for only a few moves. In this case each move is searched
    separately, one ply deeper in each round, until the time is over, so that all moves are searched
    equally deep. With more than two sides, the value of a position for the next player says little
    about its value for the player who moved. In this case the playout search, which tries each move
    at least once, gets the whole time.
    """
    rules, two = thinker.game.rules, len(thinker.game.teams or thinker.game.players) == 2
    total_s = limits.time_s or 0.0
    until_s = now() + total_s
    first = replace(limits, time_s=_FIRST_SHARE * total_s) if two else limits
    found = thinker.think(state, STRONGEST, first, stopped=stopped)
    moves = rules.moves(state)
    if len(found.ranked) >= len(moves) or not two:
        return _with_values(found, dict(found.ranked))
    values = dict.fromkeys(moves, 0) | dict(found.ranked)
    for depth in range(1, _DEEPEST):
        seen: dict[int, int] = {}
        for at, move in enumerate(moves):
            left_s = until_s - now()
            if depth > 1 and (left_s <= 0 or stopped()):
                return _with_values(found, values)
            after, mover = rules.apply(state, move), rules.mover(state)
            winners = rules.result(after)
            if winners is not None:
                seen[move] = 0 if not winners else WIN - 1 if mover in winners else 1 - WIN
                continue
            share = Limits(depth, None, max(left_s, 0.0) / (len(moves) - at))
            value = thinker.think(after, STRONGEST, share, stopped=stopped).value
            if not _are_allies(thinker.game, mover, rules.mover(after)):
                value = -value
            seen[move] = value - 1 if value >= SURE else value + 1 if value <= -SURE else value
        values = seen
        if all(abs(value) >= SURE for value in values.values()):
            break
    return _with_values(found, values)


def _are_allies(game: Game, one: int, other: int) -> bool:
    """Return whether two players, given by number, are on the same team."""
    pair = {game.players[one], game.players[other]}
    return len(pair) == 1 or any(pair <= set(team) for team in game.teams)


def _with_values(found: Found, values: dict[int, int]) -> Found:
    """Return ``found`` with its moves in the order of ``values``.

    The best move of ``found`` stays first, because the search spent most time on this move.
    """
    best = found.move
    if found.value <= -SURE:
        values = dict.fromkeys(values, found.value)
    values[best] = max(*values.values(), found.value if found.value >= SURE else -WIN)
    order = sorted(values.items(), key=lambda pair: (pair[1], pair[0] == best), reverse=True)
    return replace(found, ranked=tuple(order))
