"""Tests of systemd/install: systemd/install and the lock files: everything that pip fetches for
a Pi is a wheel.

An index is asked by ``make check`` alone: what it answers, and how soon, is not up to an edit.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

# PEP 600: glibc 2.17 and all that came since. Bookworm has 2.36, Trixie 2.41.
PLATFORMS = ["manylinux2014_aarch64", *(f"manylinux_2_{n}_aarch64" for n in range(17, 37))]
NO_INDEX = ("Temporary failure in name resolution", "Connection refused", "Max retries exceeded",
            "No such host", "Network is unreachable", "ProxyError")  # fmt: skip


def beside(root, package: str) -> list[str]:
    """Requirements of a package beside the table, but for tiltboard itself."""
    project = tomllib.loads((root / f"packages/{package}/pyproject.toml").read_text())["project"]
    return [each for each in project["dependencies"] if each != "tiltboard"]


def requirements(root, extra: str) -> list[str]:
    """Of the package with that extra."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    extras = project["optional-dependencies"]
    for requirement in extras[extra]:
        inner = requirement.removeprefix("tiltboard[").removesuffix("]")
        found = extras[inner] if inner != requirement else [requirement]
        # pip would judge the marker by the machine that it runs on
        wanted += [entry.partition(";")[0].strip() for entry in found]
    return wanted


@pytest.fixture
def pip_for_a_pi():
    """pip, asked for a 64-bit Pi's wheels alone; skips where there is no package index."""
    if not os.environ.get("TILTBOARD_ASK_INDEX"):
        pytest.skip("TILTBOARD_ASK_INDEX=1 asks a package index, as make check does")
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]

    def ask(python, *words):
        how = ["--only-binary=:all:", *platforms, "--python-version", python]
        asked = subprocess.run(
            [sys.executable, "-m", "pip", *words, "--quiet", *how, "--implementation", "cp",
             "--retries", "1"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if any(reason in asked.stderr for reason in NO_INDEX):
            pytest.skip(f"no package index: {asked.stderr.strip().splitlines()[-1]}")
        assert asked.returncode == 0, asked.stderr

    return ask


@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_all_of_it_is_there_as_wheels_for_a_64_bit_pi(root, tmp_path, pip_for_a_pi, python):
    """The large extras too, all beside each other; chosen, but not fetched."""
    chosen = ("install", "--dry-run", "--ignore-installed", "--target", str(tmp_path))
    extras = ("pi", "physics")  # with physics comes all that sim brings
    wanted = {word for extra in extras for word in requirements(root, extra)}
    wanted |= {*beside(root, "kernels"), *beside(root, "online")}
    pip_for_a_pi(python, *chosen, *sorted(wanted))


@pytest.mark.parametrize("python", ["3.11", "3.13"])
@pytest.mark.parametrize("name", ["requirements.lock", "requirements-fast.lock"])
def test_the_lock_files_are_there_as_wheels_with_their_hashes(
    root, tmp_path, pip_for_a_pi, name, python
):
    chosen = ("install", "--dry-run", "--ignore-installed", "--target", str(tmp_path))
    pip_for_a_pi(python, *chosen, "--require-hashes", "-r", str(root / name))


def locked(root, name: str = "requirements.lock") -> dict[str, tuple[str, int]]:
    """Package -> the version and number of hashes that this file has of it."""
    lines = (root / name).read_text().replace("\\\n", " ").splitlines()
    found = {}
    for line in lines:
        if line and not line.startswith("#"):
            name, version = re.match(r"([a-z0-9-]+)==(\S+)", line).groups()
            found[name] = version, len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", line))
    return found


def test_the_lock_file_holds_all_that_the_installer_asks_for_and_the_installer_nothing_else(root):
    """``make lock`` writes it anew where this fails."""
    there = locked(root)
    assert all(hashes for _, hashes in there.values())
    build = tomllib.loads((root / "pyproject.toml").read_text())["build-system"]["requires"]
    for entry in (*requirements(root, "pi"), *beside(root, "online"), *build):
        need = Requirement(entry)
        version, _ = there[need.name.lower()]
        assert need.specifier.contains(version), entry
    installer = (root / "systemd/install").read_text()
    pip = [line for line in installer.splitlines() if "-m pip install" in line]
    assert len(pip) == 3
    assert "--require-hashes -r requirements.lock" in pip[0]
    assert "--no-deps --no-build-isolation" in pip[1]
    assert "--only-binary :all: --require-hashes -r requirements-fast.lock" in pip[2]
    fast = locked(root, "requirements-fast.lock")
    for entry in beside(root, "kernels"):
        need = Requirement(entry)
        version, hashes = fast.get(need.name.lower()) or there[need.name.lower()]
        assert hashes and need.specifier.contains(version), entry


def test_what_has_no_wheels_is_not_asked_of_pip(root):
    asked = " ".join(word for extra in ("pi", "sim") for word in requirements(root, extra))
    for name in ("spidev", "RPi.GPIO", "rpi_ws281x", "lgpio"):
        assert name not in asked


def test_documents_and_installer_bring_the_distribution_s_packages(root):
    documented = (root / "docs/service.md").read_text()
    [line] = [line for line in documented.splitlines() if "apt install" in line]
    installer = (root / "systemd/install").read_text()
    for package in ("python3-spidev", "python3-lgpio"):
        assert package in line.split()
        assert package in installer
    assert "--system-site-packages" in documented
    assert "--system-site-packages" in installer
