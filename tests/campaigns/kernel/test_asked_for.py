"""Tests of tests/campaigns/kernel: asked for by name, what cannot run fails and says what to
install; else it is skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("guest", ["um bookworm pi4", "arm64 bookworm"])
def test_guests_that_cannot_be_made_fail_where_they_were_asked_for(guest, tmp_path):
    asked = {"TILTBOARD_KERNEL_TEST": "1", "TILTBOARD_KERNEL_GUESTS": guest, "PATH": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
         "-o", "addopts=", str(Path(__file__).with_name("test_kernel.py"))],
        capture_output=True, text=True, check=False, env=os.environ | asked,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stdout
    assert ("install: " if os.geteuid() == 0 else "only root can") in ran.stdout
