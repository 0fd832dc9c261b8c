"""Tests of firmware_host/engines/server.py: a whole conversation with our engine, line by line."""

import json
import queue
import threading

import pytest

from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.search.limits import SURE
from tiltboard.firmware_host.engines.server import EngineServer

PATIENCE_S = 60


class Conversation:
    """Says lines to an engine in a thread of its own, and reads what it answers."""

    def __init__(self, clock):
        self.said, self.heard = queue.Queue(), queue.Queue()
        engine = EngineServer(self.heard.put, clock, version="1.2", seed=lambda: 11)
        lines = iter(self.said.get, None)
        self.thread = threading.Thread(target=engine.serve, args=(lines,))
        self.thread.start()

    def say(self, *lines):
        for line in lines:
            self.said.put(line)

    def until(self, word):
        """What it says, up to the first line that begins so."""
        found = []
        while not found or not found[-1].startswith(word):
            found.append(self.heard.get(timeout=PATIENCE_S))
        return found

    def end(self):
        self.said.put(None)
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


@pytest.fixture
def talk(clock):
    conversation = Conversation(clock)
    yield conversation
    conversation.end()


def test_it_introduces_itself_with_its_options(talk):
    talk.say("ugi")
    lines = talk.until("ugiok")
    assert lines[0] == "id name tiltboard 1.2"
    options = [line.split()[2] for line in lines if line.startswith("option")]
    assert options == ["Game", "Options", "Level", "Seed", "MultiPV", "Ponder", "OwnBook"]
    assert any("var gravity-trap" in line for line in lines)


def test_it_plays_a_whole_game_against_itself(talk, game):
    made = game("gravity-connect", size=4, line=3)
    talk.say("setoption name Game value gravity-connect")
    talk.say('setoption name Options value {"size": 4, "line": 3}', "isready")
    assert talk.until("readyok") == ["readyok"]
    position, moves = made.start(), []
    while not position.over:
        talk.say("position startpos moves " + " ".join(moves), "go depth 3")
        lines = talk.until("bestmove")
        assert lines[0].startswith("info depth 1 score ")
        moves.append(lines[-1].split()[1])
        position = position.play(moves[-1]).position
    talk.say("position startpos moves " + " ".join(moves), "query gameover", "query result", "go")
    assert talk.until("bestmove") == [
        "response true",
        f"response p{1 + made.players.index(position.outcome.winner)}win",
        "bestmove none",
    ]


def test_it_stops_at_once_and_hears_while_it_thinks(talk):
    talk.say("position startpos moves d4", "go infinite")
    talk.until("info")
    talk.say("isready")
    talk.until("readyok")
    talk.say("stop")
    assert len(talk.until("bestmove")[-1].split()) == 2


@pytest.mark.parametrize(
    ("name", "options", "moves"),
    [
        ("attraktion", {"size": 6}, ""),  # the smallest board: each leaf is a game to its end
        ("gravity-trap", {}, "1 22"),
        ("momentum", {}, "d4"),
    ],
)
def test_a_depth_alone_ends_every_search(talk, game, name, options, moves):
    chosen = (f"Game value {name}", f"Options value {json.dumps(options)}")
    talk.say(*(f"setoption name {each}" for each in chosen))
    talk.say(f"position startpos moves {moves}", "go depth 2")
    told = talk.until("bestmove")
    assert len(told) > 1  # it has looked before
    position = game(name, **options).start()
    for move in moves.split():
        position = position.play(move).position
    assert told[-1].split()[1] in position.legal()


def test_it_answers_questions_of_the_position(talk):
    talk.say('setoption name Options value {"players": 3}', "position startpos moves d4")
    talk.say("query p1turn", "query tomove", "query islegal d4", "query islegal e4", "query result")
    talk.say("query legal", "query weather")
    answers = talk.until("response unknown")
    assert answers[:5] == [
        f"response {answer}" for answer in ("false", "p2", "false", "true", "none")
    ]
    assert len(answers[5].split()) == 49


@pytest.mark.parametrize(
    ("name", "options", "moves"),
    [
        ("momentum", {"size": 5, "marbles": 3, "pie": False}, "c3 a1 a5 e5"),
        ("gravity-connect", {"size": 4, "line": 3}, "A 5 2"),
        ("gravity-trap", {}, "1 22"),
        ("attraktion", {"size": 4}, "b2"),
        ("momentum", {"size": 5, "marbles": 3, "players": 3}, "c3 a1 a5"),
    ],
)
def test_it_says_what_every_move_is_worth(talk, game, name, options, moves):
    position = game(name, **options).start()
    for move in moves.split():
        position = position.play(move).position
    talk.say(f"setoption name Game value {name}")
    talk.say(f"setoption name Options value {json.dumps(options)}")
    talk.say("setoption name MultiPV value 500", f"position startpos moves {moves}")
    talk.say("go movetime 100")
    *lines, best = talk.until("bestmove")
    told = [ugi.parse_info(line.split()[1:]) for line in lines if " multipv " in line]
    assert sorted(info.line[0] for info in told) == list(position.legal())
    assert [info.rank for info in told] == list(range(1, len(told) + 1))
    assert best.split()[1] == told[0].line[0]
    values = [info.value for info in told]
    assert values == sorted(values, reverse=True)
    for info in told:  # what the rules say of a move that ends the game, the engine says too
        outcome = position.play(info.line[0]).position.outcome
        if outcome is not None and len(position.game.players) == 2:
            won = outcome.winner == position.mover
            assert (info.value >= SURE) is won
        if outcome is not None and outcome.winner == position.mover:
            assert values[0] >= SURE


def test_it_ponders_until_the_expected_move_is_made(talk):
    talk.say("position startpos moves d4 e5", "go ponder depth 1")
    assert talk.until("info")[-1].startswith("info depth 1")
    talk.say("isready", "isready")
    assert talk.until("readyok") == ["readyok"]  # it has an answer, and keeps it
    talk.say("ponderhit")
    assert [line.split()[0] for line in talk.until("bestmove")] == ["readyok", "bestmove"]
    talk.say("position startpos moves d4 e5 a1", "go ponder movetime 10", "stop")
    talk.until("bestmove")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("setoption name Game value chess", "There is no game chess"),
        ('setoption name Options value {"sise": 5}', "sise"),
        ("setoption name Options value 5", "cannot be read"),
        ("position startpos moves d4 d4", "Move 2, d4, is not legal"),
        ("position fen 8/8", "cannot be read"),
        ("go depth deep", "cannot be read"),
    ],
)
def test_what_it_cannot_do_it_says_in_one_line(talk, line, said):
    talk.say(line, "isready")
    told = talk.until("error")[-1]
    assert said in told
    talk.say("setoption name Game value momentum", "setoption name Options value {}", "isready")
    talk.until("readyok")


def test_the_same_seed_plays_the_same_game(talk):
    def moves():
        talk.say("setoption name Seed value 5", "setoption name Level value 3", "uginewgame")
        found = []
        for _ in range(4):
            talk.say("position startpos moves d4 e5 " + " ".join(found), "go")
            found.append(talk.until("bestmove")[-1].split()[1])
        return found

    first = moves()
    talk.say("setoption name Seed value 5")  # begins its dice anew
    assert moves() == first
