"""Every file, module, class and attribute that a document names is there."""

import importlib
import re

import pytest

FOLDERS = ("drivers", "firmware_host", "games", "hw_sim")
PACKAGES = (*(f"tiltboard.{each}" for each in FOLDERS), "tiltboard_lab")
IN_REPOSITORY = re.compile(rf"({'|'.join((*FOLDERS, 'docs', 'lab', 'tests'))})/[\w./-]*")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)+")
CAMEL = re.compile(r"(?:[A-Z][a-z0-9]+){2,}")
# What a page has its reader make
TO_BE_MADE = {"games/col/", "games/col/__init__.py"}


def resolves(dotted: str, names) -> bool:
    """Whether ``package.module.Name.attribute`` exists."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        rest = parts[count:]
        if not rest:
            return True
        if not hasattr(found, rest[0]):
            return False
        return len(rest) == 1 or rest[1] in names.classes.get(rest[0], set())
    return False


def missing(token: str, root, names) -> bool:
    """Whether ``token`` looks like something of ours and is not there."""
    token = token.removesuffix("()")
    if IN_REPOSITORY.fullmatch(token):
        return token not in TO_BE_MADE and not (root / token).exists()
    if DOTTED.fullmatch(token):
        first, *rest = token.split(".")
        if first in FOLDERS or token.startswith(PACKAGES):
            return first in FOLDERS or not resolves(token, names)
        if first[0].isupper():
            return rest[0] not in names.classes.get(first, set())
        return False
    return bool(CAMEL.fullmatch(token)) and token not in names.classes


def test_what_is_named_is_there(page, root, names):
    assert not [token for token in page.code if missing(token, root, names)]


@pytest.mark.parametrize(
    "token",
    [
        "firmware_host/hosts.py",
        "tiltboard.drivers.plate.Plates",
        "tiltboard.drivers.plate.Plate.scans",
        "tiltboard.games.contracts.answer",
        "games.contract.answer",
        "Plate.scans",
        "MuxHallArrays",
    ],
)
def test_a_wrong_name_would_be_found(token, root, names):
    assert missing(token, root, names)


@pytest.mark.parametrize(
    "token",
    [
        "firmware_host/host/host.py",
        "tiltboard.drivers.plate.Plate.scan",
        "Frame.faults",
        "smbus2.SMBus",
    ],
)
def test_a_right_name_passes(token, root, names):
    assert not missing(token, root, names)


def test_the_architecture_names_many_things(open_page, root):
    """The check above would pass for a page without backticks."""
    page = open_page("docs/architecture.md")
    ours = [t for t in page.code if IN_REPOSITORY.fullmatch(t) or DOTTED.fullmatch(t)]
    assert len(ours) > 60
