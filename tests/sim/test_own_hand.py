"""Tests of hw_sim/session/auto_hand.py, hand_rules.py and scripted_hands.py: the table's own hand
over the chips: whole games, set-ups, take-backs, nothing in the air, and wrong touches that cost
nothing.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.sim.own_hand import OwnHand
from tests.unhurried import unhurried
from tiltboard.firmware_host.table.commands import (
    Answer,
    ImportGame,
    MakeMove,
    NewGame,
    ResumeGame,
    SetFreePlay,
    TakeBack,
)
from tiltboard.firmware_host.table.hands import CarryOut, PickUp, Put, SetDown, Stack, Take
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.base import RulesError
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession

WITHIN_S = 2.0
# Black on d6 then pulls d2, d3 and d4 (black each) one place up.
ROUNDS = ["h2 f2", "d2 b2", "f1 c4", "a4 d4", "g2 i2", "i4 j5", "i1"]
LINES = "\n".join(f"{number}. {moves}" for number, moves in enumerate(ROUNDS, start=1))
RECORD = f"""tiltboard game 1
Game: attraktion
Date: 2026-01-02T03:04:05Z
Players: white, black
Option size: 10
Option pieces: 50
Result: *

{LINES}
"""


class Table(OwnHand):
    """One table with its page's hands, and the phases that it went through."""

    def __init__(self, session: SimSession) -> None:
        super().__init__(session)
        self.phases: set[Phase] = set()

    def tick(self):
        super().tick()
        self.phases.add(self.status.phase)

    def do(self, command):
        self.host.do(command)
        self.run(0.1)

    def begin(self, game, **options):
        self.do(NewGame(game, options))
        return self.wait(self.hands.do(CarryOut()))

    def put(self, piece, place):
        self.wait(self.hands.do(Put(piece, place)))
        self.run(0.3)

    def number(self, place):
        piece = self.session.table.world.piece_at(self.session.host.overlay.index_of(place))
        return piece.piece_id

    def cells(self):
        """What stands there, whatever the sensors say."""
        overlay, world = self.session.host.overlay, self.session.table.world
        status = {place: world.piece_at(index) for index, place in enumerate(overlay.places)}
        return {place: piece.label for place, piece in status.items() if piece is not None}

    def play(self, turn):
        """The act by a person's hand, what follows by the table's own."""
        carried = {s: self.number(s.source) for s in turn.act if s.source and s.target}
        for number in carried.values():
            self.wait(self.hands.do(PickUp(number, if_legal=True)))
        for shift in sorted(turn.act, key=lambda shift: shift.target is not None):
            if shift in carried:
                self.wait(self.hands.do(SetDown(carried[shift], shift.target, if_legal=True)))
            elif shift.source is None:
                self.wait(self.hands.do(Put(shift.piece, shift.target, if_legal=True)))
            else:
                self.wait(self.hands.do(Take(self.number(shift.source), if_legal=True)))
            self.run(0.3)
        if self.status.question is not None:
            self.do(Answer(turn.entrance.side))
        self.phases.clear()
        return self.wait(self.hands.do(CarryOut()))


@pytest.fixture
def table(tmp_path):
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        yield Table(session)


EVERY_GAME = pytest.mark.parametrize(
    ("game", "options"),
    [
        ("momentum", {"size": 5, "marbles": 5}),
        ("attraktion", {"size": 5}),
        ("gravity-connect", {"size": 4, "line": 3}),
        ("gravity-trap", {"board": {"tracks": [[1, 2, 3, 4, 5], [6, 3, 7], [1, 7, 8, 6]]}}),
    ],
    ids=str,
)


@EVERY_GAME
def test_a_random_game_of_each_kind_comes_to_its_end(table, game, options):
    rng = Random(3)
    table.begin(game, **options)
    while table.status.phase is not Phase.OVER:
        position = table.status.position
        turn = position.play(rng.choice(position.legal()))
        if len(table.status.moves) % 2:
            table.do(MakeMove(turn.move))  # as the computer plays
            assert table.wait(table.hands.do(CarryOut())) < WITHIN_S
        else:
            assert table.play(turn) < WITHIN_S
            assert Phase.FIX not in table.phases  # no piece on its way looks wrong
        assert table.cells() == dict(turn.position.cells)
        assert table.status.moves[-1] == turn.move
        if rng.random() < 0.2:
            table.do(TakeBack())
            assert table.wait(table.hands.do(CarryOut())) < WITHIN_S
            assert (table.status.phase, table.cells()) == (Phase.TURN, dict(position.cells))


