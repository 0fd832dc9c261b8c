"""Tests of hw_sim/table.py: a model of another package is found by the tag of its kind or by the
name under which the kind came, and what was looked for is named.
"""

from importlib.metadata import EntryPoint

import pytest

from tiltboard.firmware_host.config import wiring
from tiltboard.hw_sim import table
from tiltboard.testing import SimulationError


class Strange(wiring.HallPart, frozen=True, tag="strange-hall"):
    """A kind whose entry point has another name."""


@pytest.fixture
def brought(monkeypatch):
    points = [EntryPoint("strange", "tiltboard.hw_sim.table:mux_model", table.GROUP)]
    monkeypatch.setattr(
        table,
        "entry_points",
        lambda group, name: [each for each in points if (each.group, each.name) == (group, name)],
    )
    monkeypatch.setitem(wiring.ENTRY_NAMES, Strange, "strange")
    return points


def test_the_entry_points_name_need_not_be_the_tag(brought):
    assert table.model_of(Strange()) is table.mux_model


def test_what_is_missing_is_named_by_all_that_was_looked_for(brought):
    brought.clear()
    with pytest.raises(SimulationError, match="entry point strange-hall or strange in the group"):
        table.model_of(Strange())
