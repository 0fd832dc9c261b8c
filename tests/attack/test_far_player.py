"""Tests of tiltboard_online/far/match.py, match_sync.py and match_session.py: who sits at another
table, or owns the broker, and means ill: it costs him the match, and nobody else a scan or a move.
"""

from __future__ import annotations

import random

import msgspec
import pytest

from tests.sim.far_tables import Broker, FarTable, begin, chance_of, patched
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.table.commands import LeaveMatch, NewGame, TakeBack
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import game_type
from tiltboard_online.far import match_session, match_sync, seal
from tiltboard_online.far.match import Hello, MatchState, MatchStep, Said, Wish, digest_of
from tiltboard_online.far.seal import Keys, Seal

SMALL = {"size": 5, "marbles": 4, "pie": False}


@pytest.fixture
def broker(monkeypatch):
    made = Broker()
    patched(monkeypatch, made)
    return made


@pytest.fixture
def table(tmp_path, broker):
    """It waits for another table, at the broker."""
    one = FarTable(tmp_path / "a", "a")
    begin([one], "momentum", SMALL, {"blue": 1})
    for _ in range(5):
        tick(one, broker)
    yield one
    one.close()


class Peer:
    """Knows the code, and says whatever it likes."""

    def __init__(self, table, broker):
        self.far, self.broker = table.host.playing.far, broker
        self.keys = Keys.of(self.far.kept.code)
        self.seal = Seal(self.keys)

    def send(self, content, *, topic=None):
        at = topic or f"{self.keys.topic}/{self.seal.table}"
        self.broker.publish(at, content, retain=False)

    def say(self, spoken):
        self.send(self.seal.close(spoken))


def tick(table, broker, count=1):
    for _ in range(count):
        broker.deliver()
        table.tick()


@pytest.fixture
def peer(table, broker):
    """It has a seat; the table has made its move."""
    one = Peer(table, broker)
    one.say(Hello("ill"))
    tick(table, broker, 10)
    assert one.seal.table in table.match.state.agreed.tables
    while not table.may_move:
        tick(table, broker)
    table.move(chance_of(1))
    while len(table.match.state.steps) < 1:
        tick(table, broker)
    return one


def told(table, **changed):
    return msgspec.structs.replace(table.match.state, **changed)


def read(table, broker):
    until_s = table.session.clock.now() + match_session.READ_S
    while table.session.clock.now() <= until_s:
        tick(table, broker)


def test_one_press_agrees_to_as_many_moves_as_were_said_for_long_enough(table, broker, peer):
    legal = table.match.course.reached[-1].legal()
    steps = (*table.match.state.steps, MatchStep("move", legal[0], "blue"))
    peer.say(told(table, steps=steps))
    while not table.may_move:
        tick(table, broker)

    def wants(left, number):
        wish = Wish(len(steps), MatchStep("take-back", left, "red"))
        peer.say(told(table, steps=steps, wishes=(wish,), said=Said(number)))
        tick(table, broker, 3)

    wants("1", 1)
    assert "asks to take back 1 move:" in table.said
    read(table, broker)
    wants("0", 2)  # the last moment before the press
    assert "asks to take back 2 moves:" in table.said
    with pytest.raises(NotPossibleError, match="something else now"):
        table.do(TakeBack())
    assert table.match.state.wishes == ()
    wants("7", 3)  # which the rules forbid
    assert "asks to take back" not in table.said and table.host.playing.far.asked == []
    wants("0", 4)
    read(table, broker)
    table.do(TakeBack())
    while len(table.moves) > 0:
        tick(table, broker)


