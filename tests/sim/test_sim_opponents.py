"""Tests of firmware_host/host/engine_players.py: engines at the simulated table: their moves are
guided, carried out, journalled, taken back.
"""

from __future__ import annotations

import math

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import AssistLevel as Assisted
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.engine_pool import Purpose, Thought
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.table.commands import (
    Again,
    Assist,
    Hint,
    MakeMove,
    NewGame,
    OfferDraw,
    Resign,
    ResumeGame,
    TakeBack,
)
from tiltboard.firmware_host.table.hands import CarryOut
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.session import SimSession

OPTIONS = {"size": 5, "marbles": 4, "pie": False}
BLUE = {"blue": EngineSeat(level=3)}
NAMED = {"blue": EngineSeat(level=3, version="First 1.0", thought_s=0.25)}


class FirstMove:
    """Thinks of the first legal move, for as many looks as it is told; in the table's thread."""

    names = ("tiltboard", "first")
    info = ugi.NOTHING_YET

    def __init__(self, commands=None, *, ponders=True):
        self.looks, self.asked, self.closed = 3, None, False
        self.stuck, self.trouble, self.value, self.swaps = False, None, 0, False
        self.tasks = []

    def think(self, task):
        if task != self.asked:
            self.asked, self.left = task, self.looks
            if task is not None:
                self.tasks.append(task)
        if task is None:
            return None
        self.left -= 1
        if self.left > 0:
            return None
        seat = EngineSeat(task.seat.engine, task.seat.level, "First 1.0")
        move, *others = sorted(task.position.legal(), key=lambda m: self.swaps and m != "swap")
        if self.stuck:
            return Thought(task, None, seat, ugi.NOTHING_YET, self.trouble)
        told = ugi.Info(value=self.value, line=(move, *others[:1]))
        values = {move: 200, **dict.fromkeys(others, -200), **dict.fromkeys(others[:5], 180)}
        values = values if task.purpose is Purpose.VALUES else {}
        return Thought(task, move, seat, told, self.trouble, values, 0.25)

    def close(self):
        self.closed = True


class Table(OwnHand):
    @property
    def room(self):
        return self.host.session.opponents._pool

    def moves_are(self, count):
        self.until(lambda: len(self.status.moves) == count and self.status.phase is Phase.TURN)

    def person(self, move):
        """Asks for a move by page, and lets the table's hand do it."""
        made = len(self.status.moves)
        self.host.do(MakeMove(move))
        self.until(lambda: self.status.phase is Phase.SETTLE)
        self.hands.do(CarryOut())
        self.until(lambda: len(self.status.moves) == made + 1)

    def begin(self, seats, **options):
        self.host.do(NewGame("momentum", {**OPTIONS, **options}, engines=seats))
        self.session.tick()


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltboard.firmware_host.host.assemble.EnginePool", FirstMove)
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield Table(session)


def test_its_move_is_guided_carried_out_and_journalled(table):
    table.begin(BLUE)
    table.person("c3")  # for red, by a page
    table.until(lambda: table.host.session.opponents.thinking == "blue")
    assert str(table.host.shown.say) == "Blue is thinking…"
    assert "legal" not in {role.value for role in table.host.shown.roles.values()}
    table.until(lambda: table.status.phase is Phase.SETTLE)
    assert str(table.host.shown.say).startswith("Blue has moved. Put the blue")
    assert table.status.piece_for == {"a1": "blue"}
    table.moves_are(2)
    record = table.host.journal.load(table.status.game_id)
    assert record.moves == ("c3", "a1")
    assert record.engines == NAMED
    assert table.status.to_move == "red"


def test_its_swap_is_explained_while_it_is_made_and_until_the_next_move(table):
    table.room.swaps = True
    table.begin(BLUE, pie=True)
    table.person("c3")
    taken = "Blue swaps: your red marble on c3 is Blue's now."
    table.until(lambda: table.status.phase is Phase.SETTLE)
    said = str(table.host.shown.say)
    assert said.startswith(f"{taken} ")
    assert "red marble" in said.removeprefix(taken)
    table.moves_are(2)
    table.until(lambda: table.status.phase is Phase.TURN)
    assert str(table.host.shown.say).startswith(f"{taken} Red's turn")
    table.person("a1")
    table.until(lambda: table.host.session.opponents.thinking == "blue")
    assert "swap" not in str(table.host.shown.say)


