"""Tests of firmware_host/host/playing.py and firmware_host/journal/writer.py: how the players
ended a game is kept: over a restart, in the export, and taken back again.
"""

from __future__ import annotations

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import GameTextError
from tiltboard.firmware_host.journal.text_format import read_game, write_game
from tiltboard.firmware_host.table.commands import (
    ImportGame,
    NewGame,
    OfferDraw,
    Resign,
    ResumeGame,
    TakeBack,
)
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.session import SimSession

RESIGNED = {"winner": "blue", "reason": "resigned", "by": "red"}


@pytest.fixture
def session(tmp_path):
    with SimSession(unhurried("plate-7"), tmp_path) as session:
        session.run_until(1.0)
        yield session


def ask(session, command):
    done = session.host.submit(command)
    session.run_until(session.clock.now() + 0.5)
    done.result(0)


def test_it_is_over_after_a_resume_and_goes_on_once_it_is_taken_back(session):
    host = session.host
    game = host.journal.current().id
    ask(session, Resign("red"))
    assert host.journal.load(game).result == RESIGNED
    ask(session, NewGame("momentum", {"size": 5, "marbles": 5}))
    ask(session, ResumeGame(game))
    assert (host.status.phase, host.status.outcome.as_json()) == (Phase.OVER, RESIGNED)
    ask(session, TakeBack())
    assert host.journal.load(game).result is None
    assert host.status.outcome is None
    for player in ("red", "blue"):
        ask(session, OfferDraw(player))
    assert host.journal.load(game).result == {"winner": None, "reason": "agreed"}


def test_the_export_tells_it_and_an_import_keeps_it(session):
    host = session.host
    ask(session, Resign("red"))
    text = write_game(host.journal.load(host.journal.current().id))
    assert 'Result: {"winner":"blue","reason":"resigned","by":"red"}' in text
    assert read_game(text).result == RESIGNED
    ask(session, ImportGame(text))
    assert host.status.outcome.as_json() == RESIGNED
    for wrong in ('"winner":"red"', '"winner":null', '"winner":"green"'):
        with pytest.raises(GameTextError, match="Line"):
            read_game(text.replace('"winner":"blue"', wrong))
