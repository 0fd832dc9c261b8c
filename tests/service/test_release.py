"""Tests of .ci/release.py: a release is made twice, of the same bytes, and holds what an
installation needs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import tomllib

import pytest

pytestmark = pytest.mark.skipif(
    None in map(importlib.util.find_spec, ("build", "cyclonedx_py"))
    or shutil.which("dpkg-deb") is None,
    reason="needs the extra release and dpkg-deb",
)


@pytest.fixture(scope="module")
def made(root, tmp_path_factory):
    """Two of them, of the same commit."""
    folder = tmp_path_factory.mktemp("release")
    for name in ("one", "other"):
        done = subprocess.run(
            [sys.executable, root / ".ci/release.py", folder / name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def version(root):
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]


def test_two_are_the_same_bytes_and_their_sums_are_right(made, version):
    one, other = (
        {path.name: path.read_bytes() for path in (made / name).iterdir()}
        for name in ("one", "other")
    )
    assert one == other
    assert set(one) == {
        "LICENCES", "NOTES.md", "SHA256SUMS", f"tiltboard-{version}-py3-none-any.whl",
        *(f"tiltboard_{each}-{version}{end}" for each in ("kernels", "online", "plans")
          for end in ("-py3-none-any.whl", ".tar.gz")),
        f"tiltboard-{version}.cdx.json", f"tiltboard-{version}.tar.gz",
        f"tiltboard-{version}.update", f"tiltboard_{version}_all.deb",
    }  # fmt: skip
    sums = dict(reversed(line.split("  ")) for line in one.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in one.items()}


def test_the_package_and_the_update_are_of_one_tree_and_nobody_s(made, version):
    with tarfile.open(made / f"one/tiltboard-{version}.update") as archive:
        update = {member.name.partition("/")[2]: member for member in archive.getmembers()}
    assert {(member.uid, member.gid, member.uname) for member in update.values()} == {
        (0, 0, "root")
    }
    listed = subprocess.run(
        ["dpkg-deb", "--contents", made / f"one/tiltboard_{version}_all.deb"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert {line.split()[1] for line in listed} == {"root/root"}
    placed = {line.split()[-1] for line in listed}
    assert {
        "./usr/share/bash-completion/completions/tiltboard", "./usr/share/man/man1/tiltboard.1.gz",
        "./usr/share/fish/vendor_completions.d/tiltboard.fish",
        "./usr/share/zsh/vendor-completions/_tiltboard",
    } <= placed  # fmt: skip
    packed = {line.split("./usr/share/tiltboard/")[1] for line in listed if "tiltboard/" in line}
    assert {each.rstrip("/") for each in packed} - {""} == set(update)
    for name in ("systemd/install", "systemd/update", "requirements.lock", ".ci/make-venv",
                 f"wheels/tiltboard-{version}-py3-none-any.whl",
                 f"wheels/tiltboard_kernels-{version}-py3-none-any.whl",
                 f"wheels/tiltboard_plans-{version}-py3-none-any.whl"):  # fmt: skip
        assert name in update
    assert update["systemd/update"].mode == 0o755


def test_the_list_of_parts_has_every_locked_package(made, version, root):
    said = json.loads((made / f"one/tiltboard-{version}.cdx.json").read_text())
    assert said["bomFormat"] == "CycloneDX"
    lines = (root / "requirements.lock").read_text().splitlines()
    locked = {line.split("==")[0] for line in lines if "==" in line}
    assert {each["name"] for each in said["components"]} == locked


def test_the_notes_are_of_this_version_and_our_licence_is_among_them(made, version):
    assert (made / "one/NOTES.md").read_text().startswith(f"## [{version}]")
    assert "MIT License" in (made / "one/LICENCES").read_text()
