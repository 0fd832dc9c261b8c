"""Nothing in the repository tells of the machine that it was written on."""

import re
import subprocess

import pytest

# Scratch and home folders; the system's own (/dev, /etc, /proc) and an example's /home may stand.
MACHINE = re.compile(r"(?<![\w.}~])/(?:root|work|tmp|Users|mnt|private)/[\w.]")


def test_no_path_of_a_machine(root):
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout: there is no list of the repository's files")
    found = []
    for name in listed.stdout.split("\0"):
        path = root / name
        if not name or not path.is_file() or path.suffix in (".png", ".trace"):
            continue
        text = path.read_text("utf-8", errors="replace")
        found += [f"{name}: {match}" for match in MACHINE.findall(text)]
    assert not found