def test_two_engines_play_by_themselves(table):
    table.begin({"red": EngineSeat(level=1), **BLUE})
    table.until(lambda: len(table.status.moves) == 4)
    assert [task.player for task in table.room.tasks[:4]] == ["red", "blue", "red", "blue"]
    seats = table.host.journal.load(table.status.game_id).engines
    assert {player: seat.thought_s for player, seat in seats.items()} == {"red": 0.5, "blue": 0.5}
    table.host.do(TakeBack())  # nobody else is there to choose: it is played again
    table.until(lambda: len(table.status.moves) == 5)


def test_taking_back_goes_to_a_persons_move(table):
    table.begin(BLUE)
    table.person("c3")
    table.moves_are(2)
    table.host.do(TakeBack())
    table.until(lambda: not table.status.moves)
    assert table.status.to_move == "red"


def test_a_seat_takes_back_its_move_with_the_bots_answer_and_asks_for_hints_in_its_turn(table):
    table.begin(BLUE)
    with pytest.raises(NotPossibleError):
        table.host.do(Hint(player="blue"))
    with pytest.raises(NotPossibleError):  # the game is not over
        table.host.do(Again(player="red"))
    table.person("c3")
    table.moves_are(2)
    with pytest.raises(NotPossibleError):
        table.host.do(TakeBack(player="white"))
    table.host.do(Hint(player="red"))
    table.host.do(TakeBack(player="red"))
    table.until(lambda: not table.status.moves)
    assert table.status.to_move == "red"
    with pytest.raises(NotPossibleError):  # there is nothing left
        table.host.do(TakeBack(player="red"))
    before = table.status.game_id
    table.host.do(Resign("red"))
    table.until(lambda: table.status.outcome is not None)
    table.host.do(Again(player="red"))
    assert table.status.game_id != before


def test_a_move_that_is_refused_while_it_is_carried_out_is_taken_back_too(table):
    table.begin(BLUE)
    table.person("c3")
    table.until(lambda: table.status.phase is Phase.SETTLE and len(table.status.moves) == 1)
    table.host.do(TakeBack(1))
    table.until(lambda: not table.status.moves)
    assert table.status.to_move == "red"


def test_a_person_may_play_for_it_meanwhile(table):
    table.begin(BLUE)
    table.room.looks = 10**6
    table.person("c3")
    table.moves_are(1)
    table.session.hands.put("blue", table.host.overlay.index_of("e5"))
    table.moves_are(2)
    assert table.status.moves == ("c3", "e5")


def test_where_nobody_finds_a_move_a_person_does(table):
    table.begin(BLUE)
    table.room.stuck, table.room.trouble = True, text("It has ended.")
    table.person("c3")
    table.moves_are(1)
    table.until(lambda: "engine" in table.host.notices)
    assert str(table.host.notices["engine"]) == "It has ended."
    table.person("d3")
    table.moves_are(2)
    table.room.stuck, table.room.trouble = False, None
    table.person("a5")
    table.moves_are(4)
    assert "engine" not in table.host.notices


def test_it_plays_on_after_a_restart_and_in_a_game_that_is_resumed(table):
    table.begin(BLUE)
    table.room.looks = 10**6
    game = table.status.game_id
    table.person("c3")
    table.moves_are(1)
    table.session.kill()
    assert table.host.session.opponents.seats == BLUE
    table.moves_are(2)
    table.begin({})
    assert table.host.session.opponents.thinking is None
    table.host.do(ResumeGame(game))
    table.until(lambda: table.status.game_id == game)
    assert table.host.session.opponents.seats == NAMED


