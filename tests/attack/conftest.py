"""One attack is asked for: pytest tests/attack --attack.

It judges by the clock, which a busy machine does not keep.
"""

import pytest

ASKED_FOR = "test_no_flood_of_the_page_reaches_the_watchdog"


def pytest_addoption(parser):
    parser.addoption("--attack", action="store_true", help="flood the page of tests/attack, too")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--attack", default=False):
        return
    for item in items:
        if item.name == ASKED_FOR:
            item.add_marker(pytest.mark.skip(reason="asked for with: pytest tests/attack --attack"))
