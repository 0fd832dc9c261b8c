"""Fixtures for the tests of the service."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    """The root folder of the repository."""
    return Path(__file__).resolve().parents[2]
