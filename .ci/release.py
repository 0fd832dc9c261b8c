"""Makes a release: ``python .ci/release.py OUT`` (``make release``; docs/update.md).

The release contains the committed files, with the time of the commit everywhere, so that two builds
give the same bytes. ``--wheels`` names a folder with the wheels of the dependencies for the Pi, as
``make release`` downloads them. Without it, the update and the package need a package index at
installation.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The files that systemd/install uses, in addition to the wheel. The distributions that an
# installation gets, by their folders.
SHIPPED = (".", "packages/kernels", "packages/online", "packages/plans")
INSTALLED_FROM = ("systemd", "requirements.lock", "requirements-fast.lock", ".ci/make-venv")
CONTROL = """\
Package: tiltboard
Version: {version}
Architecture: all
Maintainer: {name} <{email}>
Depends: python3 (>= 3.11), python3-venv, adduser, udev, systemd
Recommends: python3-spidev, python3-lgpio, network-manager, openssh-client
Section: games
Priority: optional
Description: game table that feels its pieces
 The service of a tilting game table, with its page, computer players and units.
 Games, calibration and settings are never touched.
"""
SHARE = "usr/share/tiltboard"
SCRIPTS = {
    "postinst": f'#!/bin/sh\nset -e\n[ "$1" = configure ] || exit 0\nsh /{SHARE}/systemd/install\n',
    "prerm": f'#!/bin/sh\nset -e\n[ "$1" = remove ] || exit 0\nsh /{SHARE}/systemd/uninstall\n',
}


def run(*words: object, cwd: Path = ROOT, **environment: str) -> str:
    """Run a program, and return its output. Raises CalledProcessError."""
    return subprocess.run(  # noqa: S603
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def packed(folder: Path, to: Path, when: int, *, prefix: str, zipped: bool = False) -> None:
    """Write a tar archive of ``folder``; equal content gives equal bytes."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            entry = archive.gettarinfo(path, f"{prefix}/{path.relative_to(folder)}")
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = when
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            with path.open("rb") if entry.isreg() else io.BytesIO() as content:
                archive.addfile(entry, content)
    data = made.getvalue()
    to.write_bytes(gzip.compress(data, mtime=when) if zipped else data)


def sources(to: Path) -> None:
    """Copy the committed files into a folder."""
    with tarfile.open(fileobj=io.BytesIO(_archive())) as archive:
        archive.extractall(to, filter="data")


def _archive() -> bytes:
    return subprocess.run(
        ["git", "archive", "HEAD"],  # noqa: S607
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout


def licences(wheels: list[Path]) -> str:
    """Return the licences of everything in the release: the metadata and the licence files of the
    wheels.
    """
    told = []
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as content:
            names = content.namelist()
            [about] = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
            metadata = content.read(about).decode()
            said = re.findall(r"^(?:License-Expression|License): (.+)$", metadata, re.MULTILINE)
            said += re.findall(r"^Classifier: License :: (.+)$", metadata, re.MULTILINE)
            files = [name for name in names if re.search(r"(?i)(licen[cs]e|copying|notice)", name)]
            texts = [content.read(n).decode(errors="replace") for n in files if n[-1] != "/"]
        told.append("\n".join([f"== {wheel.name}", *dict.fromkeys(said), "", *texts]))
    return "\n\n".join(told) + "\n"


def notes(version: str) -> str:
    """Return the changelog's section about a version."""
    changes = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^## \[{re.escape(version)}\].*?(?=^## \[|\Z)", changes, re.M | re.S)
    if found is None:
        raise SystemExit(f"release: CHANGELOG.md has no part about {version}")
    return found[0]


def debian(source: Path, tree: Path, to: Path, fields: dict[str, str], when: int) -> None:
    """Build a Debian package that installs a virtual environment from wheels. ``fields``: the
    control file's fields.
    """
    epoch = {"SOURCE_DATE_EPOCH": str(when)}
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        shutil.copytree(tree, root / SHARE)
        # The help texts come from the committed source, which can differ from the installed
        # program.
        made_by = (sys.executable, source / ".ci/terminal.py", root / "usr/share")
        paths = (str(source / folder) for folder in SHIPPED)
        run(*made_by, PYTHONPATH=os.pathsep.join(paths), **epoch)
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(CONTROL.format(**fields))
        for name, text in SCRIPTS.items():
            (root / "DEBIAN" / name).write_text(text)
            (root / "DEBIAN" / name).chmod(0o755)
        for path in [*root.rglob("*"), root]:
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        # Wheels are compressed already, and a Zero 2 W would need time to unpack them again.
        run("dpkg-deb", "--root-owner-group", "-Znone", "--build", root, to, **epoch)


def release(out: Path, wheels: Path | None) -> None:
    """Write the whole release into a new folder ``out``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = project["version"]
    when = int(run("git", "log", "-1", "--format=%ct"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch, "source"), Path(scratch, "made")
        sources(source)
        for folder in SHIPPED:
            build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", made)
            epoch = {"SOURCE_DATE_EPOCH": str(when)}
            run(*build, source / folder, cwd=Path(scratch), **epoch)
        ours = sorted(made.glob("*.whl"))
        for wheel in ours:
            shutil.copy(wheel, out)
        for sdist in made.glob("*.tar.gz"):
            with tarfile.open(sdist) as archive:
                archive.extractall(scratch, filter="data")
            name = sdist.name.removesuffix(".tar.gz")
            packed(Path(scratch, name), out / sdist.name, when, prefix=name, zipped=True)

        tree = Path(scratch, "tree")
        for each in INSTALLED_FROM:
            (tree / each).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (source / each).is_dir() else shutil.copy
            copy(source / each, tree / each)
        (tree / "wheels").mkdir()
        for each in [*ours, *(sorted(wheels.glob("*.whl")) if wheels else [])]:
            shutil.copy(each, tree / "wheels")
        (tree / "VERSION").write_text(f"{version}\n")
        shipped = sorted((tree / "wheels").glob("*.whl"))
        (tree / "LICENCES").write_text(licences(shipped))
        shutil.copy(tree / "LICENCES", out)
        packed(tree, out / f"tiltboard-{version}.update", when, prefix=f"tiltboard-{version}")
        fields = {"version": version, **project["maintainers"][0]}
        debian(source, tree, out / f"tiltboard_{version}_all.deb", fields, when)
    (out / "NOTES.md").write_text(notes(version))
    run(
        *(Path(sys.executable).with_name("cyclonedx-py"), "requirements", "requirements.lock"),
        *("--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON"),
        *("-o", out / f"tiltboard-{version}.cdx.json"),
    )
    files = sorted(path for path in out.iterdir())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--wheels", type=Path)
    asked = parser.parse_args()
    release(asked.out, asked.wheels)
