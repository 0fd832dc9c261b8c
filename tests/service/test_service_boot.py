"""The unit booted by a real systemd (opt-in): ready, watchdog, restarts, and the game intact."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

DISTRIBUTION = "bookworm"  # the one whose Python is 3.11
SIMULATED = """\
[Service]
ExecStart=
ExecStart=/opt/tiltboard/bin/tiltboard sim --port 8080
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

pytestmark = pytest.mark.skipif(
    os.environ.get("TILTBOARD_BOOT_TEST") != "1",
    reason="boots a container, as root: set TILTBOARD_BOOT_TEST=1",
)


def run(*words: str | Path, **options) -> None:
    asked = [str(word) for word in words]
    done = subprocess.run(asked, text=True, capture_output=True, check=False, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def seen(tmp_path_factory, root):
    """What boot_drive.py saw."""
    if os.geteuid() != 0:
        pytest.skip("only root may boot a container")
    for program in ("systemd-nspawn", "systemd-sysusers"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    folder = tmp_path_factory.mktemp("boot")
    system = folder / "root"
    given = os.environ.get("TILTBOARD_BOOT_ROOT")
    if given:
        run("cp", "--archive", "--reflink=auto", given, system)
    elif shutil.which("mmdebstrap"):
        packages = "--include=systemd-sysv,dbus,python3"
        run("mmdebstrap", "--variant=minbase", packages, DISTRIBUTION, system)
    else:
        pytest.skip("mmdebstrap is not installed, and TILTBOARD_BOOT_ROOT names no root")
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not (system / "usr/bin" / python).exists():
        pytest.skip(f"the container has no {python}, for which the packages here are made")
    try:
        _install(root, system, python)
        booted = subprocess.run(
            [
                "systemd-nspawn",
                "--quiet",
                "--register=no",
                "--keep-unit",
                "--console=pipe",
                "--private-network",
                "--directory",
                system,
                "--boot",
            ],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=500,
            check=False,
        )
        result = system / "boot-test/seen.json"
        assert result.exists(), booted.stdout[-4000:] + booted.stderr[-2000:]
        yield json.loads(result.read_text())
    finally:
        shutil.rmtree(system)


def _install(root: Path, system: Path, python: str) -> None:
    target = system / "opt/tiltboard/lib" / python / "site-packages"
    _copy_packages(root, target)
    (system / "opt/tiltboard/bin").mkdir()
    (system / "opt/tiltboard/pyvenv.cfg").write_text("home = /usr/bin\n")
    (system / "opt/tiltboard/bin/python").symlink_to(f"/usr/bin/{python}")
    command = system / "opt/tiltboard/bin/tiltboard"
    command.write_text(
        "#!/opt/tiltboard/bin/python\nfrom tiltboard.firmware_host.cli.main import main\n\nmain()\n"
    )
    command.chmod(0o755)
    tiltboard = Path(sys.executable).with_name("tiltboard")
    environment = os.environ | {"TILTBOARD": str(tiltboard), "PYTHONPATH": str(root)}
    run(root / "systemd/install", "--root", system, env=environment)
    run("systemd-sysusers", f"--root={system}", system / "etc/sysusers.d/tiltboard.conf")
    units = system / "etc/systemd/system"
    (units / "tiltboard.service.d/90-simulated.conf").write_text(SIMULATED)
    (units / "boot-test.service").write_text(DRIVER)
    run("systemctl", f"--root={system}", "enable", "boot-test.service")
    (system / "boot-test").mkdir()
    for name in ("drive", "flood"):
        shutil.copy(Path(__file__).with_name(f"boot_{name}.py"), system / f"boot-test/{name}.py")


def _copy_packages(root: Path, target: Path) -> None:
    """The program and what it needs, as they are here."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "tiltboard", target / "tiltboard", ignore=ignored)
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
            if ".." in file.parts or "__pycache__" in file.parts or "editable" in file.name:
                continue
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(package.locate_file(file), target / file)


def test_it_is_ready_after_its_first_scan_under_its_own_user_without_capabilities(seen):
    assert "error" not in seen, seen["error"] + seen["log"]
    assert seen["user"] == "tiltboard"
    assert {int(mask, 16) for mask in seen["capabilities"]} == {0}
    assert seen["status"].startswith("turn:")


def test_a_stalled_scan_loop_is_killed_and_the_game_goes_on(seen):
    assert re.search(r"[Ww]atchdog timeout", seen["log"])
    assert seen["new_pid"]
    assert seen["before"]["moves"] == ["d4", "a1"]
    assert seen["after_watchdog"] == seen["before"]
    assert seen["played_on"]["moves"] == ["d4", "a1", "g7"]


def test_the_log_says_where_the_scan_loop_stood(seen):
    assert "Fatal Python error: Aborted" in seen["log"]
    assert re.search(r'File ".*/service/table\.py", line \d+ in _loop', seen["log"])


def test_a_killed_service_starts_again_with_the_game(seen):
    assert seen["after_kill"] == seen["played_on"]


def test_no_flood_of_the_page_brings_the_watchdog(seen):
    assert len(seen["floods"]) > 10, seen["flood_errors"]
    assert all(sent for sent, _ in seen["floods"].values())
    assert seen["restarts_after_floods"] == "2"
    assert seen["after_floods"] in {"setup", "fix", "turn"}


def test_stopping_is_orderly_and_the_journal_readable(seen):
    assert seen["stopped"] == ["inactive", "success"]
    assert seen["exported"].endswith("1. d4 a1\n2. g7\n")