def test_a_seat_that_cannot_be_is_refused_and_nothing_changes(table):
    before = table.status.game_id
    with pytest.raises(NotPossibleError, match="no player pink"):
        table.host.do(NewGame("momentum", OPTIONS, engines={"pink": EngineSeat()}))
    with pytest.raises(NotPossibleError, match="no engine deep"):
        table.host.do(NewGame("momentum", OPTIONS, engines={"red": EngineSeat("deep")}))
    with pytest.raises(NotPossibleError, match="Engines do not play this game"):
        table.host.do(NewGame("gravity-warfare", {}, engines={"red": EngineSeat()}))
    with pytest.raises(NotPossibleError, match="not a legal move"):
        table.host.do(MakeMove("z9"))
    table.session.tick()
    assert table.status.game_id == before


def test_processes_end_with_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltboard.firmware_host.host.assemble.EnginePool", FirstMove)
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        room = session.host.session.opponents._pool
    assert room.closed


def test_a_hint_shows_one_place_until_a_move_is_made(table):
    table.begin({})
    table.until(lambda: table.status.phase is Phase.TURN)
    table.host.do(Hint())
    assert table.host.session.opponents.advice.hinting
    table.until(lambda: not table.host.session.opponents.advice.hinting)
    table.session.tick()
    assert str(table.host.shown.say) == "Try a1."
    assert {place: role.value for place, role in table.host.shown.roles.items()} == {"a1": "legal"}
    table.person("b2")
    assert "hint" not in str(table.host.shown.say)
    table.host.do(NewGame("momentum", OPTIONS, engines={"red": EngineSeat()}))
    with pytest.raises(NotPossibleError):  # it is the computer's turn
        table.until(lambda: table.status.to_move == "red" and not table.status.moves)
        table.host.do(Hint())


@pytest.mark.parametrize(("value", "agreed"), [(-200, True), (0, False)])
def test_a_draw_is_agreed_upon_by_an_engine_that_stands_badly(table, value, agreed):
    table.begin(BLUE)
    table.room.value = value
    table.person("c3")
    table.moves_are(2)
    table.host.do(OfferDraw("red"))
    for _ in range(10):
        table.session.tick()
    assert (table.status.outcome is not None) is agreed


def test_nothing_is_thought_of_once_somebody_has_resigned(table):
    table.begin(BLUE)
    table.room.looks = 10**6
    table.person("c3")
    table.until(lambda: table.host.session.opponents.thinking == "blue")
    table.host.do(Resign("red"))
    table.until(lambda: table.status.outcome is not None)
    table.session.tick()
    assert table.host.session.opponents.thinking is None
    assert table.room.asked is None


@pytest.mark.parametrize("command", [OfferDraw, Resign])
def test_nobody_offers_a_draw_or_resigns_for_an_engine(table, command):
    table.begin(BLUE)
    table.room.looks = 10**6
    table.person("c3")
    with pytest.raises(NotPossibleError, match="A bot plays blue"):
        table.host.do(command("blue"))
    table.session.tick()
    assert (table.status.outcome, table.status.draw_offers) == (None, ())


def test_an_engine_that_declines_a_draw_says_so(table):
    table.begin(BLUE)
    table.person("c3")
    table.moves_are(2)
    table.host.do(OfferDraw("red"))
    table.until(lambda: table.status.draw_offers == ("red",))
    assert str(table.host.shown.say).startswith("Blue turns the draw down. Red")
    table.person("d3")
    assert "draw" not in str(table.host.shown.say)


@pytest.mark.parametrize(("level", "pondered"), [(3, []), (10, [("c3", "a1", "a2")])])
def test_the_strongest_ponders_the_answer_that_it_expects(table, level, pondered):
    table.begin({"blue": EngineSeat(level=level)})
    table.person("c3")
    table.moves_are(2)
    table.session.tick()
    found = [t.moves for t in table.room.tasks if t.purpose is Purpose.PONDER]
    assert found == pondered


def shown(table):
    return {place: kind.value for place, kind in table.host.shown.quality.items()}


