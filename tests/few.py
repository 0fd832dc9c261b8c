"""The number of Hypothesis examples for a test that is slow or has few different inputs."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100


def few(examples: int) -> settings:
    """Return settings with ``examples`` examples; a profile with more examples than usual keeps its
    own number.
    """
    asked = settings.default.max_examples
    return settings(max_examples=asked if asked > USUAL else examples)