@EVERY_GAME
def test_random_touches_by_the_rules_make_moves_or_change_nothing(table, game, options):
    """What is right and what is wrong the referee says, who sees the board alone."""
    rng, refused = Random(5), 0
    table.begin(game, **options)
    table.phases.clear()
    for _ in range(60):
        world, board = table.session.table.world, list(table.host.game.board)
        number = rng.choice([*world.pieces] or [0])
        to = SetDown(number, rng.choice(board), if_legal=True)
        put = Put(rng.choice(table.host.game.pieces), rng.choice(board), if_legal=True)
        moved = [PickUp(number, if_legal=True), to]
        for action in rng.choice(([put], moved, [Take(number, if_legal=True)])):
            try:
                table.wait(table.hands.do(action))
            except (HandsError, RulesError) as error:
                refused += 1
                assert len(str(error)) < 140
                break
        table.run(0.5)
        assert Phase.FIX not in table.phases, (action, table.said)
        if table.status.question is not None:
            table.do(Answer(table.status.question.choices[0].value))
        if table.status.phase is Phase.SETTLE:
            table.wait(table.hands.do(CarryOut()))
        if table.status.phase is Phase.OVER:
            break
        assert not any(piece.held for piece in world.pieces.values())
        assert table.cells() == dict(table.status.position.cells)
    assert refused > 10
    assert table.status.moves


def test_where_people_tilt_a_tile_of_the_hand_s_lands_at_once(tmp_path):
    pytest.importorskip("mujoco")
    rng = Random(3)
    with SimSession(unhurried("plate-10"), tmp_path, world=world_class(physics=True)) as session:
        table = Table(session)
        table.begin("gravity-connect", size=4, line=3)
        far = 0
        while table.status.phase is not Phase.OVER:
            turn = table.status.position.play(rng.choice(table.status.position.legal()))
            table.phases.clear()
            table.do(MakeMove(turn.move))  # as a computer does
            assert table.wait(table.hands.do(CarryOut())) < 1.5
            assert table.cells() == dict(turn.position.cells)
            assert not table.phases & {Phase.FIX, Phase.PAUSED}
            far += bool(turn.consequences)
        assert far > 2


def test_games_are_resumed_on_the_board_of_another(table):
    rng, boards = Random(5), {}
    for game in ("attraktion", "gravity-trap", "gravity-connect", "momentum"):
        table.begin(game)
        for _ in range(4):
            table.do(MakeMove(rng.choice(table.status.position.legal())))
            table.wait(table.hands.do(CarryOut()))
        boards[table.status.game_id] = table.cells()
    for number in (*boards, *reversed(boards)):
        table.do(ResumeGame(number))
        assert table.wait(table.hands.do(CarryOut())) < WITHIN_S
        assert (table.status.phase, table.cells()) == (Phase.TURN, boards[number])


def test_a_finished_game_that_is_taken_up_lies_there_as_it_ended(table):
    table.begin("gravity-connect", size=3, line=2)
    while table.status.phase is not Phase.OVER:
        table.do(MakeMove(table.status.position.legal()[0]))
        table.wait(table.hands.do(CarryOut()))
    number, ended = table.status.game_id, table.cells()
    table.begin("momentum")
    for place in ("a1", "a3", "e5"):
        table.do(MakeMove(place))
        table.wait(table.hands.do(CarryOut()))
    table.do(ResumeGame(number))
    table.run(WITHIN_S)
    assert (table.status.phase, table.cells()) == (Phase.OVER, ended)


def test_an_imported_game_is_set_up_and_its_run_of_like_pieces_rolls_on(table):
    table.do(ImportGame(RECORD))
    assert table.status.phase in (Phase.SETUP, Phase.FIX)
    assert table.wait(table.hands.do(CarryOut())) < WITHIN_S
    assert table.cells() == dict(table.status.position.cells)
    rear = table.number("d2"), table.number("d3"), table.number("d4")
    turn = table.status.position.play("d6")
    assert table.play(turn) < WITHIN_S
    assert table.cells() == dict(turn.position.cells)
    assert (table.number("d3"), table.number("d4"), table.number("d5")) == rear

    table.do(TakeBack())
    assert table.wait(table.hands.do(CarryOut())) < WITHIN_S
    assert table.status.phase is Phase.TURN
    assert table.cells() == dict(table.status.position.cells)


def test_a_full_board_is_cleared_for_the_next_game(table):
    table.begin("gravity-trap")
    for base in ("11", "12"):
        table.play(table.status.position.play(base))
    assert len(table.cells()) == 22
    assert table.begin("attraktion") < WITHIN_S
    assert (table.status.phase, table.cells()) == (Phase.TURN, {})


