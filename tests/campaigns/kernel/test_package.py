"""Tests of .ci/release.py: the Debian package of a release, in Debian's own root (opt-in):
docs/kernel-tests.md.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.campaigns.kernel.test_kernel import _load

pytestmark = pytest.mark.skipif(
    os.environ.get("TILTBOARD_KERNEL_TEST") != "1",
    reason="installs the package in a root of Debian's, as root: make kernel-test",
)
GAME = Path(__file__).resolve().parents[2] / "sim/scenarios/over.scenario"


def test_it_is_installed_plays_again_and_goes_without_a_game_lost():
    """Where systemd does not run, as while an image is made."""
    make_guest = _load("make_guest")
    why_not = make_guest.missing(make_guest.NEEDS)
    assert why_not is None, why_not
    with make_guest.scratch("package") as folder:
        root, wheels = folder / "root", make_guest.wheels("amd64", "bookworm")
        make_guest.run("cp", "-a", make_guest.root("bookworm") / "root", root)
        release = make_guest.CHECKOUT / ".ci/release.py"
        make_guest.run(sys.executable, release, folder / "release", "--wheels", wheels)
        [package] = (folder / "release").glob("*.deb")
        make_guest.run("cp", package, GAME, root / "srv")

        def there(*words: str) -> str:
            """In the root, without a network and with nothing of it mounted here for longer."""
            inside = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
            return make_guest.run("unshare", "-mnf", "sh", "-c", inside, root, *words)

        for _ in range(2):  # and again, as an update is
            assert "starts with the next boot" in there("dpkg", "-i", f"/srv/{package.name}")
        wanted = root / "etc/systemd/system/multi-user.target.wants/tiltboard.service"
        assert wanted.readlink() == Path("/etc/systemd/system/tiltboard.service")
        program = ("runuser", "-u", "tiltboard", "--", "/opt/tiltboard/bin/tiltboard")
        assert "21 steps held" in there(*program, "scenario", f"/srv/{GAME.name}")
        games = root / "var/lib/tiltboard/journal.sqlite"
        games.parent.mkdir(exist_ok=True)
        games.write_bytes(b"games")
        there("dpkg", "-r", "tiltboard")
        left = list((root / "etc/systemd").rglob("*tiltboard*"))
        assert (left, (root / "opt/tiltboard").exists()) == ([], False)
        assert games.read_bytes() == b"games"
        assert (root / "etc/tiltboard/tiltboard.toml").exists()
