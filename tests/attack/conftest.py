"""Switches for two slow attacks, which run only with: pytest tests/attack --attack.

One attack depends on real time, which a busy machine does not keep. The other attack flips ten
times as many bits as tests/firmware_host/journal/test_journal_damage.py.
"""

import pytest

ASKED_FOR = {
    "test_no_flood_of_the_page_reaches_the_watchdog",
    "test_flipped_bits_of_a_journal",
}


def pytest_addoption(parser):
    parser.addoption(
        "--attack", action="store_true", help="flood the page and flip 2,000 bits, too"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--attack", default=False):
        return
    for item in items:
        if item.name in ASKED_FOR:
            item.add_marker(pytest.mark.skip(reason="asked for with: pytest tests/attack --attack"))