@pytest.mark.parametrize("stays_s", [0.2, 0.8])
def test_a_pod_is_read_where_a_ship_has_just_been_lifted_from(table, stays_s):
    """The ship still hangs over it when the base is found empty, and is in what it read before."""
    table.begin("gravity-trap")
    for base in ("11", "12"):
        table.do(MakeMove(base))
        table.wait(table.hands.do(CarryOut()))
    stands, ship, said = table.cells(), table.number("11"), table.said
    legal = table.status.position.legal()
    for base in (base for base, piece in stands.items() if piece == "pod" and base not in legal):
        table.wait(table.hands.do(Take(table.number(base))))
        table.wait(table.hands.do(PickUp(ship)))
        table.wait(table.hands.do(SetDown(ship, base)))  # which no track joins with its own
        table.run(stays_s)
        table.wait(table.hands.do(CarryOut()))
        table.run(1)
        assert (table.status.phase, table.said) == (Phase.TURN, said)
        assert table.cells() == stands


def test_a_new_game_leaves_nothing_in_the_air_and_nothing_flies_into_it(table):
    table.begin("attraktion")
    table.put("white", "d4")
    table.put("black", "h8")
    table.put("white", "d7")  # pulls d4
    table.wait(table.hands.do(PickUp(table.number("h8"))))
    asked = table.hands.do(CarryOut())
    table.run(3)
    assert not asked.done()  # somebody holds a piece
    assert table.begin("momentum") < WITHIN_S
    assert asked.result() is None
    assert not table.session.table.world.pieces
    assert table.status.phase is Phase.TURN


def test_a_piece_that_only_the_game_before_has_a_magnet_for_is_put_away(table):
    table.begin("gravity-trap")
    table.put("pod", "5")
    table.do(NewGame("momentum"))
    assert "pod" not in table.cells().values()


def test_a_hand_that_cannot_put_down_puts_back(table):
    table.begin("attraktion")
    table.put("white", "d4")
    table.put("black", "h8")
    number = table.number("h8")
    table.wait(table.hands.do(PickUp(number)))
    with pytest.raises(HandsError, match="white piece is in the way"):
        table.wait(table.hands.do(SetDown(number, "d4")))
    table.run(2)
    assert table.cells() == {"d4": "white", "h8": "black"}
    with pytest.raises(HandsError):
        table.wait(table.hands.do(Put("white", "d4")))
    table.run(2)
    assert len(table.session.table.world.pieces) == 2


def test_what_stands_in_the_way_is_said_and_nothing_hangs(table):
    table.begin("attraktion")
    table.put("white", "d4")
    table.put("black", "h8")
    table.wait(table.hands.do(Put("black", "d5", (17.0, 0.0))))  # between two places
    table.run(1)
    table.wait(table.hands.do(CarryOut()))
    assert not any(piece.held for piece in table.session.table.world.pieces.values())


def test_a_piece_that_was_put_down_between_places_is_the_one_that_is_put_back(table):
    table.begin("momentum")
    for place in ("d4", "a1", "g7"):
        table.put(table.status.to_move, place)
    number = table.number("d4")
    table.wait(table.hands.do(PickUp(number)))
    table.wait(table.hands.do(SetDown(number, "e5", (-17.0, -17.0))))
    table.run(1)
    assert table.status.phase is Phase.FIX
    table.wait(table.hands.do(CarryOut()))
    table.run(1)
    assert table.status.phase is Phase.TURN
    assert (table.number("d4"), len(table.session.table.world.pieces)) == (number, 3)


def test_what_lies_between_places_is_put_away_before_the_next_game(table):
    table.begin("momentum")
    table.wait(table.hands.do(Put("red", "e5", (-17.0, -17.0))))
    table.run(1)
    table.begin("momentum")
    assert not table.session.table.world.pieces


def test_a_tower_that_was_left_there_while_people_played_freely_is_put_away(tmp_path):
    pytest.importorskip("mujoco")
    with SimSession(unhurried("plate-10"), tmp_path, world=world_class(physics=True)) as session:
        table = Table(session)
        table.do(SetFreePlay(True))
        table.put("red", "e5")
        for _ in range(2):
            table.wait(table.hands.do(Stack("red", "e5")))
            table.run(1.0)
        assert len(session.table.world.pieces) == 3
        table.do(SetFreePlay(False))
        table.run(2.0)
        assert (table.status.phase, table.status.moves) == (Phase.TURN, ())
        assert session.table.world.pieces == {}
