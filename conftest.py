"""What holds for every test."""

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

# What the commands say is compared in English, whatever the machine speaks.
for variable in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"

# What this machine's user plays with is not for tests: neither games, nor kernels that are warm.
os.environ.pop("STATE_DIRECTORY", None)
os.environ["XDG_STATE_HOME"] = str(Path(__file__).parent / ".pytest_cache" / "state")

# Games of other packages that happen to be installed here are not for tests either.
OURS = metadata.distribution("tiltboard").entry_points
with patch("importlib.metadata.entry_points", OURS.select):
    import_module("tiltboard.games.registry")  # read once, now
PROJECT = tomllib.loads((Path(__file__).parent / "pyproject.toml").read_text("utf-8"))["project"]
if not PROJECT["entry-points"].keys() <= OURS.groups:
    raise pytest.UsageError("The installation is older than pyproject.toml: make .venv/.dev")

# The tests of the scenarios choose the table for each.
collect_ignore_glob = ["*.scenario"]

# Many tests start programs: what one of them has compiled, the next one reads.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in every run, and none judged by the clock: a busy machine is no failure.
settings.register_profile(
    "tiltboard", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# What a night finds: other examples in every run, and many of them.
settings.register_profile(
    "night", settings.get_profile("tiltboard"), derandomize=False, max_examples=10_000
)
settings.load_profile("tiltboard")


# What the tests start is to heed a terminal that closes, also where they run under nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """What stays until the end, thousands of tests, is not searched for garbage in each of them."""
    gc.collect()
    gc.freeze()


# Folders whose files share what is dear to make: a browser, of which two at once starve each other,
# a table's plans, and magnets' fields.
SHARED = ("tests/web/", "packages/plans/", "tests/firmware_host/perception/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """On several cores, too, what a file's tests share is made once: one process runs the file, in
    its order. So it is with what is compiled, and with ``SHARED``.
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
    """Report if a target of make takes another CPU time than CONTRIBUTING.md says, by more than a
    factor that leaves room for other machines. The time is that of this process and of all that it
    started: unlike a clock, it is the same on a busy machine.
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
