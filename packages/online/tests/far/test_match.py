"""Tests of tiltboard_online/far/match.py and match_sync.py: what tables agree on, as pure values:
links that lose, repeat and reorder, kills, old backups.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import msgspec
import pytest

from tiltboard.games.registry import game_type
from tiltboard_online.far.match import (
    MAX_WISHES,
    Agreed,
    Course,
    Hello,
    Match,
    MatchState,
    MatchStep,
    decode,
    digest_of,
)

MATCHES = int(os.environ.get("TILTBOARD_FAR_LISTS", "20"))
SMALL = {"size": 5, "marbles": 4, "pie": False}
A, B, C, D = (letter * 64 for letter in "abcd")
GAMES = {
    2: ("momentum", SMALL, [A, B]),
    3: ("momentum", {"size": 5, "marbles": 4, "players": 3}, [A, B, C]),
    4: ("momentum", {"size": 5, "marbles": 4, "players": 4}, [A, B, C, D]),
}


def table(key, tables=2, *, rules="r1", options=None):
    name, usual, keys = GAMES[tables]
    game = game_type(name).create(options or usual)
    seats = dict(zip(game.players, keys, strict=True))
    agreed = Agreed(game=name, options=dict(game.options), rules=rules, seats=seats)
    return Match.of(key, MatchState(agreed), game)


def told(match):
    """As the others read it."""
    state = decode(msgspec.json.encode(match.state))
    assert isinstance(state, MatchState)
    return state


def heard(match, *others):
    for other in others:
        match = match.hear(other.table, told(other))
    return match.step()


def moved(match, chance=None):
    position = match.course.reached[-1]
    legal = position.legal()
    text = legal[0] if chance is None else chance.choice(legal)
    return match.write(MatchStep("move", text, match.course.mover))


def first_player(match):
    return next(p for p, at in match.state.agreed.seats.items() if at == match.table)


def offer(match, chance):
    who, count = first_player(match), len(match.course.moves)
    kind = chance.choice(("take-back", "draw", "resign", "time", "new-game", "answer"))
    if kind == "answer":
        steps = [step for step in match.wanted() if match.table in match.lacks(step)]
        return match if not steps else match.wanting(chance.choice(steps))
    text = str(max(count - 1, 0)) if kind == "take-back" else ""
    shared = kind in ("draw", "new-game")
    return match.wanting(MatchStep(kind, text, match.course.game.players[0] if shared else who))


class Link:
    """Between tables that are killed, restarted and heard late, twice, out of order or not."""

    def __init__(self, keys, chance):
        self.keys, self.chance = keys, chance
        self.disk = {key: table(key, len(keys)) for key in keys}
        self.under_way = []

    def publish(self, key):
        for other in self.keys:  # to itself too, as a broker does
            times = self.chance.choice((0, 1, 1, 2))
            self.under_way += [(key, other, told(self.disk[key]))] * times

    def deliver(self):
        at = self.chance.randrange(len(self.under_way))
        source, to, state = self.under_way.pop(at)
        self.disk[to] = self.disk[to].hear(source, state).step()

    def live(self):
        """A table does something, or a message arrives."""
        chance, key = self.chance, self.chance.choice(self.keys)
        match, dice = self.disk[key], self.chance.random()
        if dice < 0.15 and match.writes:
            agreed = match.agreed()
            if agreed is not None or match.course.mover is not None:
                self.disk[key] = moved(match, chance) if agreed is None else match.write(agreed)
                if chance.random() < 0.8:  # else it dies between disk and broker
                    self.publish(key)
        elif dice < 0.2:
            try:
                self.disk[key] = offer(match, chance)
            except ValueError:
                return
            self.publish(key)
        elif dice < 0.25:
            self.publish(key)
            self.disk[key] = Match.of(key, match.state, match.course.game)  # started again
        elif self.under_way:
            self.deliver()

    def mend(self):
        """All connections are made again, and everything arrives."""
        for _ in range(2 * len(self.keys)):
            for key in self.keys:
                told_now = [(key, other, told(self.disk[key])) for other in self.keys]
                self.under_way += told_now
            while self.under_way:
                self.deliver()


@pytest.mark.parametrize("tables", [2, 3, 4])
def test_every_table_ends_with_the_same_list(tables):
    """TILTBOARD_FAR_LISTS=10000 plays so many."""
    kinds = set()
    for seed in range(MATCHES):
        link = Link(GAMES[tables][2], random.Random(seed))
        for _ in range(500):
            link.live()
            kinds.update(step.kind for each in link.disk.values() for step in each.state.steps[-1:])
        link.mend()
        ends = [match.state for match in link.disk.values()]
        assert all(end.differs is None for end in ends), seed
        assert len({(end.game, end.steps) for end in ends}) == 1, seed
    assert len(kinds) > 1
    assert ({"move", "take-back", "draw", "resign", "time"} <= kinds) == (tables == 2)


def test_other_rules_are_said_by_both_before_the_first_move():
    a, b = table(A), table(B, rules="r2")
    for mine, theirs in ((a, b), (b, a)):
        differs = heard(mine, theirs).state.differs
        assert differs.at is None and "rules r" in differs.here + differs.there
    with pytest.raises(ValueError, match="Only another table"):
        moved(heard(a, b))


def test_what_is_from_before_the_match_is_old_news():
    a, b = table(A), table(B)
    seats = {**a.state.agreed.seats, "blue": ""}
    agreed = msgspec.structs.replace(a.state.agreed, seats=seats)
    waiting = msgspec.structs.replace(a.state, agreed=agreed)
    for match in (a, b):
        assert match.hear(A, waiting).step() is match


def test_nobody_writes_for_another_table():
    a, b, c = (table(key, 3) for key in (A, B, C))
    forged = msgspec.structs.replace(a.state, steps=moved(a).state.steps)
    assert b.hear(C, forged).step().state == b.state
    assert heard(b, moved(a)).state.steps == forged.steps
    with pytest.raises(ValueError, match="Only another table"):
        moved(c)


def test_an_illegal_move_is_said_and_not_taken():
    a, b = table(A), table(B)
    for text in ("z9", "D4", "", "swap"):
        bad = msgspec.structs.replace(a.state, steps=(MatchStep("move", text, "red"),))
        after = b.hear(A, bad).step()
        assert after.state.steps == () and after.state.differs.at == 0


def test_a_difference_that_one_table_says_stops_the_other_too():
    a, b = table(A), table(B)
    a = moved(a)
    b = heard(b, a)
    bad = msgspec.structs.replace(b.state, steps=(*b.state.steps, MatchStep("move", "z9", "blue")))
    a = a.hear(B, bad).step()
    assert a.state.differs.at == 1
    assert heard(b, a).state.differs.at == 1


def test_a_table_put_back_from_a_backup_takes_its_own_word_from_the_broker():
    a, b = table(A), table(B)
    old = a
    a = moved(a)
    b = moved(heard(b, a))
    a = heard(a, b)
    waits = heard(old, b)  # its own word is still to come, so it says nothing
    assert waits.state == old.state
    assert heard(waits, a).state == a.state


def test_where_the_broker_has_lost_that_word_too_it_is_told():
    a, b = table(A), table(B)
    b = heard(b, moved(a))
    lost = heard(a, a, b)  # what the broker tells back is all that is known here
    assert lost.state.steps == () and lost.state.differs.at == 0


def test_two_accounts_are_told_with_both_moves():
    a, b = table(A), table(B)
    one, *_, other = a.course.reached[-1].legal()
    first, again = (a.write(MatchStep("move", text, "red")) for text in (one, other))
    b = heard(b, first)
    after = heard(b, again)
    assert after.state.steps == first.state.steps
    assert after.state.differs.at == 0
    assert one in after.state.differs.here and other in after.state.differs.there


def test_a_draw_needs_every_table_and_a_new_game_too():
    a, b = table(A), table(B)
    for kind in ("draw", "new-game"):
        step = MatchStep(kind, "", "red")
        b = b.wanting(step)
        a = heard(a, b)
        assert a.agreed() is None
        with pytest.raises(ValueError, match="agreed"):
            a.write(step)
        a = a.wanting(step)
        assert a.agreed() == step
        a = a.write(step)
        b = heard(b, a)
        assert (b.state.steps, b.state.game) == (a.state.steps, a.state.game)
    assert a.state.game == 1 and a.course.mover == "red"


def test_what_this_table_never_agreed_to_is_said():
    a, b = table(A), table(B)
    for forged in (MatchStep("draw", "", "red"), MatchStep("resign", "", "blue")):
        state = msgspec.structs.replace(a.state, steps=(forged,))
        assert b.hear(A, state).step().state.differs.at == 0
    again = msgspec.structs.replace(a.state, game=1)
    assert b.hear(A, again).step().state.differs is not None


def test_a_third_table_believes_a_draw_when_it_has_everybodys_word():
    a, b, c = (table(key, 3) for key in (A, B, C))
    draw = MatchStep("draw", "", "red")
    a, b, c = a.wanting(draw), b.wanting(draw), c.wanting(draw)
    wrote = heard(a, b, c).write(draw)
    waits = heard(c, wrote)
    assert waits.state.steps == () and waits.state.differs is None
    assert heard(waits, b).state.steps == (draw,)


def test_wishes_are_few_and_lapse_with_the_step():
    a = table(A)
    for count in range(MAX_WISHES):
        a = a.wanting(MatchStep("resign", str(count), "red"))
    with pytest.raises(ValueError, match="Too many offers"):
        a.wanting(MatchStep("resign", "more", "red"))
    assert a.wanting(MatchStep("resign", "0", "red")) is a
    assert moved(a).state.wishes == ()


@pytest.mark.parametrize(
    "text",
    ['{"type":"state"}', '{"type":"x"}', "[]", "null", '{"type":"hello","name":"a\\u0000"}'],
)
def test_what_is_no_message_is_refused(text):
    with pytest.raises(msgspec.DecodeError):
        decode(text.encode())


def test_the_protocol_pages_examples_are_messages():
    page = (Path(__file__).parents[4] / "docs/far-protocol.md").read_text("utf-8")
    hello, state = (decode(each.split("```")[0].encode()) for each in page.split("```json\n")[1:])
    assert hello == Hello("Bern")
    assert state.steps == (MatchStep("move", "d4", "red"),)
    assert state.wants(0, 1, MatchStep("draw", "", "red")) and state.agreed.complete


def test_the_digest_of_rules_tells_options_and_games_apart():
    made = [
        digest_of(game_type(name).create(options))
        for name, options in (("momentum", SMALL), ("momentum", {}), ("attraktion", {}))
    ]
    assert len(set(made)) == 3
    assert made[0] == digest_of(game_type("momentum").create(SMALL))


def test_a_course_goes_back_over_its_end():
    match = table(A)
    course = Course(match.course.game, match.state.agreed.seats, match.course.reached)
    course = course.after(MatchStep("move", course.reached[-1].legal()[0], "red"))
    ended = course.after(MatchStep("resign", "", "blue"))
    assert ended.mover is None and ended.writer == A
    assert ended.after(MatchStep("take-back", "1", "red")) == course
    for step in (
        MatchStep("take-back", "2", "red"),
        MatchStep("draw", "", "red"),
        MatchStep("move", "a1", "red"),
    ):
        with pytest.raises(ValueError, match=r"take back|over|move"):
            ended.after(step)
