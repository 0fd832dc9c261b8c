"""Tests of docs: the repository tells nothing of the machine it was written on, and of no
package that is not.
"""

import re
import subprocess
import tomllib

import pytest
import yaml

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


@pytest.fixture
def written(root):
    """Text of each of them, by its name."""
    paths = [root / name for name in tracked(root)]
    kept = [each for each in paths if each.is_file() and each.suffix not in (".png", ".trace")]
    return {str(each.relative_to(root)): each.read_text("utf-8", "replace") for each in kept}


def test_no_path_of_a_machine(written):
    found = [f"{name}: {path}" for name, text in written.items() for path in MACHINE.findall(text)]
    assert not found


def test_the_projects_addresses_stand_in_one_file(written):
    """Whoever publishes the repository fills in two lines."""
    project = tomllib.loads(written["pyproject.toml"])["project"]
    [maintainer] = project["maintainers"]
    for address in (maintainer["email"], project["urls"]["Repository"]):
        assert [name for name, text in written.items() if address in text] == ["pyproject.toml"]
    assert "(pyproject.toml) under `maintainers`" in " ".join(written["SECURITY.md"].split())


def test_only_the_form_about_hardware_asks_for_the_doctor(root):
    forms = root.glob(".github/ISSUE_TEMPLATE/[!c]*.yml")
    texts = {form.stem: form.read_text("utf-8") for form in forms}
    assert {name for name, text in texts.items() if "tiltboard doctor" in text} == {"hardware"}
    for text in texts.values():
        form = yaml.safe_load(text)
        assert {"name", "description", "labels", "body"} <= set(form)


# PEP 508: what pip would look up in an index by this name, and not in a folder
PUBLISHED = re.compile(
    r"(?:pip|pipx|uv(?: pip| tool)?) (?:install|download)\b[^\n`]*?(?<![\w./-])tiltboard(?![\w./-])"
    r"|['\"` (]tiltboard(?:-\w+)?\[\w"
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
