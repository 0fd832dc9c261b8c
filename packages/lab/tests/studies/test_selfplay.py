"""Tests of tiltboard_lab/studies/selfplay.py: self-play: games are pure, counts are right,
first moves take turns, puzzles come once.
"""

from tiltboard_lab.studies.puzzles import proven
from tiltboard_lab.studies.selfplay import Ended, Mining, SelfPlay, counted, distinct


def job(kind=SelfPlay, **changed):
    asked = {"game": "gravity-trap", "options": {}, "level": 3, "nodes": 200, "opening": 1}
    return kind(**{**asked, **changed})


def test_a_game_is_pure_and_first_moves_take_turns():
    assert job().run(5) == job().run(5) != job(seed=2).run(5)
    assert [job().run(n).moves[0] for n in (0, 1, 21, 22)] == ["1", "2", "22", "1"]


def test_games_are_legal_to_the_end_and_name_who_won(game):
    made = game("momentum", size=4, marbles=3, players=3, round_limit=6)
    asked = job(game="momentum", options=dict(made.options), level=2, nodes=50)
    ended = asked.run(1)
    position = made.start()
    for move in ended.moves:
        position = position.play(move).position
    winner = position.outcome.winner
    assert [made.players[number] for number in ended.winners] == ([winner] if winner else [])


def test_counts_of_games_and_lines():
    games = [
        Ended(["a", "b"], [0]),
        Ended(["a", "c", "d", "e"], [1]),
        Ended(["a", "c"], []),
        Ended(["b"], [0]),
    ]
    every, lines = counted(games, 2, 1)
    assert (every.games, every.points, every.draws, every.moves) == (4, 2.5, 1, 9)
    assert list(lines) == ["a", "b"]
    assert (lines["a"].share, lines["b"].share) == (0.5, 1.0)
    assert every.interval[0] < every.share < every.interval[1]
    assert list(counted(games, 2, 2)[1]) == ["a c", "a b", "b"]
    three, _ = counted([Ended(["a"], [])], 3, 1)
    assert three.share == 1 / 3
    team, _ = counted([Ended(["a"], [0, 2])], 4, 1)
    assert team.share == 0.5


def test_mined_puzzles_are_proven_and_each_position_comes_once(game):
    made = game("gravity-connect", size=4, line=3)
    mining = job(Mining, game=made.name, options=dict(made.options), level=1, turns=2)
    found = [mining.run(n) for n in range(6)]
    assert any(found)
    once = distinct(found, made)
    assert all(proven(made, each) for each in once)
    assert len(distinct([*found, *found], made)) == len(once) <= sum(map(len, found))
