"""Tests of systemd/card/state: systemd/card/state on real disks: damage is repaired, and what
held games is not formatted.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

NEEDS = ("addpart", "bash", "debugfs", "e2fsck", "losetup", "mke2fs", "sfdisk")
GAMES = bytes(range(256)) * 400
BLOCK = 4096
SIZE = 900 << 20
BACKUPS = (32768, 98304, 163840)  # mke2fs(8): sparse_super, groups 1, 3 and 5
PRIMARY = 1024
MAGIC, FREE_BLOCKS, CHECKSUM = 0x38, 0x0C, 0x3FC  # kernel.org, ext4 Data Structures: Super Block
# A power cut before the command of that number: bash runs this before each
CUT = 'set -T\ntrap \'n=$((${n:-0} + 1)); [ "$n" != "$CUT" ] || kill -KILL $$\' DEBUG\n'


class Card:
    """A disk with the two partitions of an image, and what a start makes of it."""

    def __init__(self, folder: Path, script: Path) -> None:
        self.folder, self.script = folder, script
        self.image, self.at = folder / "card", folder / "state"
        self.at.mkdir()
        with self.image.open("wb") as image:
            image.truncate(SIZE)
        run("sfdisk", "--quiet", self.image, given="label: dos\n, 20M, c\n, 100M, L\n")

    def start(self, cut: int | None = None) -> subprocess.CompletedProcess[str]:
        """One start, on a disk that has just been plugged in; the folder is mounted after it."""
        self.plug_in()
        environment = dict(os.environ)
        if cut is not None:
            (self.folder / "cut").write_text(CUT)
            environment |= {"BASH_ENV": str(self.folder / "cut"), "CUT": str(cut)}
        return subprocess.run(
            ["bash", self.script, self.disk, f"{self.disk}p3", self.at],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip

    def plug_in(self, *how: str) -> None:
        """Have the kernel know the disk, and the partitions in its table."""
        self.disk = run("losetup", "--find", *how, "--show", self.image).strip()
        run("partx", "--add", self.disk)

    def pull(self) -> None:
        """The plug; nothing that the kernel knew of the disk outlives it."""
        subprocess.run(["umount", self.at], capture_output=True, check=False)
        subprocess.run(["partx", "--delete", self.disk], capture_output=True, check=False)
        run("losetup", "--detach", self.disk)

    @property
    def kept(self) -> bool:
        """Whether what is written now outlives the plug; what the table looks at agrees."""
        kind = run("findmnt", "--noheadings", "--output", "FSTYPE", self.at).strip()
        assert (kind == "ext4") is not (self.at / "not-kept").exists()
        return kind == "ext4"

    def has_games(self) -> bool:
        """Whether they are there whole, by their name or in lost+found (e2fsck(8))."""
        return any(
            path.is_file() and path.stat().st_size == len(GAMES) and path.read_bytes() == GAMES
            for path in (self.at / "var/journal.sqlite", *self.at.glob("lost+found/**/*"))
        )

    @property
    def offset(self) -> int:
        """Of the third partition."""
        *_, third = run("sfdisk", "--dump", self.image).splitlines()
        return int(third.partition("start=")[2].partition(",")[0]) * 512

    def overwrite(self, at: int, content: bytes) -> None:
        with self.image.open("r+b") as image:
            image.seek(self.offset + at)
            image.write(content)

    def content(self) -> dict[int, bytes]:
        """What is in its blocks, by where they are; zeros are left out."""
        found = {}
        with self.image.open("rb") as image:
            at = 0
            while (at := next_data(image.fileno(), at)) < SIZE:
                image.seek(at)
                block = image.read(BLOCK)
                if any(block):
                    found[at] = block
                at += BLOCK
        return found

    def flip(self, at: int) -> None:
        with self.image.open("rb") as image:
            image.seek(self.offset + at)
            [byte] = image.read(1)
        self.overwrite(at, bytes([byte ^ 1]))


def next_data(file: int, at: int) -> int:
    """Return where the next block that is not a hole begins, or SIZE."""
    try:
        return os.lseek(file, at, os.SEEK_DATA) if at < SIZE else SIZE
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return SIZE


def run(*words: object, given: str | None = None) -> str:
    return subprocess.run(
        [str(word) for word in words], input=given, check=True, text=True, capture_output=True
    ).stdout


@pytest.fixture
def fresh(root, tmp_path):
    if os.geteuid() != 0 or None in map(shutil.which, NEEDS):
        pytest.skip(f"needs to be root, and {', '.join(NEEDS)}")
    if subprocess.run(["losetup", "--find"], capture_output=True, check=False).returncode:
        pytest.skip("there are no loop devices here")
    made = Card(tmp_path, root / "systemd/card/state")
    made.disk = ""
    yield made
    if made.disk and made.disk in run("losetup", "--list", "--noheadings", "--output", "NAME"):
        made.pull()


@pytest.fixture
def played(fresh):
    """One that has been started once, and played on."""
    fresh.start()
    assert fresh.kept
    (fresh.at / "var").mkdir()
    (fresh.at / "var/journal.sqlite").write_bytes(GAMES)
    fresh.pull()
    return fresh


def journal_block(card: Card) -> int:
    """Where the file system's own journal begins."""
    with (card.folder / "partition").open("wb") as copy, card.image.open("rb") as image:
        image.seek(card.offset)
        copy.write(image.read(256 << 20))
    return int(run("debugfs", "-R", "bmap <8> 0", copy.name).split()[-1])