def test_assist_shades_the_moves_of_the_one_who_has_it_and_is_counted(table):
    table.begin({})
    table.host.do(Assist("red", 2))
    table.until(lambda: shown(table))
    assert shown(table)["a1"] == shown(table)["a2"] == "good"
    assert shown(table)["e5"] == "bad"
    assert len(shown(table)) == 25
    lights = table.host.plate.shown
    index = table.host.overlay.index_of
    good, bad = (lights[3 * at : 3 * at + 3] for at in map(index, ("a1", "e5")))
    assert max(good) > 2 * max(bad)  # told apart without their colours
    table.person("c3")
    table.moves_are(1)
    assert not shown(table)  # blue has none
    table.person("d3")
    table.host.do(Assist("red", 1))
    table.until(lambda: shown(table))
    assert set(shown(table).values()) == {"bad"}
    table.host.do(Assist("red", 3))
    assert list(shown(table).values()).count("best") == 1
    table.host.do(Assist("red", 0))
    assert not shown(table)
    table.person("a5")
    table.person("e1")
    table.host.do(Resign("red"))
    table.until(lambda: table.status.outcome is not None)
    assert str(table.host.shown.say).endswith("Red had assist for 1 of 2 moves.")
    assist = table.host.journal.load(table.status.game_id).assist
    assert assist == {"red": Assisted(0, (1,))}


def test_what_is_taken_back_is_not_counted_and_assist_stays_over_a_restart(table):
    table.host.do(NewGame("momentum", OPTIONS, assist={"red": 3, "blue": 0}))
    table.until(lambda: shown(table))
    table.person("c3")
    table.moves_are(1)
    table.session.tick()
    assert table.host.session.opponents.advice.assist == {"red": Assisted(3, (1,))}
    table.session.kill()
    table.until(lambda: len(table.status.moves) == 1)
    assert table.host.session.opponents.advice.assist == {"red": Assisted(3, (1,))}
    table.host.do(TakeBack())
    table.until(lambda: not table.status.moves)
    table.session.tick()
    assert table.host.journal.load(table.status.game_id).assist == {"red": Assisted(3)}


def test_where_moves_cannot_be_valued_that_is_said(table):
    table.room.stuck, table.room.trouble = True, text("It has ended.")
    table.begin({})
    table.host.do(Assist("red", 2))
    table.until(lambda: "assist" in table.host.notices)
    assert str(table.host.notices["assist"]) == "There is no assist: It has ended."
    assert not shown(table)
    with pytest.raises(NotPossibleError, match="no player pink"):
        table.host.do(Assist("pink", 2))


def ahead(table):
    advice = table.host.session.opponents.advice
    return advice.ahead(table.host.status)


def valued(table):
    return {task.player for task in table.room.tasks if task.purpose is Purpose.VALUES}


@pytest.mark.parametrize("engines", [{}, BLUE])
def test_who_is_ahead_is_looked_at_for_people_while_somebody_wants_to_see_it(table, engines):
    table.begin(engines)
    table.run(1)
    assert (ahead(table), valued(table)) == (None, set())
    table.host.tell_ahead(wanted=True)
    table.until(lambda: ahead(table) is not None)
    share = 1 / (1 + math.exp(-2))  # of 200 hundredths of log odds
    assert ahead(table) == {"red": round(share, 2), "blue": round(1 - share, 2)}
    assert not shown(table)
    table.person("c3")
    table.moves_are(2 if engines else 1)
    table.until(lambda: table.room.asked is None)
    mover = table.status.to_move
    assert ahead(table)[mover] == 0.88
    assert valued(table) == ({"red"} if engines else {"red", "blue"})
    table.host.do(Resign("red"))
    table.until(lambda: table.status.outcome is not None)
    assert ahead(table) is None


@pytest.mark.parametrize(
    ("game", "options"),
    [("gravity-warfare", {}), ("momentum", {"size": 7, "players": 3})],
)
def test_who_is_ahead_is_never_looked_at_where_cards_are_hidden_or_sides_are_more_than_two(
    table, game, options
):
    table.host.do(NewGame(game, options))
    table.host.tell_ahead(wanted=True)
    table.run(1)
    assert (ahead(table), valued(table)) == (None, set())


def test_a_hint_comes_before_assist_and_assist_is_shown_again_after_it(table):
    table.begin({})
    table.host.do(Assist("red", 2))
    table.until(lambda: shown(table))
    table.host.do(Hint())
    table.until(lambda: "Try a1." in str(table.host.shown.say))
    assert not shown(table)
    table.until(lambda: shown(table))
