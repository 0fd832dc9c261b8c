"""What holds for every test."""

import os

import pytest
from hypothesis import HealthCheck, settings

# What the commands say is compared in English, whatever the machine speaks.
for variable in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"

# The same examples in every run, and none judged by the clock: a busy machine is no failure.
settings.register_profile(
    "tiltboard", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# What a night finds: other examples in every run, and many of them.
settings.register_profile(
    "night", settings.get_profile("tiltboard"), derandomize=False, max_examples=10_000
)
settings.load_profile("tiltboard")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(items):
    """On several cores, too, there is one browser at a time: two of them starve each other. Its
    tests are the first, so that the other cores have work as long as it lasts.
    """
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))
    items.sort(key=lambda item: "browser" not in getattr(item, "fixturenames", ()))
