"""Tests of systemd/tiltboard.service: the unit of systemd/ booted by a real systemd: a profile
of one's own, ready, watchdog, stops and updates, and the game intact. As root, with
systemd-container and mmdebstrap.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.profile import load_profile

DISTRIBUTIONS = {(3, 11): "bookworm", (3, 13): "trixie"}  # by their Python
MEMORY = Path("/dev/shm")  # noqa: S108
FLOODS = os.environ.get("TILTBOARD_BOOT_TEST") == "1"
PACKAGES = "systemd-sysv,dbus,python3,openssh-client"
SIMULATED = """\
[Service]
ExecStart=
ExecStart=/opt/tiltboard/bin/tiltboard sim --no-physics --port 8080
WatchdogSec=4
RestartSec=100ms
"""
DRIVER = """\
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/usr/bin/python3 /boot-test/drive.py /boot-test/seen.json
[Install]
WantedBy=default.target
"""
# A release's own installer, but for what it would fetch: the program is a copy of the one there
INSTALL = """\
#!/bin/sh
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
[ "$1" = --program ] || exec sh "$here/systemd/install.real" "$@"
cp -a /opt/tiltboard/bin /opt/tiltboard/lib /opt/tiltboard/pyvenv.cfg "$2"
mkdir "$2/source"
cp -a "$here/systemd" "$here/VERSION" "$2/source"
cp "$here/systemd/update" "$here/systemd/light" "$2"
[ -e "$here/broken" ] || exit 0
mv "$2/bin/tiltboard" "$2/bin/real"
cp "$here/broken" "$2/bin/tiltboard"
"""
# What its installer asks of it works, and nothing else does
BROKEN = """\
#!/bin/sh
case $1 in unit | backup) exec /opt/tiltboard/bin/real "$@" ;; esac
echo "broken on purpose" >&2
exit 1
"""


def run(*words: str | Path, **options) -> None:
    asked = [str(word) for word in words]
    done = subprocess.run(asked, text=True, capture_output=True, check=False, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


def cached() -> Path:
    """A root file system as Debian has it; made once."""
    if given := os.environ.get("TILTBOARD_BOOT_ROOT"):
        return Path(given)
    release = DISTRIBUTIONS.get(sys.version_info[:2])
    if release is None:
        pytest.skip("no Debian has this Python, for which the packages here are made")
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    made = caches / "tiltboard-tests" / f"{release}-{PACKAGES.replace(',', '-')}"
    if made.exists():
        return made
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed, and TILTBOARD_BOOT_ROOT names no root")
    fresh = made.with_name(f"{made.name}.{os.getpid()}")
    fresh.parent.mkdir(parents=True, exist_ok=True)
    left_out = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("doc", "man", "locale")]
    done = subprocess.run(
        ["mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", *left_out, release, fresh],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        shutil.rmtree(fresh, ignore_errors=True)
        pytest.skip(f"mmdebstrap: {done.stderr.strip().splitlines()[-1]}")
    shutil.rmtree(fresh / "var/lib/apt/lists", ignore_errors=True)
    try:
        fresh.rename(made)
    except OSError:  # another run was first
        shutil.rmtree(fresh)
    return made


@pytest.fixture(scope="module")
def seen(tmp_path_factory, root):
    """What boot_drive.py saw."""
    if os.geteuid() != 0:
        pytest.skip("only root may boot a container")
    for program in ("systemd-nspawn", "ssh-keygen"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    folder = tmp_path_factory.mktemp("boot")
    # In memory, where there is enough of it: what is written there is written once
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2 << 30
    system = Path(tempfile.mkdtemp(dir=MEMORY if roomy else folder, prefix="tiltboard-boot-"))
    system = system / "root"
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    try:
        run("cp", "--archive", "--reflink=auto", cached(), system)
        if not (system / "usr/bin" / python).exists():
            pytest.skip(f"the container has no {python}, for which the packages here are made")
        _lay(root, system, python)
        _release(root, folder, system, "99.0")
        _release(root, folder, system, "99.1", broken=True)
        _release(root, folder, system, "0.0.1")
        with _cgroup(f"tiltboard-boot-{os.getpid()}") as enter:
            booted = subprocess.run(
                ["sh", "-ec", f'{enter} exec systemd-nspawn "$@"', "sh", "--quiet", "--register=no",
                 "--keep-unit", "--console=pipe", "--private-network", "--directory", system,
                 "--boot"],
                capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=500, check=False,
            )  # fmt: skip
        result = system / "boot-test/seen.json"
        assert result.exists(), booted.stdout[-4000:] + booted.stderr[-2000:]
        yield json.loads(result.read_text())
    finally:
        shutil.rmtree(system.parent)


@contextmanager
def _cgroup(name: str) -> Iterator[str]:
    """Make a control group for one container, and yield the shell commands that enter it.

    A container is put beside whoever starts it. Two that run at once, or one and the remains of
    another, would have the same group of the same name for their services, and either systemd
    removes it under the other's hands (status 219/CGROUP).
    """
    trees = [Path("/sys/fs/cgroup") / tree for tree in (".", "systemd", "unified")]
    groups = [tree / name for tree in trees if (tree / "cgroup.procs").exists()]
    for group in groups:
        group.mkdir()
    try:
        yield " ".join(f"echo 0 >{group}/cgroup.procs;" for group in groups)
    finally:
        for group in groups:
            for folder, _, _ in os.walk(group, topdown=False):
                Path(folder).rmdir()


def _lay(root: Path, system: Path, python: str) -> None:
    """The program as its installer would, and what drives it; the rest is installed there."""
    program, units = system / "opt/tiltboard", system / "etc/systemd/system"
    _copy_packages(root, program / "lib" / python / "site-packages")
    (program / "bin").mkdir()
    (program / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (program / "bin/python").symlink_to(f"/usr/bin/{python}")
    command = program / "bin/tiltboard"
    scripts = tomllib.loads((root / "pyproject.toml").read_text())["project"]["scripts"]
    module, name = scripts["tiltboard"].split(":")
    command.write_text(f"#!/opt/tiltboard/bin/python\nfrom {module} import {name}\n\n{name}()\n")
    command.chmod(0o755)
    shutil.copytree(root / "systemd", program / "source/systemd")
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    (program / "source/VERSION").write_text(f"{version}\n")
    own = system / "home/pi/my-table.toml"
    own.parent.mkdir(mode=0o700)
    shipped = (root / "firmware_host/config/profiles/plate-10.toml").read_text()
    own.write_text(shipped.replace(load_profile("plate-10").title, "a table of one's own"))
    own.chmod(0o600)
    for name, content in {
        "tiltboard.service.d/90-simulated.conf": SIMULATED,
        "boot-test.service": DRIVER,
    }.items():
        (units / name).parent.mkdir(exist_ok=True)
        (units / name).write_text(content)
    run("systemctl", f"--root={system}", "enable", "boot-test.service")
    (system / "boot-test").mkdir()
    for name in ("drive", "flood") if FLOODS else ("drive",):
        shutil.copy(Path(__file__).with_name(f"boot_{name}.py"), system / f"boot-test/{name}.py")


def _release(root: Path, folder: Path, system: Path, version: str, *, broken: bool = False) -> None:
    """An update that is signed, and its signer known there."""
    tree, key = folder / version, folder / "key"
    shutil.copytree(root / "systemd", tree / "systemd")
    (tree / "systemd/install").rename(tree / "systemd/install.real")
    (tree / "systemd/install").write_text(INSTALL)
    (tree / "VERSION").write_text(f"{version}\n")
    if broken:
        (tree / "broken").write_text(BROKEN)
        (tree / "broken").chmod(0o755)
    made = folder / f"{version}.tar"
    with tarfile.open(made, "w") as archive:
        archive.add(tree, f"tiltboard-{version}")
    if not key.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        signers = system / "etc/tiltboard/release-signers"
        signers.parent.mkdir(parents=True)
        public = key.with_suffix(".pub").read_text()
        signers.write_text(f'tiltboard namespaces="tiltboard-update" {public}')
    run("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "tiltboard-update", made)
    signed = made.with_name(f"{made.name}.sig").read_bytes() + made.read_bytes()
    (system / f"boot-test/{version}.update").write_bytes(signed)


def _copy_packages(root: Path, target: Path) -> None:
    """The program and what it needs, as they are here, compiled already."""
    shutil.copytree(root / "tiltboard", target / "tiltboard")
    shutil.copytree(root / "packages/lab/tiltboard_lab", target / "tiltboard_lab")
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    ahead = [*project["dependencies"], *project["optional-dependencies"]["sim"], "tiltboard"]
    met = set()
    while ahead:
        name = re.match(r"[\w.-]+", ahead.pop())[0]
        if name in met:
            continue
        met.add(name)
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        ahead += [line for line in package.requires or [] if "extra ==" not in line]
        for file in package.files or []:
            if ".." in file.parts or "editable" in file.name:
                continue
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            if package.locate_file(file).exists():
                shutil.copy2(package.locate_file(file), target / file)


def test_it_is_ready_after_its_first_scan_under_its_own_user_without_capabilities(seen):
    assert "error" not in seen, seen["error"] + seen["log"]
    assert seen["user"] == "tiltboard"
    assert {int(mask, 16) for mask in seen["capabilities"]} == {0}
    assert seen["status"].startswith("turn:")


def test_a_profile_in_a_home_folder_is_the_service_s_and_the_command_everybody_s(seen):
    assert seen["title"] == "a table of one's own"
    assert seen["command"] == "/usr/local/bin/tiltboard"


def test_a_stalled_scan_loop_is_killed_and_the_game_goes_on(seen):
    assert re.search(r"[Ww]atchdog timeout", seen["log"])
    assert seen["new_pid"]
    assert seen["before"]["moves"] == ["d4", "a1"]
    assert seen["after_watchdog"] == seen["before"]
    assert seen["played_on"]["moves"] == ["d4", "a1", "g7"]


def test_the_log_says_where_the_scan_loop_stood(seen):
    assert "Fatal Python error: Aborted" in seen["log"]
    assert re.search(r'File ".*/service/table_thread\.py", line \d+ in _loop', seen["log"])


def test_a_killed_service_starts_again_with_the_game(seen):
    assert seen["after_kill"] == seen["played_on"]


@pytest.mark.skipif(not FLOODS, reason="takes minutes: set TILTBOARD_BOOT_TEST=1")
def test_no_flood_of_the_page_brings_the_watchdog(seen):
    assert len(seen["floods"]) > 10, seen["flood_errors"]
    assert all(sent for sent, _ in seen["floods"].values())
    assert seen["restarts_after_flood"] == "2"
    assert seen["after_flood"] in {"setup", "fix", "turn"}


def test_a_stop_while_it_starts_is_orderly_and_changes_no_game(seen):
    assert len(seen["stops"]) == 4
    assert {tuple(each) for each in seen["stops"]} == {("inactive", "success")}
    assert "code=killed, status=9" not in seen["log_of_stops"]
    assert seen["after_stops"] == seen["played_on"]


def test_an_update_that_the_table_asks_for_is_installed_and_the_game_goes_on(seen):
    assert seen["updated"] == ["{}", "99.0", "active"]
    assert seen["after_update"] == seen["played_on"]


def test_an_update_that_does_not_start_is_taken_back_and_the_page_is_told(seen):
    told, version, state = seen["broken"]
    assert "it does not start" in told
    assert (version, state) == ("99.0", "active")
    assert seen["after_broken"] == seen["played_on"]


def test_an_older_update_is_refused_in_words(seen):
    told, version, state = seen["older"]
    assert "older than 99.0" in told
    assert (version, state) == ("99.0", "active")
    assert seen["left_in_opt"] == ["tiltboard", "tiltboard.old"]


def test_stopping_is_orderly_and_the_journal_readable(seen):
    assert seen["stopped"] == ["inactive", "success"]
    assert seen["exported"].endswith("1. d4 a1\n2. g7\n")
