"""Tests of tiltboard_lab/studies/tuning.py: tuning finds the weights that made the games."""

import math
import random

import pytest

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard_lab.studies.tuning import Sample, Tuning, as_toml, check, fit_weights, regression


def samples(weights, count, rng):
    for _ in range(count):
        features = [rng.randint(-3, 3) for _ in weights]
        log_odds = sum(w * f for w, f in zip(weights, features, strict=True))
        yield Sample(float(rng.random() < 1 / (1 + math.exp(-log_odds))), features)


def test_regression_finds_the_weights_that_made_the_results():
    true = [0.5, -0.3, 0.0, 0.8]
    found = regression(list(samples(true, 4000, random.Random(1))), 4)
    assert found == pytest.approx(true, abs=0.08)


def test_a_weight_of_which_nothing_tells_is_nothing():
    only_first = [Sample(s.share, [s.features[0], 0]) for s in samples([1.0], 200, random.Random(2))
                  if (s.features[0],)]  # fmt: skip
    assert regression(only_first, 2)[1] == 0.0


def test_fitted_weights_surprise_less_than_wrong_ones():
    rng = random.Random(3)
    games = [list(samples([0.4, 0.9], 5, rng)) for _ in range(300)]
    result = fit_weights(games, {"one": [90], "other": [-10]})
    assert result.after < 0.6 < result.before
    assert result.weights["one"] == [pytest.approx(40, abs=12)]
    assert result.weights["other"] == [pytest.approx(90, abs=12)]


@pytest.mark.parametrize("name", ["momentum", "gravity-connect", "gravity-trap"])
def test_features_add_up_to_the_evaluation(game, name):
    """What is fitted is what plays."""
    made = game(name)
    tuning = Tuning(game=name, options=dict(made.options), level=2, nodes=50, opening=4)
    weights = [value for values in made.weights.values() for value in values]
    ended = tuning.played(made, 1)
    evaluate, rules = made.evaluation(made.weights), made.rules
    state, values = rules.start(), set()
    for move in ended.moves:
        values.add(evaluate(state))
        state = rules.apply(state, rules.number(move))
    found = tuning.run(1)
    assert found
    for sample in found:
        assert sum(w * f for w, f in zip(weights, sample.features, strict=True)) in values


def test_weights_are_written_as_they_are_read(game):
    import tomllib

    text = as_toml({"rings": [1, 2], "tempo": [3]})
    assert tomllib.loads(text) == {"weights": {"rings": [1, 2], "tempo": [3]}}
    with pytest.raises(NotPossibleError):
        check(game("attraktion"))
