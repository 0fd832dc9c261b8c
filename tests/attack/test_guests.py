"""Tests of firmware_host/table/commands.py, games/seated.py and firmware_host/referee/seats.py:
random guests in virtual time: several devices, seats, computers, hands, kills and power cuts.

A minute of the table's time in every run; TILTBOARD_GUESTS_S=3600 for an hour.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

import msgspec
import pytest

from tests.attack.guests import Guest
from tests.sim.test_sim_opponents import FirstMove
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import error_text
from tiltboard.firmware_host.host.lessons import Unwritten
from tiltboard.firmware_host.journal.text_format import write_game
from tiltboard.firmware_host.journal.writer import ENOUGH_SCANS
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.commands import ClaimSeat, RevealHand
from tiltboard.firmware_host.table.hands import HandsCommand
from tiltboard.firmware_host.web.requests import UNREADABLE, PageCommand, RevealHandAsked
from tiltboard.games.base import RulesError
from tiltboard.games.seated import SeatedGame
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.session import SimSession

TIME_S = float(os.environ.get("TILTBOARD_GUESTS_S", "60"))
SCAN_CPU_S = 0.1 if TIME_S > 600 else 0.5  # a short run has imports in its scans
HIDDEN = "?"


class Watched:
    """A table and what must hold of it after each scan."""

    def __init__(self, session: SimSession) -> None:
        self.session = session
        self.publisher = Publisher(session.host)
        self.confirmed: dict[int, tuple[str, ...]] = {}
        self.slowest_s = 0.0
        self.refused = self.done = self.hands_seen = 0
        self.wrong: list[str] = []
        self.to_read: list[tuple[Callable, Future]] = []

    @property
    def host(self):
        return self.session.host

    def scan(self) -> None:
        began_s = time.thread_time()
        self.session.tick()
        self.slowest_s = max(self.slowest_s, time.thread_time() - began_s)
        asked, self.to_read = self.to_read, []
        for question, answer in asked:
            try:
                answer.set_result(question(self.host.journal))
            except Exception as error:  # noqa: BLE001 - what the table makes of it is looked at
                answer.set_exception(error)

    def _ask_journal(self, question: Callable) -> Future:
        """As another thread of the service reads, between two scans."""
        self.to_read.append((question, Future()))
        return self.to_read[-1][1]

    def check(self) -> None:
        """The journal is what the table believes, and nobody sees another's hand."""
        status, journal = self.host.status, self.host.journal
        current = journal.current()
        if status.game_id is not None and status.game_id > 0 and current is not None:
            assert status.game_id == current.id
            if not self.host.modes.waits:  # else it is shown afterwards
                assert status.moves == current.moves
        if self.publisher._host is not self.host:
            self.publisher = Publisher(self.host)
        snapshot = self.publisher.snapshot()
        self.say(status, lambda: ENGLISH.translate(self.host.shown.say))
        shown = msgspec.json.encode(snapshot.seats)
        views = self.publisher.seats().views
        position = status.position
        if position is None or not isinstance(position.game, SeatedGame) or snapshot.seats is None:
            return
        assert b'"seed"' not in shown
        if position.over or position.game.options["mode"] == "simple":
            return
        for player, hand in zip(position.game.players, position.state.hands, strict=True):
            assert set(snapshot.seats.public["hands"][player]) <= {HIDDEN}
            wanted = [HIDDEN] * len(hand) if views[player].shut else sorted(hand)
            assert sorted(views[player].hand) == wanted
            assert views[player].player == player
            self.hands_seen += len(hand)
        for pile in ("left", "right_pile"):
            assert HIDDEN not in getattr(position.state, pile)

    def send(self, message: dict) -> None:
        try:
            kind = ClaimSeat if message.get("type") == "sit-down" else PageCommand
            asked = msgspec.json.decode(msgspec.json.encode(message), type=kind)
        except UNREADABLE:
            self.refused += 1
            return
        if isinstance(asked, HandsCommand):
            return
        if isinstance(asked, RevealHandAsked):
            asked = RevealHand(asked.player, "guest")
        answer = self.host.submit(asked, self._ask_journal)
        answer.add_done_callback(partial(self._answered, asked))

    def _answered(self, asked: object, answer: Future[None]) -> None:
        error = answer.exception()
        if error is None:
            self.done += 1
        elif isinstance(error, TiltboardError | RulesError):
            self.refused += 1
            self.say(asked, lambda: error_text(error, ENGLISH))
        else:
            self.wrong.append(f"{asked}: {error!r}")

    def say(self, asked: object, sentence: Callable[[], str]) -> None:
        """What is told can be told, and read."""
        try:
            said = sentence()
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            self.wrong.append(f"{asked}: {error!r}")
        else:
            if not 0 < len(said) < 2000:
                self.wrong.append(f"{asked}: {len(said)} characters")


ENGLISH = Catalogue()


@pytest.mark.parametrize("seed", [1, 2])
def test_random_guests(tmp_path, monkeypatch, seed):
    monkeypatch.setattr("tiltboard.firmware_host.host.assemble.EnginePool", FirstMove)
    rng = random.Random(seed)
    guests = [Guest(random.Random(seed * 100 + n)) for n in range(4)]
    kills = 0
    with SimSession(unhurried("plate-10"), tmp_path, seed=seed) as session:
        table = Watched(session)
        table.scan()
        table.send({"type": "game", "game": "gravity-warfare", "options": {"players": 2}})
        for _ in range(20):  # there are hands to be seen, whatever the guests begin
            table.scan()
            table.check()
        end_s = session.clock.now() + TIME_S
        while session.clock.now() < end_s:
            position = table.host.status.position
            legal = [] if position is None else list(position.legal())[:40]
            players = list(table.host.game.players)
            codes = list(table.publisher.seats().codes.values())
            for guest in guests:
                guest.known = [*legal, *players, *codes, "d4", "easy", "momentum", f"device-{seed}"]
                for _ in range(rng.choice((0, 0, 1, 3))):
                    table.send(guest.message())
            if rng.random() < 0.02:  # somebody at the table wants to play on
                table.send({"type": "stop-calibration"})
                table.send({"type": "play-freely", "on": False})
            before = table.host.status
            if rng.random() < 0.01:
                kills += 1
                record = table.host.journal.current()
                session.kill() if rng.random() < 0.7 else session.power_cut()
                after = table.host.journal.current()
                assert (record is None) == (after is None)
                if record is not None and after is not None:
                    kept = len(record.moves)
                    assert (after.id, after.moves[:kept]) == (record.id, record.moves), before
                    dealt = after.moves[kept:]  # by the table, in its first scan
                    assert all(move.startswith("chance:") for move in dealt), before
                for _ in range(ENOUGH_SCANS):  # sooner again, and the game is at fault
                    table.scan()
                    table.check()
            for _ in range(rng.choice((1, 1, 5))):
                table.scan()
                table.check()
            if rng.random() < 0.01 and not isinstance(table.host.game, Unwritten):
                record = table.host.journal.current()
                if record is not None:
                    guests[0].texts = [*guests[0].texts[-3:], write_game(record)]
    assert table.wrong == []
    assert table.done > TIME_S
    assert table.refused > TIME_S
    assert kills
    assert table.hands_seen
    assert table.slowest_s < SCAN_CPU_S
