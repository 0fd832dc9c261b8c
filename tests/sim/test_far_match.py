"""Tests of tiltboard_online/far/match_session.py and match.py: two to four whole tables play each
other in virtual time, over a link that does what it can.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest

from tests.sim.far_tables import Broker, FarTable, begin, chance_of, patched, run
from tiltboard.firmware_host.table.commands import MakeMove, OfferDraw, Resign, TakeBack
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.registry import game_type
from tiltboard_online.far import match_session
from tiltboard_online.far.match_session import READ_S, SAID_S

MATCHES = int(os.environ.get("TILTBOARD_FAR_MATCHES", "4"))
SCANS_WITH_FAULTS = 200
SMALL = {"size": 5, "marbles": 4, "pie": False}


@pytest.fixture
def broker(monkeypatch):
    made = Broker()
    patched(monkeypatch, made)
    return made


@contextmanager
def tables_of(folder, count):
    tables = [FarTable(folder / name, name) for name in "abcd"[:count]]
    try:
        yield tables
    finally:
        for table in tables:
            table.close()


@pytest.fixture
def pair(tmp_path, broker):
    with tables_of(tmp_path, 2) as tables:
        yield tables


def all_over(tables):
    return all(table.host.status.outcome is not None for table in tables)


def playing(tables, chance, until=all_over):
    """Whoever may moves."""

    def moved():
        for table in tables:
            if table.may_move:
                table.move(chance)
        return until(tables)

    return moved


def accounts(table):
    """What is on disk: the journal's account, and the match's."""
    record = table.host.journal.load(table.host.playing.far.kept.game_id)
    state = table.host.playing.far.kept.state
    return record.moves, record.result, state.steps, state.game, state.differs


def check_equal(tables):
    first, *others = map(accounts, tables)
    assert all(other == first for other in others)
    assert first[-1] is None
    return first


def test_a_match_from_the_first_move_to_the_last(pair, broker):
    begin(pair, "momentum", SMALL, {"blue": 1})
    run(pair, playing(pair, chance_of(1)))
    moves, result, steps, *_ = check_equal(pair)
    assert len(moves) >= 4 and result is not None
    assert [step.text for step in steps if step.kind == "move"] == list(moves)


def complete(tables):
    return all(table.match and table.match.state.agreed.complete for table in tables)


@pytest.mark.parametrize(("asks", "left"), [(1, 1), (0, 0)])
def test_what_both_agree_to_take_back_stays_taken_back_and_may_be_made_again(
    pair, broker, asks, left
):
    begin(pair, "momentum", SMALL, {"blue": 1})
    moves = []

    def play():
        run(pair, lambda: any(t.may_move and len(t.moves) == len(moves) for t in pair))
        mover = next(t for t in pair if t.may_move)
        moves.append(mover.host.status.position.legal()[len(moves)])
        mover.host.submit(MakeMove(moves[-1]))
        run(pair, lambda: all(len(t.moves) == len(moves) for t in pair))

    play()
    play()
    pair[asks].do(TakeBack())
    run(pair, lambda: pair[1 - asks].host.playing.far.asked)
    read_s = pair[1 - asks].session.clock.now() + READ_S
    run(pair, lambda: pair[1 - asks].session.clock.now() > read_s)
    pair[1 - asks].do(TakeBack())
    run(pair, lambda: all(len(t.moves) == len(t.match.course.moves) == left for t in pair))
    again, moves = moves, moves[:left]
    run(pair, lambda: any(t.may_move for t in pair))
    play()  # the very same move
    assert moves == again[: left + 1]
    assert [step.kind for step in pair[0].match.state.steps] == [*2 * ["move"], "take-back", "move"]


@pytest.mark.parametrize("comes_back", ["connected again", "started again", "unnoticed"])
def test_what_was_emptied_while_its_reader_was_away_is_published_again(pair, broker, comes_back):
    """A move, and a wish, which leaves the number of steps as it is."""
    begin(pair, "momentum", SMALL, {"blue": 1})
    run(pair, lambda: complete(pair) and pair[0].may_move)
    here, there = pair

    def emptied_while_away(tells):
        broker.cut(there.host.playing.far._link)
        if comes_back == "unnoticed":  # the broker still waits for it, and publishes no will
            here_topic, _ = there.host.playing.far._link.will
            broker.on_the_way = [each for each in broker.on_the_way if each[1] != here_topic]
            broker.retained[here_topic] = match_session.HERE
        tells()
        seal, keys = here.host.playing.far._seal, here.host.playing.far.kept.keys
        broker.publish(f"{keys.topic}/{seal.table}", b"", retain=True)
        broker.deliver()
        if comes_back == "started again":
            there.kill()
        broker.mend()

    def moves():
        run([here], lambda: here.may_move)
        here.move(chance_of(1))
        run([here], lambda: len(here.match.state.steps) == 1)

    def wishes():
        here.do(TakeBack())
        here.tick()

    emptied_while_away(moves)
    run(pair, lambda: there.may_move)
    emptied_while_away(wishes)
    run(pair, lambda: there.host.playing.far.asked)


def test_a_phrase_is_said_and_lit_unless_something_is_to_be_put_right(pair, broker):
    begin(pair, "momentum", SMALL, {"blue": 1})
    run(pair, lambda: complete(pair) and all(t.host.status.phase is Phase.TURN for t in pair))
    here, there = pair
    there.say("nice")
    run(pair, lambda: "Blue, far away: Nice move!" in here.said)
    assert here.host.shown.spoken_by == "blue" and there.host.shown.spoken_by is None
    here.session.hands.put("blue", here.host.overlay.index_of("c3"))
    run(pair, lambda: here.host.status.phase is not Phase.TURN)
    assert "Nice move!" in here.said and here.host.shown.spoken_by is None
    since_s = here.session.clock.now()
    run(pair, lambda: "Nice move!" not in here.said)
    assert here.session.clock.now() - since_s < SAID_S


def test_who_plays_is_told_to_the_other_table_and_takes_no_phrase_away(pair, broker):
    begin(pair, "momentum", SMALL, {"blue": 1})
    here, there = pair
    here.host.playing.people.sit("red", "Ana")
    run(pair, lambda: complete(pair) and there.host.playing.far.names == {"red": "Ana"})
    assert here.host.playing.far.names == {}
    here.say("nice")
    run(pair, lambda: "Red, far away: Nice move!" in there.said)
    here.host.playing.people.sit("red", "Ben")
    there.kill()
    run(pair, lambda: there.host.playing.far.names == {"red": "Ben"})
    assert "Nice move!" not in there.said


def test_a_disk_that_refuses_is_told_of_until_it_takes_again(pair, broker, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    begin(pair, "momentum", SMALL, {"blue": 1})
    run(pair, lambda: complete(pair) and pair[0].may_move)
    here, there = pair
    with monkeypatch.context() as patch:
        patch.setattr(match_session, "write_durably", full)
        here.move(chance_of(1))
        run(pair, lambda: "No space left" in str(here.host.notices.get("far")))
        assert len(here.moves) == 1 and len(there.moves) == 0
    run(pair, lambda: len(there.moves) == 1)
    run(pair, lambda: "far" not in here.host.notices)


def the_other_is_cut_off(pair, broker):
    """After the first move of the match."""
    begin(pair, "momentum", SMALL, {"blue": 1})
    run(pair, lambda: complete(pair) and pair[0].may_move)
    here, there = pair
    here.move(chance_of(1))
    run(pair, lambda: there.may_move)
    broker.cut(there.host.playing.far._link)


def test_a_table_that_is_away_is_waited_for_and_that_is_said_after_two_minutes(pair, broker):
    the_other_is_cut_off(pair, broker)
    here, there = pair
    run([there], lambda: "game continues once" in str(there.host.notices.get("far")))
    broker.deliver()
    since_s = here.session.clock.now()
    run([here], lambda: "away for" in here.said, ticks=20_000)
    assert 120 <= here.session.clock.now() - since_s < 121
    assert here.said == "The other table has been away for 2 minutes: the game waits."
    run([here], lambda: "3 minutes" in here.said, ticks=20_000)
    there.move(chance_of(2))
    broker.mend()
    run(pair, lambda: len(here.moves) == 2)
    assert "away" not in here.said.replace("far away", "") and accounts(here) == accounts(there)


def test_a_table_that_was_not_heard_since_a_start_is_away_too(pair, broker):
    """The broker has lost its store meanwhile, and so the will of who is gone."""
    the_other_is_cut_off(pair, broker)
    broker.restart(forgets=True)
    here = pair[0]
    here.kill()
    run([here], lambda: "2 minutes" in here.said, ticks=20_000)


def whatever(tables, broker, chance):
    """What people, cables, brokers and power do in one scan, most often nothing."""
    dice = chance.random()
    table = chance.choice(tables)
    game = table.host.game
    if dice < 0.01 and broker.links:
        broker.cut(chance.choice(broker.links))
    elif dice < 0.014:
        broker.restart(forgets=chance.random() < 0.5)
    elif dice < 0.018:
        table.kill()
    elif dice < 0.024:
        left = max(len(table.moves) - chance.choice((1, 1, 2)), 0)
        table.host.submit(chance.choice((TakeBack(), TakeBack(left))))
    elif dice < 0.028:
        table.session.hands.press("back", 0.15)
    elif dice < 0.031:
        table.host.submit(OfferDraw(chance.choice(game.players)))
    elif dice < 0.033:
        table.host.submit(Resign(chance.choice(game.players)))
    if chance.random() < 0.05:
        broker.mend()


def agree(table):
    """Somebody there agrees to what the others ask for."""
    match = table.match
    for step in match.wanted():
        if match.table in match.lacks(step) and step.kind in ("take-back", "draw"):
            agreed = TakeBack() if step.kind == "take-back" else OfferDraw(player_at(table))
            table.host.submit(agreed)


def player_at(table):
    seats = table.match.state.agreed.seats
    return next(player for player, at in seats.items() if at == table.match.table)


def same(tables):
    known = accounts(tables[0])
    return all(accounts(table) == known for table in tables) and all(
        table.moves == table.match.course.moves for table in tables
    )


def survives(tables, broker, seed):
    """One match, of which some seconds go as badly as they can."""
    chance = chance_of(seed)
    run(tables, lambda: complete(tables))
    broker.chance = chance
    left = iter(range(SCANS_WITH_FAULTS))

    def suffers(tables):
        whatever(tables, broker, chance)
        return next(left, None) is None or all_over(tables)

    def ends(tables):
        for table in tables:
            if chance.random() < 0.01:
                agree(table)
        ended = all_over(tables) or (len(tables) > 2 and len(first.moves) > goal)
        return ended and same(tables)

    run(tables, playing(tables, chance, suffers))
    first = tables[0]
    goal = len(first.moves) + 3  # at random, three may play for ever
    broker.chance = None
    broker.mend()
    try:
        run(tables, playing(tables, chance, ends))
    except AssertionError as error:
        stand = [(accounts(t), t.said, t.match.state.wishes) for t in tables]
        raise AssertionError(f"seed {seed}: {stand}") from error
    check_equal(tables)


@pytest.mark.parametrize(
    ("options", "far", "matches"),
    [(SMALL, {"blue": 1}, MATCHES), ({**SMALL, "players": 3}, {1: 1, 2: 2}, MATCHES // 4)],
)
def test_whatever_happens_on_the_way_both_journals_end_equal(
    tmp_path, broker, options, far, matches
):
    """TILTBOARD_FAR_MATCHES=2000 plays so many; a night plays 200."""
    players = game_type("momentum").create(options).players
    with tables_of(tmp_path, 1 + len(far)) as tables:
        for seed in range(matches):
            broker.chance = None
            begin(tables, "momentum", options, dict(zip(players[1:], far.values(), strict=True)))
            survives(tables, broker, seed)
