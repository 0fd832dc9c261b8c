"""Tests of systemd/install and firmware_host/cli/pi_checks.py: one's own table is where the
service reads it.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tiltboard.firmware_host.cli.pi_checks import Service
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import load_settings

SHIPPED = "firmware_host/config/profiles/plate-10.toml"


class Pi:
    """One whose files are below a folder, and a maker with a table of their own."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.staged, self.home = root, folder / "staged", folder / "home"
        self.settings = self.staged / "etc/tiltboard/tiltboard.toml"
        self.settings.parent.mkdir(parents=True)
        self.home.mkdir(mode=0o700)
        self.own = self.home / "my-table.toml"
        self.write(self.own)

    def write(self, path: Path, title: str = "mine") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        shipped = load_profile("plate-10")
        text = (self.root / SHIPPED).read_text()
        path.write_text(text.replace(shipped.title, title).replace(shipped.name, "own"))
        path.chmod(0o600)

    def install(self, *words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """As root does, with a umask that lets nobody else in."""
        environment = os.environ | {
            "TILTBOARD": str(Path(sys.executable).with_name("tiltboard")),
            "HOME": str(self.home),
        }
        environment.pop("SUDO_USER", None)
        return subprocess.run(
            ["sh", self.root / "systemd/install", "--root", self.staged, *words],
            capture_output=True, text=True, env=environment, cwd=cwd or self.root, umask=0o077,
            check=False,
        )  # fmt: skip

    def read_by_service(self) -> str:
        """The title of the table that another user, in another folder, reads there."""
        path = Path(load_settings(self.settings).profile)
        assert path.parent == self.settings.parent
        for each in (path, self.settings):
            assert stat.S_ISREG(each.lstat().st_mode)
            assert stat.S_IMODE(each.stat().st_mode) == 0o644
        return load_profile(str(path)).title


@pytest.fixture
def pi(root, tmp_path):
    return Pi(root, tmp_path)


def settings_of(kind: str, pi: Pi) -> str:
    match kind:
        case "absolute":
            return f'profile = "{pi.own}"\n'
        case "with blanks":
            other = pi.home / "a table's own.toml"
            pi.own.rename(other)
            return f'profile = "{other}"\n'
        case "a link":
            (pi.home / "link.toml").symlink_to(pi.own.name)
            return f"profile = '{pi.home}/link.toml'\n"
        case "a link beside the settings":
            (pi.settings.parent / "link.toml").symlink_to(pi.own)
            return 'profile = "link.toml"\n'
        case "beside the settings":
            pi.write(pi.settings.parent / "my-table.toml")
            return 'profile = "my-table.toml"\n'
        case "relative to the settings":
            return f'profile = "{os.path.relpath(pi.own, pi.settings.parent)}"\n'
        case "named as the settings":
            other = pi.home / "tiltboard.toml"
            pi.own.rename(other)
            return f'profile = "{other}"\n'
        case "without an ending":
            other = pi.home / "table"
            pi.own.rename(other)
            return f'profile = "{other}"\n'
        case _:
            line = f'  "profile"   =   "{pi.own}"   # a comment'
            return f'# mine\nport = 80\n{line}\n[far]\nname = "x"\n'


@pytest.mark.parametrize(
    "kind",
    ["absolute", "with blanks", "a link", "a link beside the settings", "beside the settings",
     "relative to the settings", "named as the settings", "without an ending", "among others"],
)  # fmt: skip
def test_a_profile_that_the_settings_name_is_where_the_service_reads_it(pi, kind):
    pi.settings.write_text(settings_of(kind, pi))
    pi.settings.chmod(0o600 if kind == "absolute" else 0o644)
    done = pi.install()
    assert done.returncode == 0, done.stderr
    assert pi.read_by_service() == "mine"
    if kind == "among others":
        settings = load_settings(pi.settings)
        assert (settings.port, settings.far.name) == (80, "x")
    again = pi.install()
    assert (again.returncode, again.stderr, pi.read_by_service()) == (0, "", "mine")


def test_the_installer_is_told_the_table_by_a_path_from_where_it_is_asked(pi):
    assert pi.install("--profile", "my-table.toml", cwd=pi.home).returncode == 0
    assert pi.read_by_service() == "mine"
    pi.write(pi.own, "changed")
    assert pi.install("--profile", pi.own).returncode == 0
    assert pi.read_by_service() == "changed"
    assert load_profile(f"{pi.settings.parent}/my-table.toml").title == "changed"
    assert "mine" in (pi.settings.parent / "my-table.toml.before").read_text()
    assert pi.install("--profile", "node").returncode == 0
    assert load_settings(pi.settings).profile == "node"


def test_a_home_is_the_maker_s(pi):
    pi.settings.write_text('profile = "~/my-table.toml"\n')
    assert load_settings(pi.settings).profile == str(Path("~/my-table.toml").expanduser())
    pi.settings.write_text('profile = "~nobody-of-this-name/my-table.toml"\n')
    done = pi.install()
    assert (done.returncode, "cannot be read" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "what", ["missing", "a folder", "no profile", "too large for its plate", "on two lines"]
)
def test_what_cannot_be_used_is_refused_in_words_and_changes_nothing(pi, what):
    match what:
        case "missing":
            pi.own.unlink()
        case "a folder":
            pi.own.unlink()
            pi.own.mkdir()
        case "no profile":
            pi.own.write_text("name = 'own'\n")
        case "on two lines":
            pass
        case _:
            pi.own.write_text(pi.own.read_text().replace("columns = 10", "columns = 26"))
    pi.settings.write_text(
        f'profile = """\n{pi.own}"""\n' if what == "on two lines" else f'profile = "{pi.own}"\n'
    )
    done = pi.install()
    assert done.returncode == 2
    assert done.stderr.startswith("tiltboard: ")
    assert "Traceback" not in done.stderr
    assert [each.name for each in pi.settings.parent.iterdir()] == ["tiltboard.toml"]
    assert not (pi.staged / "etc/systemd/system/tiltboard.service").exists()


# systemd.exec(5): what ProtectHome= and PrivateTmp= hide
UNIT = Service("tiltboard", frozenset({"tiltboard"}), None, "", ("home", "root", "run/user", "tmp"))


def test_what_the_service_s_user_reads_is_told_by_unit_folders_and_modes(tmp_path):
    def put(name: str, mode: int = 0o644) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        path.chmod(mode)
        return path

    tmp_path.chmod(0o755)
    assert UNIT.may_read(put("etc/tiltboard/a.toml"), tmp_path)
    assert not UNIT.may_read(put("etc/tiltboard/b.toml", 0o640), tmp_path)
    assert not UNIT.may_read(tmp_path / "etc/tiltboard/none.toml", tmp_path)
    for hidden in ("home/pi/a.toml", "root/a.toml", "tmp/a.toml", "run/user/1000/a.toml"):
        assert not UNIT.may_read(put(hidden), tmp_path)
    closed = put("srv/closed/a.toml")
    closed.parent.chmod(0o700)
    assert not UNIT.may_read(closed, tmp_path)
    link = tmp_path / "etc/tiltboard/link.toml"
    link.symlink_to("../../home/pi/a.toml")
    assert not UNIT.may_read(link, tmp_path)
    # a link in a hidden folder hides what it leads to
    (tmp_path / "home/pi/there.toml").symlink_to(tmp_path / "etc/tiltboard/a.toml")
    assert not UNIT.may_read(tmp_path / "home/pi/there.toml", tmp_path)
    (tmp_path / "etc/tiltboard/loop.toml").symlink_to("loop.toml")
    assert not UNIT.may_read(tmp_path / "etc/tiltboard/loop.toml", tmp_path)


# PATH


def test_the_command_is_on_everybody_s_path_and_goes_with_the_table(pi):
    assert pi.install().returncode == 0
    link = pi.staged / "usr/local/bin/tiltboard"
    assert str(link.readlink()) == "/opt/tiltboard/bin/tiltboard"
    assert pi.install().returncode == 0
    uninstall = ["sh", pi.root / "systemd/uninstall", "--root", pi.staged]
    subprocess.run(uninstall, check=True, capture_output=True)
    assert not link.is_symlink()


def test_another_s_command_of_that_name_stays(pi):
    link = pi.staged / "usr/local/bin/tiltboard"
    link.parent.mkdir(parents=True)
    link.write_text("another's")
    done = pi.install()
    assert (done.returncode, "is not ours" in done.stderr) == (0, True)
    subprocess.run(
        ["sh", pi.root / "systemd/uninstall", "--root", pi.staged], check=True, capture_output=True
    )
    assert link.read_text() == "another's"