@pytest.mark.parametrize(
    ("wanted", "has_read", "wished"),
    [
        ("0", False, ["take-back", "1", "red"]),  # what was done, and no more
        ("0", True, ["take-back", "0", "blue"]),
        ("1", True, ["take-back", "1", "blue"]),
        ("1", False, ["take-back", "0", "red"]),  # both moves, as where nothing is asked
    ],
)
def test_hands_that_take_back_the_far_move_agree_to_no_more_than_was_read(
    table, peer, wanted, has_read, wished
):
    move = MatchStep("move", table.match.course.reached[-1].legal()[0], "blue")
    steps = (*table.match.state.steps, move)
    peer.say(told(table, steps=steps))
    while not table.may_move:
        tick(table, peer.broker)
    wish = Wish(2, MatchStep("take-back", wanted, "blue"))
    if has_read:
        peer.say(told(table, steps=steps, wishes=(wish,)))
        read(table, peer.broker)
    table.session.hands.press("back", 0.15)
    table.session.run_until(table.session.hands.busy_until_s - 0.02)
    if not has_read:
        peer.say(told(table, steps=steps, wishes=(wish,)))
    while table.match.state.wishes == () and table.match.number == 2:
        tick(table, peer.broker)
    made = table.match.state.wishes or [Wish(2, step) for step in table.match.state.steps[2:]]
    assert [msgspec.to_builtins(each.step) for each in made] == [wished]


def test_an_answer_is_to_the_very_number_that_was_asked_for(table, broker, peer):
    peer.say(told(table, wishes=(Wish(1, MatchStep("take-back", "0", "blue")),)))
    tick(table, broker, 3)
    assert match_sync.wish_of(table.match, "take-back", "0").who == "blue"
    assert match_sync.wish_of(table.match, "take-back", "1").text == "1"


def test_strangers_without_the_code_take_no_place_from_who_has_it(table, broker):
    """Retained, emptied, long, and as many as like."""
    one, chance = Peer(table, broker), random.Random(5)
    for number in range(200):
        key = chance.randbytes(32).hex()
        for end in ("", "/here", "/here/key", "/x"):
            content = chance.choice((b"", b"x", b"1", b"0", chance.randbytes(5000)))
            broker.publish(f"{one.keys.topic}/{key}{end}", content, retain=bool(number % 2))
    tick(table, broker, 5)
    far = table.host.playing.far
    assert far._waiting.keys() <= {far._seal.table}
    assert far._here == {}
    one.say(Hello("late"))
    tick(table, broker, 10)
    assert one.seal.table in table.match.state.agreed.tables


def goes_on(table, broker):
    """People here begin another game and move in it."""
    table.do(NewGame("momentum", SMALL))
    for _ in range(400):
        tick(table, broker)
        status = table.host.status
        if status.phase is Phase.TURN and len(status.moves) < 2:
            table.move(chance_of(2))
        if len(status.moves) == 2:
            return
    raise AssertionError(table.said)


def test_a_brokers_owner_without_the_code_changes_nothing(table, broker, peer):
    chance = random.Random(3)
    topics = [*broker.retained, f"{peer.keys.topic}/{'0' * 64}", f"{peer.keys.topic}/x"]
    genuine = [content for content in broker.retained.values() if len(content) > 9]
    before = table.match, table.host.playing.far.kept
    for _ in range(3000):
        content = bytearray(chance.choice((b"", b"{}", chance.randbytes(300), *genuine)))
        if content and chance.random() < 0.5:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        topic = chance.choice([at for at in topics if not at.endswith("/here")])
        peer.send(bytes(content), topic=topic)
        if chance.random() < 0.02:
            tick(table, broker)
    tick(table, broker, 5)
    assert (table.match.state, table.host.playing.far.kept) == (before[0].state, before[1])


def test_a_flood_waits_in_few_places(table, broker, peer):
    for number in range(3000):
        peer.say(told(table, wishes=(), said=(number, None)))
    for number in range(40):  # who has no seat is not even opened
        stranger = Peer(table, broker)
        stranger.say(Hello(f"stranger {number}"))
    broker.deliver()
    waiting = table.host.playing.far._waiting
    assert set(waiting) <= table.match.state.agreed.tables
    assert max(map(len, waiting.values())) <= match_session.MAX_WAITING
    tick(table, broker, 5)
    assert table.match.state.differs is None


def test_strangers_who_know_the_code_take_no_place_but_the_free_ones(table, broker):
    strangers = [Peer(table, broker) for _ in range(60)]
    for each in strangers:
        each.say(Hello("stranger"))
    tick(table, broker, 10)
    assert len(table.match.state.agreed.tables) == 2
    assert len(table.host.playing.far._waiting) <= match_session.MAX_STRANGERS


