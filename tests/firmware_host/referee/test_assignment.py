"""The pairing of stray pieces, against trying everything."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from firmware_host.referee.carries import assign
from tests.few import few


def cheapest(cost):
    """The least total over every way of pairing as many as possible."""
    rows, columns = len(cost), len(cost[0])
    if rows <= columns:
        ways = permutations(range(columns), rows)
        return min(sum(cost[r][c] for r, c in enumerate(way)) for way in ways)
    ways = permutations(range(rows), columns)
    return min(sum(cost[r][c] for c, r in enumerate(way)) for way in ways)


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    row = st.lists(st.integers(-20, 60), min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=rows, max_size=rows))


@few(200)
@given(tables())
def test_as_cheap_as_trying_everything(cost):
    paired = assign(cost)
    used = [column for column in paired if column is not None]
    assert len(used) == len(set(used)) == min(len(cost), len(cost[0]))
    total = sum(cost[r][c] for r, c in enumerate(paired) if c is not None)
    assert total == cheapest(cost)


def test_nothing_to_pair():
    assert assign([]) == ()
    assert assign([[], []]) == (None, None)


def test_the_greedy_choice_is_not_taken():
    # Row 0 would like column 0 best, but that costs row 1 more.
    assert assign([[1, 2], [1, 10]]) == (1, 0)
