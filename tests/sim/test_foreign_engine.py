"""Tests of firmware_host/engines/process.py and ugi.py: another's engine, written in another
language, plays as docs/engines.md says.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.session import SimSession

ENGINE = Path(__file__).parent / "drops.sh"
OPTIONS = {"size": 5, "marbles": 4}
PATIENCE_S = 60.0  # by the wall, for one move


@pytest.mark.skipif(not (shutil.which("sh") and shutil.which("awk")), reason="no sh, or no awk")
def test_a_strangers_engine_plays_a_whole_game(tmp_path):
    path = tmp_path / "tiltboard.toml"
    path.write_text(f'[engine.drops]\ncommand = "sh {ENGINE}"\n')
    settings = load_settings(path)
    seats = {"red": EngineSeat("drops"), "blue": EngineSeat(level=3)}
    with SimSession(unhurried("plate-10"), tmp_path, settings=settings) as session:
        table = OwnHand(session)
        table.host.do(NewGame("momentum", OPTIONS, engines=seats))
        thinks = table.host.session.opponents
        for _ in range(100_000):
            table.tick()
            if thinks.thinking is not None:  # its process takes real time, the table virtual
                thinks._pool.wait(PATIENCE_S)
            assert thinks._pool._commands["drops"] == ["sh", str(ENGINE)]
            if table.status.outcome is not None:
                break
        record = table.host.journal.load(table.status.game_id)
    assert record.engines["red"].version == "Drops 1.0"
    assert record.engines["red"].engine == "drops"  # it was not replaced by ours
    game = game_type("momentum").create(OPTIONS)
    position = game.start()
    for move in record.moves:
        if position.mover == "red" and position.legal() and move != "swap":
            empty = [place for place in position.legal() if place != "swap"]
            assert move == min(empty, key=lambda place: (int(place[1:]), place))
        position = position.play(move).position
    assert position.outcome is not None


def test_an_unknown_key_of_an_engine_is_still_refused(tmp_path):
    path = tmp_path / "tiltboard.toml"
    path.write_text('[engine.deep]\ncomand = "deep"\n')
    with pytest.raises(ConfigError, match=r"engine\.deep\.comand is not a known key.*command"):
        load_settings(path)
