"""A whole game looked at by the strongest level: who stood how, and which moves decided it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_host.config.errors import NotPossibleError
from firmware_host.engines import ugi
from firmware_host.engines.process import EngineProcess
from firmware_host.engines.search.levels import STRONGEST
from firmware_host.engines.search.limits import expected
from games.base import Game, Position

MOST_TURNING = 3
LEAST_LOST = 0.1  # of the game: less is no turning point
MOVE_MS = 300
WHOLE_MS = 20_000  # a longer game gets less time a move
GRACE_S = 10.0


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """Move number ``ply`` (the first is 1), which cost its ``player`` most. ``before`` and
    ``after``: his share of the game, 0 to 1. ``better``: what was better; None where the engine
    would have played the same.
    """

    ply: int
    player: str
    move: str
    before: float
    after: float
    better: str | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """``shares``: what the first player could expect, 0 to 1, at the start and after each move.
    ``turning``: at most three, in the order of play.
    """

    shares: tuple[float, ...]
    turning: tuple[TurningPoint, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of a position: the mover's share, and the move that the engine would make."""

    share: float
    best: str | None


Judge = Callable[[Sequence[str]], Judgement]
"""The moves that led to a position that is not over -> what the engine says of it."""


def check(game: Game) -> None:
    """Raises NotPossibleError where a curve could not show who stands how."""
    if len(game.players) != 2 or not game.rules.every_move:
        raise NotPossibleError("Only games of two players without secrets can be analysed.")


def analyse(positions: Sequence[Position], moves: Sequence[str], judge: Judge) -> Analysis:
    """``positions``: the start and the one after each of ``moves``; of a game for two."""
    first = positions[0].game.players[0]
    judged = [_judged(position, moves[:at], judge) for at, position in enumerate(positions)]
    shares = [
        found.share if position.mover == first else 1 - found.share
        for position, found in zip(positions, judged, strict=True)
    ]
    turning = []
    for at, move in enumerate(moves):
        mover = positions[at].mover
        before, after = (
            share if mover == first else 1 - share for share in (shares[at], shares[at + 1])
        )
        best = judged[at].best
        better = None if best == move else best
        if before - after >= LEAST_LOST:
            turning.append(TurningPoint(at + 1, mover, move, before, after, better))
    turning.sort(key=lambda point: point.after - point.before)
    return Analysis(
        tuple(shares), tuple(sorted(turning[:MOST_TURNING], key=lambda point: point.ply))
    )


def _judged(position: Position, moves: Sequence[str], judge: Judge) -> Judgement:
    outcome = position.outcome
    if outcome is None:
        return judge(moves)
    share = 0.5 if outcome.winner is None else float(outcome.winner == position.mover)
    return Judgement(share, None)


def engine_judge(
    process: EngineProcess, game: Game, length: int, wanted: Callable[[], bool]
) -> Judge:
    """Judges by an engine. ``length``: moves of the game. ``wanted``: looked at meanwhile; once it
    is False the judge raises NotPossibleError. Raises EngineError too.
    """
    options = {name: value for name, value in game.options.items() if value is not None}
    process.set_up(game.name, options, STRONGEST)
    move_ms = min(MOVE_MS, WHOLE_MS // (length + 1))

    def judge(moves: Sequence[str]) -> Judgement:
        told = [ugi.NOTHING_YET]
        best = process.think(moves, f"movetime {move_ms}", GRACE_S, wanted=wanted, heed=told.append)
        if best is None:
            raise NotPossibleError("The analysis was stopped.")
        value = told[-1].value
        return Judgement(0.5 if value is None else expected(value), best)

    return judge
