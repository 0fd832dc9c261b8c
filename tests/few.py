"""How many examples a test takes that is dear, or soon has seen all there is."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100


def few(examples: int) -> settings:
    """So many in a usual run; under a profile that asks for more than usual, as many as it says."""
    asked = settings.default.max_examples
    return settings(max_examples=asked if asked > USUAL else examples)
