"""Tests of tiltboard_lab/studies/on_ray.py: tasks on a real cluster of two nodes, one of
which is killed in mid-run.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_nothing_is_lost_or_counted_twice_when_a_node_is_killed(tmp_path):
    pytest.importorskip(
        "ray", reason="Ray is not installed (the lab's extra ray), or has no wheel here"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE), str(Path.cwd())]),
        "RAY_DEDUP_LOGS": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    done = subprocess.run(
        [sys.executable, HERE / "two_nodes.py", tmp_path],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["found"] == [[n, 3 * n * n] for n in range(40)]
    assert len(told["lines"]) == len(set(told["lines"])) == 41
    assert told["nodes"] == [2, 1]  # alive before and after
    ran = [int(line.split()[0]) for line in (tmp_path / "run").read_text().splitlines()]
    assert set(ran) == set(range(40))
    assert told["killed_in"]  # it had tasks as it went, which were run again elsewhere
    assert all(ran.count(number) == 2 for number in told["killed_in"])