DAMAGES = {
    "nothing": lambda card: None,
    "the first superblock zeroed": lambda card: card.overwrite(PRIMARY, bytes(512)),
    "its magic number off by a bit": lambda card: card.flip(PRIMARY + MAGIC),
    "a count in it off by a bit": lambda card: card.flip(PRIMARY + FREE_BLOCKS),
    "its checksum off by a bit": lambda card: card.flip(PRIMARY + CHECKSUM),
    "all before the first inodes zeroed": lambda card: card.overwrite(0, bytes(64 * BLOCK)),
    "the first two superblocks zeroed": lambda card: [
        card.overwrite(at, bytes(BLOCK)) for at in (0, BACKUPS[0] * BLOCK)
    ],
    "the first three superblocks zeroed": lambda card: [
        card.overwrite(at, bytes(BLOCK)) for at in (0, *(each * BLOCK for each in BACKUPS[:2]))
    ],
    "the group descriptors zeroed": lambda card: card.overwrite(BLOCK, bytes(BLOCK)),
    "the file system's journal zeroed": lambda card: card.overwrite(
        journal_block(card) * BLOCK, bytes(16 * BLOCK)
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_repaired_and_the_games_are_there(played, damage):
    DAMAGES[damage](played)
    played.start()
    assert played.has_games()
    assert played.kept


@pytest.mark.parametrize("what", ["zeros", "noise", "a foreign file system"])
def test_what_cannot_be_repaired_is_left_as_it_is_and_said(played, what):
    if what == "a foreign file system":
        played.overwrite(0, b"\xeb\x58\x90mkfs.fat")
    if what == "zeros":
        os.truncate(played.image, played.offset + BLOCK)
        os.truncate(played.image, SIZE)
    else:
        played.overwrite(BLOCK, os.urandom(1 << 20))
    for at in (0, *BACKUPS, 229376, 294912, 819200):
        if at * BLOCK < 770 << 20:
            played.overwrite(at * BLOCK, b"\xff" * BLOCK)
    before = played.content()
    played.start()
    assert not played.kept
    assert played.content() == before


def test_a_first_start_that_is_cut_anywhere_leaves_no_half_made_file_system(fresh):
    seen = []
    for number in range(1, 200):
        done = fresh.start(cut=number)
        fresh.pull()
        seen.append(done.returncode)
        if done.returncode == 0:
            break
        assert done.returncode == -9, (number, done.stderr)
        fresh.start()
        assert fresh.kept, number
        fresh.pull()
        run("sfdisk", "--quiet", "--delete", fresh.image, "3")
    else:
        pytest.fail("it never ended")
    assert len(seen) > 10


def test_a_file_system_that_was_cut_as_it_was_made_is_made_again(fresh, monkeypatch):
    """The partition is not in the card's table before."""
    real = shutil.which("mke2fs")
    program = fresh.folder / "bin/mke2fs"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\n{real} "$@"\nfor last; do :; done\n'
        'head -c 8192 /dev/zero >"$last"; kill -KILL $PPID\n'
    )
    program.chmod(0o755)
    with monkeypatch.context() as torn:
        torn.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        fresh.start()
        fresh.pull()
    assert "start=" in run("sfdisk", "--dump", fresh.image).splitlines()[-1]
    assert len(run("sfdisk", "--quiet", "--list", fresh.image).splitlines()) == 3
    fresh.start()
    assert fresh.kept


def test_a_card_that_takes_nothing_is_said_not_to_keep_anything(played):
    played.plug_in("--read-only")
    subprocess.run(
        ["bash", played.script, played.disk, f"{played.disk}p3", played.at],
        check=False,
        capture_output=True,
    )
    assert not played.kept


def test_a_card_without_room_for_it_plays_too(fresh):
    run("sfdisk", "--quiet", "--append", fresh.image, given=", 770M, L\n")
    run("sfdisk", "--quiet", "--part-type", fresh.image, "3", "82")
    fresh.start()
    assert not fresh.kept
