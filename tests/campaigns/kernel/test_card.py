"""Tests of systemd/card: a card made by its recipe: booted, joined by a phone, and its plug
pulled (opt-in).
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.campaigns.kernel.test_kernel import _checks, _load
from tiltboard.firmware_host.journal.records import JournalReader

pytestmark = pytest.mark.skipif(
    os.environ.get("TILTBOARD_KERNEL_TEST") != "1",
    reason="makes a card and boots it, as root: make kernel-test",
)
CUTS = 50
CONFIRMED = "CONFIRMED "
LONGEST_S = 0.02  # after a write has begun


class Plug:
    """Copies of what the card keeps, each of an instant at which it was being written, with the
    moves that people had been told of by then.
    """

    def __init__(self, card: Path, state: int, pid: list[int], folder: Path) -> None:
        self._card, self._state, self._pid, self._folder = card, state, pid, folder
        self.confirmed: list | None = None
        self.taken: list[tuple[Path, list]] = []
        self._draw = random.Random(1)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._pull, daemon=True)

    def __enter__(self) -> Plug:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _pull(self) -> None:
        before = self._card.stat().st_mtime_ns
        while not self._ended.wait(0.0005) and len(self.taken) < CUTS:
            now = self._card.stat().st_mtime_ns
            if self.confirmed is None or now == before:
                continue
            time.sleep(self._draw.uniform(0, LONGEST_S))
            os.kill(self._pid[0], signal.SIGSTOP)
            time.sleep(0.3)  # what it has said by then is read
            copy = self._folder / f"{len(self.taken)}"
            with self._card.open("rb") as card, copy.open("wb") as out:
                card.seek(self._state)
                while block := card.read(1 << 20):
                    if block.count(0) == len(block):
                        out.seek(len(block), os.SEEK_CUR)
                    else:
                        out.write(block)
                out.truncate()
            self.taken.append((copy, self.confirmed))
            before = self._card.stat().st_mtime_ns
            os.kill(self._pid[0], signal.SIGCONT)


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    make_guest = _load("make_guest")
    why_not = make_guest.missing(make_guest.NEEDS)
    assert why_not is None, why_not
    with make_guest.scratch("card-image") as folder:
        image = folder / "card"
        state, pid = make_guest.make_card(image), []
        with Plug(image, state, pid, folder) as plug:
            console = make_guest.boot(image, "pi5", "card", 0, card=True, pid=pid)

            def heard():
                for line in console:
                    if line.startswith(CONFIRMED):
                        plug.confirmed = json.loads(line.removeprefix(CONFIRMED))
                    yield line

            first = _checks(heard(), "card", "first")
        again = _checks(
            make_guest.boot(image, "pi5", "card-after-cut", 0, card=True), "card", "again"
        )
        yield make_guest, [*first, *again], plug


def test_it_boots_and_plays_and_a_phone_joins_it(card, subtests):
    for check in card[1]:
        print(f"{check['check']}: {check['s']} s, {check.get('found', 'FAILED')}")
        with subtests.test(check["check"]):
            assert "failed" not in check, check["failed"]


def test_no_move_is_lost_by_a_plug_that_is_pulled_while_it_is_written(card, tmp_path):
    make_guest, _, plug = card
    assert len(plug.taken) == CUTS
    further = 0
    for number, (copy, (game, moves)) in enumerate(plug.taken):
        mended = subprocess.run(["e2fsck", "-p", copy], capture_output=True, check=False)
        assert mended.returncode <= 1, mended.stdout  # as systemd/card/init has it
        out = tmp_path / str(number)
        out.mkdir()
        make_guest.run("debugfs", "-R", f"rdump /var/lib/tiltboard {out}", copy)
        with JournalReader.open_read_only(out / "tiltboard/journal.sqlite") as journal:
            found = list(journal.load(game).moves)
        assert found[: len(moves)] == moves, (number, moves, found)
        further += found != moves
        copy.unlink()
    print(f"{CUTS} cuts; in {further} of them the move that was being written was there already")
