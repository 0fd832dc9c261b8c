"""Tests of firmware_host/referee/chance.py: chance in a game of seats cannot be foretold, and
can be gone through again afterwards.
"""

from __future__ import annotations

import hashlib
import hmac

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import NewGame, SeatMove
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE
from tiltboard.hw_sim.session import SimSession

SMALL = unhurried("matrix-gpio")


@pytest.fixture
def session(tmp_path):
    with SimSession(SMALL, tmp_path) as running:
        running.tick()
        yield running


def draws(seed, move):
    """What docs/threat-model.md says of a draw, with nothing of the table's own."""
    key, number = seed.to_bytes(16, "big"), 0
    while True:
        digest = hmac.new(key, f"{move}/{number}".encode(), hashlib.sha256).hexdigest()
        yield int(digest, 16)
        number += 1


def test_who_knows_the_seed_afterwards_finds_every_draw_again(session):
    session.host.do(NewGame("gravity-warfare", {"mode": "simple", "players": 2, "rounds": 1}))
    session.tick()
    seed = session.host.game.options["seed"]
    for _ in range(2):
        session.host.do(SeatMove(None, "chance"))
    session.tick()
    shuffle, roll = session.host.status.moves[:2]
    pack = sorted(session.host.game.chosen.pack().elements())
    found = draws(seed, 0)
    next(found)  # which of one kind of chance
    left = list(session.host.game.chosen.pack().elements())
    cards: list[str] = []
    while left:  # what the last place was exchanged with lies there now
        chosen = next(found) % len(left) if len(left) > 1 else 0
        cards.insert(0, left[chosen])
        left[chosen] = left[-1]
        left.pop()
    assert shuffle == ":".join(["chance", "shuffle", *cards])
    assert sorted(cards) == pack
    rolls = [f"chance:roll:{kind}:{zone}" for kind in KINDS for zone in ZONES]
    after = GRAVITY_WARFARE.create(session.host.game.options).start().play(shuffle).position
    legal = [move for move in after.legal() if move.startswith("chance")]
    assert set(legal) <= set(rolls)
    assert roll == legal[next(draws(seed, 1)) % len(legal)]


KINDS = ("fighter", "ship", "tank", "any")
ZONES = (*"12345678", "any")


def test_a_seed_is_too_long_to_be_tried(session):
    seeds = []
    for _ in range(8):
        session.host.do(NewGame("gravity-warfare", {"players": 2}))
        seeds.append(session.host.game.options["seed"])
    assert max(seeds).bit_length() > 120
    assert len({*seeds}) == 8


def test_nobody_at_a_seat_says_which_cards_lie_where(session):
    session.host.do(NewGame("gravity-warfare", {"players": 2}))
    session.tick()
    position = session.host.status.position
    if "chance:heroes" in position.legal():
        session.host.do(SeatMove(None, "chance"))
        session.tick()
        position = session.host.status.position
    pack = session.host.game.chosen.pack()
    del pack["guardian"]
    stacked = ":".join(["chance", "shuffle", *sorted(pack.elements())])
    assert session.host.game.refusal(position, stacked) is None
    for player in ("red", None):
        with pytest.raises(NotPossibleError, match="deals this itself"):
            session.host.do(SeatMove(player, stacked))
    assert session.host.status.moves == tuple(session.host.journal.current().moves)
