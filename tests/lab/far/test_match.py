"""Two and three tables over a link that drops, delays, repeats and reorders, with kills."""

from __future__ import annotations

import os
import random
from pathlib import Path

import msgspec
import pytest

from games.registry import game_type
from tiltboard_lab.far.match import Agreed, Match, State, Step, Wish, Writer, by_rules, decode

MATCHES = int(os.environ.get("FAR_MATCHES", "10"))
GOAL = 12


def agreed(tables: int, rules: str = "r1") -> Agreed:
    return Agreed("momentum", {"size": 7}, rules, {t: t for t in "abcd"[:tables]})


def writer_of(tables: int) -> Writer:
    def writer(steps: tuple[Step, ...]) -> str:
        for number, step in enumerate(steps):
            if step.number != number or (
                step.kind == "move" and step.who != "abcd"[number % tables]
            ):
                raise ValueError("not to move")
        return "abcd"[len(steps) % tables]

    return writer


def play(seed: int, tables: int) -> tuple[list[Match], int]:
    rng = random.Random(seed)
    writer = writer_of(tables)
    names = "abcd"[:tables]
    disk = {n: Match(n, State(agreed(tables))) for n in names}
    link: list[tuple[str, str, bytes]] = []
    kills = 0

    def publish(name: str) -> None:
        data = msgspec.json.encode(disk[name].state)
        for other in names:
            if other != name and len(link) < 40:
                link.extend([(name, other, data)] * rng.choice((0, 1, 1, 2, 3)))

    for _ in range(200_000):
        if all(len(m.state.steps) >= GOAL for m in disk.values()):
            break
        name = rng.choice(names)
        match = disk[name]
        what = rng.random()
        if what < 0.3 and len(match.state.steps) < GOAL and writer(match.state.steps) == name:
            text = str(rng.randrange(1000))
            disk[name] = match.write("move", text, name, 0, writer)
            if rng.random() < 0.3:
                kills += 1  # on disk, and dead before it was published
            else:
                publish(name)
        elif what < 0.4:
            publish(name)  # reconnected: the retained state once more
        elif link:
            source, to, data = link.pop(rng.randrange(len(link)))
            disk[to] = disk[to].hear(source, decode(data), writer)
    return list(disk.values()), kills


@pytest.mark.parametrize("tables", [2, 3, 4])
def test_every_table_ends_with_the_same_list(tables: int) -> None:
    kills = 0
    for seed in range(MATCHES):
        ends, killed = play(seed, tables)
        kills += killed
        assert all(m.differs is None for m in ends), seed
        assert {m.state.steps for m in ends} == {ends[0].state.steps}, seed
        assert len(ends[0].state.steps) == GOAL, seed
    assert kills >= MATCHES


def test_other_rules_are_said_before_the_first_move() -> None:
    match = Match("a", State(agreed(2)))
    heard = match.hear("b", State(agreed(2, "r2")), writer_of(2))
    assert heard.differs is not None and heard.differs.at is None
    with pytest.raises(ValueError, match="not this table's"):
        heard.write("move", "d4", "a", 0, writer_of(2))


def test_a_table_put_back_from_a_backup_that_plays_otherwise_is_told_where() -> None:
    writer = writer_of(2)
    first = Match("a", State(agreed(2))).write("move", "d4", "a", 0, writer)
    again = Match("a", State(agreed(2))).write("move", "e5", "a", 0, writer)
    heard = Match("b", State(agreed(2))).hear("a", first.state, writer)
    assert heard.state == first.state
    told = heard.hear("a", again.state, writer)
    assert told.differs is not None and told.differs.at == 0
    assert "d4" in told.differs.here and "e5" in told.differs.there
    assert told.state == first.state


def test_a_step_of_ones_own_that_was_never_written_here_is_not_taken() -> None:
    writer = writer_of(2)
    claimed = Match("a", State(agreed(2))).write("move", "d4", "a", 0, writer)
    heard = Match("a", State(agreed(2))).hear("b", claimed.state, writer)
    assert heard.state.steps == ()
    assert heard.differs is not None and heard.differs.at == 0


