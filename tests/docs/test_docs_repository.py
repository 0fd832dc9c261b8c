"""The repository tells nothing of the machine it was written on, and of no package that is not."""

import re
import subprocess

import pytest

# Scratch and home folders; the system's own (/dev, /etc, /proc) and an example's /home may stand.
MACHINE = re.compile(r"(?<![\w.}~])/(?:root|work|tmp|Users|mnt|private)/[\w.]")


def tracked(root):
    """The names of the repository's files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout: there is no list of the repository's files")
    return [name for name in listed.stdout.split("\0") if name]


def test_no_path_of_a_machine(root):
    found = []
    for name in tracked(root):
        path = root / name
        if not path.is_file() or path.suffix in (".png", ".trace"):
            continue
        text = path.read_text("utf-8", errors="replace")
        found += [f"{name}: {match}" for match in MACHINE.findall(text)]
    assert not found


# PEP 508: what pip would look up in an index by this name, and not in a folder
PUBLISHED = re.compile(
    r"(?:pip|pipx|uv(?: pip| tool)?) (?:install|download)\b[^\n`]*?(?<![\w./-])tiltboard(?![\w./-])"
    r"|['\"` (]tiltboard(?:-lab)?\[\w"
)


def test_nobody_is_sent_to_an_index_for_this_project(root):
    """No index has it; whoever claims the name there would be installed in its place."""
    assert PUBLISHED.search('pip install --upgrade "tiltboard[far]"')
    assert PUBLISHED.search("run: pip install tiltboard")
    assert not PUBLISHED.search("pip install ./tiltboard-col")
    found = []
    for name in tracked(root):
        path = root / name
        # pyproject.toml names extras of its own, which pip takes from where it is
        if path.suffix in (".md", ".py", ".po", ".js", ".html", ".sh", ".yml", ".yaml", "") and (
            path.is_file() and path != root / "tests/docs/test_docs_repository.py"
        ):
            lines = path.read_text("utf-8", errors="replace").splitlines()
            found += [f"{name}: {line.strip()}" for line in lines if PUBLISHED.search(line)]
    assert not found
