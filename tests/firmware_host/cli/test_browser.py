"""Tests of firmware_host/cli/serve.py: when ``make play`` may open a browser."""

import pytest

from tiltboard.firmware_host.cli.serve import has_screen


@pytest.mark.parametrize(
    ("system", "environment", "opens"),
    [
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {}, False),  # a terminal, perhaps over the network
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_a_browser_is_opened_only_where_there_is_a_screen(system, environment, opens):
    assert has_screen(system, environment) is opens
