"""Fits the weights of an evaluation to the results of games.

Each position is evaluated with one weight set to 1 and all other weights set to 0. For a linear
evaluation, the result is the factor of this weight. Logistic regression then finds the weights with
which the evaluation (log-odds times 100) best predicts the winners. (M. Buro, "Statistical feature
combination for the evaluation of game positions", JAIR 3, 1995.)
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.games.base import Game
from tiltboard.games.search import Weights
from tiltboard.ground.override import override
from tiltboard_lab.studies.selfplay import SelfPlay

_SPARED = 0.1  # Fraction of the games that test the weights and are not used for the fit.
_ROUNDS = 12  # Number of steps of Newton's method.
_STIFF = 1e-3  # Regularisation factor. It keeps a weight at 0 if no position depends on the weight.


class Sample(msgspec.Struct, frozen=True):
    """A position in a game: the final score of the player to move (0, 0.5 or 1) and the factor of
    each weight.
    """

    share: float
    features: list[int]


class Fitted(msgspec.Struct, frozen=True):
    """The fitted weights and the quality of their predictions.

    ``before`` and ``after`` are the mean log loss of the old and the new weights on games that were
    not used for the fit; guessing at random has a log loss of 0.69.
    """

    weights: dict[str, list[int]]
    samples: int
    before: float
    after: float


class Tuning(SelfPlay, frozen=True, kw_only=True):
    """A study of games whose positions are sampled for the fit. Task n is one game."""

    finds: ClassVar[Any] = list[Sample]

    @override
    def run(self, number: int) -> list[Sample]:
        game = self.made()
        check(game)
        ended = self.played(game, number)
        rules = game.rules
        each = [game.evaluation(unit) for unit in _units(game.weights)]
        state, samples = rules.start(), []
        for at, move in enumerate(ended.moves):
            if at >= self.opening and at >= rules.players:
                share = 0.5 if not ended.winners else float(rules.mover(state) in ended.winners)
                samples.append(Sample(share, [value(state) for value in each if value]))
            state = rules.apply(state, rules.number(move) or 0)
        rng = random.Random(f"{self.seed} samples {number}")
        # Neighbouring positions are too similar, so only 8 positions are used.
        return rng.sample(samples, min(len(samples), 8))


def check(game: Game) -> None:
    """Raise NotPossibleError if ``game`` has no evaluation with weights."""
    if game.evaluation(game.weights) is None:
        raise NotPossibleError(
            "{game} has no evaluation with weights.",
            remedy="Choose another --game.",
            game=game.name,
        )


def _units(weights: Weights) -> list[dict[str, list[int]]]:
    """Return one set of weights for each weight, in which that weight is 1 and all others are 0."""
    return [
        {
            name: [int((name, at) == (chosen, place)) for at in range(len(values))]
            for name, values in weights.items()
        }
        for chosen, chosen_values in weights.items()
        for place in range(len(chosen_values))
    ]


def fit_weights(games: Iterable[Sequence[Sample]], weights: Weights) -> Fitted:
    """Return the weights that fit nine tenths of the games. Every tenth game is used to test the
    weights.

    ``games``: the samples of each game. ``weights``: the old weights, which define names and
    shapes.
    """
    kept: list[Sample] = []
    used: list[Sample] = []
    for number, samples in enumerate(games):
        (kept if number % round(1 / _SPARED) == 0 else used).extend(samples)
    old = [value for values in weights.values() for value in values]
    new = [round(100 * value) for value in regression(used, len(old))]
    at = iter(new)
    shaped = {name: [next(at) for _ in values] for name, values in weights.items()}
    return Fitted(shaped, len(used), _surprise(kept, old), _surprise(kept, new))


def regression(samples: Sequence[Sample], count: int) -> list[float]:
    """Return how much one unit of each of ``count`` features changes the log-odds, calculated by
    Newton's method.
    """
    found = [0.0] * count
    for _ in range(_ROUNDS):
        slope = [-_STIFF * value for value in found]
        curve = [[_STIFF * (row == column) for column in range(count)] for row in range(count)]
        for sample in samples:
            features = [(at, value) for at, value in enumerate(sample.features) if value]
            log_odds = sum(found[at] * value for at, value in features)
            share = 1 / (1 + math.exp(-max(min(log_odds, 30.0), -30.0)))
            for at, value in features:
                slope[at] += (sample.share - share) * value
                for other, times in features:
                    curve[at][other] += share * (1 - share) * value * times
        found = [
            value + step for value, step in zip(found, _solve_linear(curve, slope), strict=True)
        ]
    return found


def _solve_linear(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of a system of linear equations by Gaussian elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(len(rows)):
        best = max(range(at, len(rows)), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for row in range(len(rows)):
            if row != at:
                times = rows[row][at] / rows[at][at]
                rows[row] = [x - times * y for x, y in zip(rows[row], rows[at], strict=True)]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


def _surprise(samples: Sequence[Sample], weights: Sequence[int]) -> float:
    total = 0.0
    for sample in samples:
        value = sum(w * f for w, f in zip(weights, sample.features, strict=True)) / 100
        total += math.log1p(math.exp(min(-value, 500))) * sample.share
        total += math.log1p(math.exp(min(value, 500))) * (1 - sample.share)
    return total / len(samples) if samples else math.nan


def as_toml(weights: Mapping[str, Sequence[int]]) -> str:
    """Return the weights as text in the form of a game's search.toml."""
    return "\n".join(["[weights]", *(f"{name} = {list(row)}" for name, row in weights.items())])
