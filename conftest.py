"""Settings and hooks for all tests."""

import gc
import os
import re
import signal
import sys
import tomllib
from importlib import import_module, metadata
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

# Tests compare the commands' output in English, so the machine's language must not matter.
for variable in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"

# Tests must not use the games and the compiled kernels of this machine's user.
os.environ.pop("STATE_DIRECTORY", None)
os.environ["XDG_STATE_HOME"] = str(Path(__file__).parent / ".pytest_cache" / "state")

# Tests must not use games of other packages that are installed on this machine.
OURS = metadata.distribution("tiltboard").entry_points
with patch("importlib.metadata.entry_points", OURS.select):
    # The registry reads the entry points once, during this import.
    import_module("tiltboard.games.registry")
PROJECT = tomllib.loads((Path(__file__).parent / "pyproject.toml").read_text("utf-8"))["project"]
if not PROJECT["entry-points"].keys() <= OURS.groups:
    raise pytest.UsageError("The installation is older than pyproject.toml: make .venv/.dev")

# The tests of the scenarios choose the table for each scenario.
collect_ignore_glob = ["*.scenario"]

# Many tests start programs, which share their compiled bytecode to start faster.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Hypothesis uses the same examples in each run, without time limits, which a busy machine exceeds.
settings.register_profile(
    "tiltboard", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# A nightly run uses new examples each time, and many of them.
settings.register_profile(
    "night", settings.get_profile("tiltboard"), derandomize=False, max_examples=10_000
)
settings.load_profile("tiltboard")


# Programs that tests start must end when the terminal closes, even if the tests run under nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Exclude the thousands of collected tests from garbage collection, which would search them in
    each test.
    """
    gc.collect()
    gc.freeze()


# Folders whose files share something expensive: a browser (two at the same time slow each other
# down), the plans of a table, or the fields of magnets.
SHARED = ("tests/web/", "packages/plans/", "tests/firmware_host/perception/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run all tests of a file in one process, in the file's order, so that shared fixtures are made
    once. The tests of compiled kernels and of each folder in ``SHARED`` also run in one process.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            if file.endswith(("test_kernels.py", "test_engine_levels.py")):
                return "kernels"
            return next((folder for folder in SHARED if file.startswith(folder)), file)

    return Together(config, log)


def pytest_terminal_summary(terminalreporter, config):
    """Report if a target of make uses less than half or more than twice the CPU time in
    CONTRIBUTING.md.

    The CPU time includes this process and all processes that it started. Unlike elapsed time, it is
    the same on a busy machine.
    """
    target = os.environ.get("TILTBOARD_TARGET")
    if target is None or hasattr(config, "workerinput"):
        return
    table = (Path(__file__).parent / "CONTRIBUTING.md").read_text("utf-8")
    said = re.search(rf"^\| `{target}` \|.*\| ([\d.]+) \|$", table, re.MULTILINE)
    minutes = sum(os.times()[:4]) / 60
    if said is None or not float(said[1]) / 2 < minutes < float(said[1]) * 2:
        told = said[1] if said else "nothing"
        terminalreporter.write_line(
            f"{target} took {minutes:.1f} minutes of CPU, CONTRIBUTING.md says {told}: correct it.",
            yellow=True,
        )
