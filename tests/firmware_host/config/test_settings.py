"""Tests of firmware_host/config/settings.py: the settings file: where it is looked for."""

from __future__ import annotations

import contextlib
import os

from tiltboard.firmware_host.config import settings


def test_a_folder_that_is_hidden_has_no_settings(tmp_path, monkeypatch):
    """As from the computer players' unit, which started and fell over them."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "tiltboard.toml").write_text("port = 1")
    hidden.chmod(0)
    monkeypatch.delenv("TILTBOARD_CONFIG", raising=False)
    monkeypatch.setattr(settings, "SYSTEM_FILE", hidden / "tiltboard.toml")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            if os.geteuid() == 0:
                os.setuid(65534)
            os._exit(0 if settings.load_settings(None) == settings.Settings() else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