def test_messages_that_are_too_long_are_not_opened(table, broker, peer):
    before = table.match.state
    peer.send(bytes(seal.MAX_BYTES + 1))
    long = [MatchStep("move", "a1", "blue")] * 1999
    peer.say(told(table, steps=(*table.match.state.steps, *long)))
    tick(table, broker, 3)
    assert table.match.state.steps == before.steps or table.match.state.differs is not None
    goes_on(table, broker)


@pytest.mark.parametrize(
    "forged",
    [
        MatchStep("move", "z9", "blue"),
        MatchStep("move", "a1", "red"),
        MatchStep("take-back", "0", "blue"),
        MatchStep("draw", "", "red"),
        MatchStep("resign", "", "red"),
        MatchStep("new-game", "", "red"),
        MatchStep("take-back", "-1", "blue"),
        MatchStep("take-back", "9" * 60, "blue"),
    ],
)
def test_a_step_that_may_not_be_ends_the_match_and_nothing_else(table, broker, peer, forged):
    moves = table.moves
    peer.say(told(table, steps=(*table.match.state.steps, forged)))
    tick(table, broker, 5)
    assert table.match.state.differs.at == 1
    assert "do not agree on step 2" in table.said
    assert (
        table.moves == moves == table.host.journal.load(table.host.playing.far.kept.game_id).moves
    )
    goes_on(table, broker)
    table.do(LeaveMatch())
    assert table.host.playing.far.match is None


def test_wishes_that_make_no_sense_are_no_harm(table, broker, peer):
    strange = [
        ["take-back", "99", "blue"],
        ["resign", "", "nobody"],
        ["draw", "", ""],
        ["time", "x", "red"],
        ["move", "a1", "blue"],
        ["new-game", "zzz", "blue"],
    ]
    wishes = [[1, step] for step in strange]
    raw = msgspec.json.decode(msgspec.json.encode(told(table)))
    state = msgspec.convert({**raw, "wishes": wishes}, MatchState)
    peer.say(state)
    tick(table, broker, 20)
    assert table.match.state.steps == state.steps and table.match.state.differs is None
    assert table.host.status.outcome is None


@pytest.mark.parametrize(
    "changed",
    [
        {"game": "no-such-game"},
        {"game": "gravity-warfare", "options": {}},
        {"options": {"size": "x"}},
        {"options": {"size": 10**15}},
        {"options": {"size": ["a1"]}},
        {"options": {"colour": True}},
        {"rules": "0" * 16},
        {"version": 99},
        {"seats": "red alone"},
        {"clock": {"minutes": 5, "increment_s": 0}, "options": {"players": 3}},
    ],
)
def test_a_match_that_cannot_be_played_here_is_refused(tmp_path, broker, changed):
    table = FarTable(tmp_path / "b", "b")
    try:
        table.join("7KQ2M-XWD9F")
        tick(table, broker, 3)
        maker, mine = Peer(table, broker), table.host.playing.far._seal.table
        game = game_type("momentum").create(SMALL)
        agreed = {
            **{"game": "momentum", "options": SMALL, "rules": digest_of(game)},
            **{"seats": {"red": maker.seal.table, "blue": mine}, **changed},
        }
        if agreed["seats"] == "red alone":
            agreed["seats"] = {"red": mine}
        maker.say(msgspec.convert({"type": "state", "agreed": agreed}, MatchState))
        before = table.host.status.game_id
        tick(table, broker, 10)
        assert table.host.status.game_id == before
        assert "cannot be played here" in str(table.host.notices["far"])
        goes_on(table, broker)
    finally:
        table.close()


def test_a_kept_match_that_is_damaged_ends(tmp_path, broker):
    table = FarTable(tmp_path / "c", "c")
    try:
        begin([table], "momentum", SMALL, {"blue": 1})
        tick(table, broker, 5)
        file = tmp_path / "c" / "far.json"
        for content in (
            b"{",
            file.read_bytes().replace(b"momentum", b"no-game"),
            file.read_bytes().replace(b'"game":"momentum"', b'"steps":[],"game":"momentum"'),
        ):
            file.write_bytes(content)
            table.kill()
            tick(table, broker, 3)
            assert table.host.playing.far.match is None
        goes_on(table, broker)
    finally:
        table.close()