def test_nobody_writes_for_another_table() -> None:
    forged = State(agreed(3), (Step(0, 0, "move", "d4", "a"),))
    heard = Match("b", State(agreed(3))).hear("c", forged, writer_of(3))
    assert heard.state.steps == () and heard.differs is None


def test_messages_that_are_too_long_or_no_state_are_refused() -> None:
    with pytest.raises(ValueError, match="bytes"):
        decode(b" " * 300_000)
    with pytest.raises(msgspec.ValidationError):
        decode(b'{"agreed": 5}')


def test_a_draw_counts_once_both_want_it_and_not_before() -> None:
    writer = writer_of(2)
    a, b = (Match(t, State(agreed(2))) for t in "ab")
    draw = Wish(0, "draw", "", "b")
    b = b.wanting(draw)
    a = a.hear("b", b.state, writer)
    with pytest.raises(ValueError, match="agreed"):
        a.write("draw", "", "b", 0, writer)
    a = a.wanting(draw).write("draw", "", "b", 0, writer)
    assert b.hear("a", a.state, writer).state.steps == a.state.steps


def test_an_agreement_that_this_table_never_gave_is_said() -> None:
    writer = writer_of(2)
    forged = State(agreed(2), (Step(0, 0, "resign", "", "b"),))
    heard = Match("b", State(agreed(2))).hear("a", forged, writer)
    assert heard.state.steps == () and heard.differs is not None and heard.differs.at == 0


def test_a_resignation_needs_nobody_elses_word() -> None:
    writer = writer_of(3)
    a, b, c = (Match(t, State(agreed(3))) for t in "abc")
    b = b.wanting(Wish(0, "resign", "", "b"))
    a = a.hear("b", b.state, writer).write("resign", "", "b", 0, writer)
    assert c.hear("a", a.state, writer).state.steps == a.state.steps
    assert b.hear("a", a.state, writer).state.steps == a.state.steps


def test_the_protocol_pages_example_is_a_state() -> None:
    page = (Path(__file__).parents[3] / "lab/docs/far-match.md").read_text("utf-8")
    state = decode(page.split("```json\n")[1].split("```")[0].encode())
    assert state.steps == (Step(0, 0, "move", "d4", "red"),)
    assert state.wish == Wish(1, "draw", "", "blue")


@pytest.mark.parametrize("name", ["momentum", "attraktion", "gravity-connect", "gravity-trap"])
def test_a_game_by_its_own_rules_ends_equal_at_both_tables(name: str) -> None:
    game = game_type(name).create({})
    tables = {player: "ab"[n % 2] for n, player in enumerate(game.players)}
    begin = Agreed(name, {}, "r1", tables)
    for seed in range(max(1, MATCHES // 10)):
        rng = random.Random(seed)
        writer = by_rules(game, tables)
        disk = {t: Match(t, State(begin)) for t in "ab"}
        position = game.start()
        while not position.over and position.to_move in tables and len(disk["a"].state.steps) < 40:
            who = str(position.to_move)
            move = rng.choice(position.legal())
            table, other = tables[who], "ba"["ab".index(tables[who])]
            if table == writer(disk[other].state.steps):
                with pytest.raises(ValueError, match="not this table's"):
                    disk[other].write("move", move, who, 0, writer)
            disk[table] = disk[table].write("move", move, who, 0, writer)
            for _ in range(2):  # told twice
                told = decode(msgspec.json.encode(disk[table].state))
                disk[other] = disk[other].hear(table, told, writer)
            position = position.after(move)
        assert disk["a"].differs is None and disk["b"].differs is None
        assert disk["a"].state.steps == disk["b"].state.steps != ()


def test_an_illegal_move_from_afar_is_said_and_not_taken() -> None:
    game = game_type("momentum").create({"size": 7})
    seats = {"red": "a", "blue": "b"}
    begin = State(Agreed("momentum", {"size": 7}, "r1", seats))
    bad = msgspec.structs.replace(begin, steps=(Step(0, 0, "move", "z99", "red"),))
    heard = Match("b", begin).hear("a", bad, by_rules(game, seats))
    assert heard.state.steps == () and heard.differs is not None and heard.differs.at == 0
    assert "z99" in heard.differs.here
