"""The long attacks are asked for: pytest tests/attack --attack (some minutes; loopback only)."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--attack", action="store_true", help="run the attacks of tests/attack")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--attack", default=False):
        return
    for item in items:
        if item.path.name == "test_attacks.py":
            item.add_marker(pytest.mark.skip(reason="asked for with: pytest tests/attack --attack"))
