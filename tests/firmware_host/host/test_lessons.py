"""Tests of firmware_host/host/lessons.py: how far a lesson or puzzle has come, and its words, as
the game's lesson file and the proof of each puzzle have them.
"""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from tiltboard.firmware_host.engines.puzzles import exercise_game, exercises
from tiltboard.firmware_host.host.lessons import LessonSession
from tiltboard.firmware_host.table.status import NOTHING_YET, Phase, Role
from tiltboard.games.lesson_game import GuidedGame
from tiltboard.games.registry import GAMES, game_type

TAUGHT = [name for name, kind in GAMES.items() if kind.lesson is not None]
PUZZLES = [(name, number) for name in GAMES for number in range(1, 1 + len(exercises(name)))]


def status(game, moves=()):
    """The game's own position after ``moves`` of the lesson or puzzle."""
    position = game.start()
    for move in moves:
        position = position.after(move)
    phase = Phase.TURN if position.outcome is None else Phase.OVER
    return replace(
        NOTHING_YET,
        phase=phase,
        game=game,
        position=position,
        moves=tuple(moves),
        to_move=position.to_move,
        outcome=position.outcome,
    )


def test_an_ordinary_game_is_neither():
    assert all(
        LessonSession.of(kind.create(kind.presets[0].options)) is None for kind in GAMES.values()
    )


@pytest.mark.parametrize("name", TAUGHT)
def test_a_lesson_says_its_file_step_by_step(name):
    kind = game_type(name)
    lesson = LessonSession.of(GuidedGame(kind.create(kind.lesson.options), kind.lesson))
    steps, moves = kind.lesson.steps, []
    assert lesson.opening == ()
    for at, step in enumerate(steps):
        now = status(lesson.game, moves)
        shown, known = lesson.shown(now), lesson.progress(now)
        assert shown.say.template == step.say
        assert (known.done, known.steps, known.wrong) == (at, len(steps), False)
        others = at % len(lesson.game.players) != 0  # the learner has the first step
        assert known.by_hand == others == bool(shown.shifts)
        moves.append(step.move)
    assert lesson.shown(status(lesson.game, moves)).say.template == kind.lesson.end


# What a tactic's sentence must claim, by kind and turns of the puzzle's proof.
CLAIMS = {
    ("win", 1): r"immediately",
    ("save", 1): r"(every \w+ but one|Only one \w+)\b.*next turn",
    ("win", 2): r"After one \w+, {player} .*next turn, (whatever {other} does|wherever)",
    ("win", 3): r"in three turns",
}


@pytest.mark.parametrize("name", TAUGHT)
def test_each_tactic_says_what_its_puzzle_proves(name):
    tactics = game_type(name).lesson.tactics
    assert len(tactics) == 3
    for number, tactic in enumerate(tactics, 1):
        lesson = LessonSession.of(exercise_game(name, tactic.puzzle, taught=True))
        asked = lesson.game.exercise
        assert re.search(CLAIMS[asked.kind, asked.turns], tactic.say)
        assert lesson.shown(status(lesson.game)).say.template == tactic.say
        assert lesson.progress(status(lesson.game)).tactic == number
        plain = LessonSession.of(exercise_game(name, tactic.puzzle))  # the same as today's puzzle
        assert plain.shown(status(plain.game)).say.template != tactic.say
        assert plain.progress(status(plain.game)).tactic == 0


def test_while_something_is_to_be_mended_the_lesson_is_silent():
    kind = game_type("momentum")
    lesson = LessonSession.of(GuidedGame(kind.create(kind.lesson.options), kind.lesson))
    mending = replace(status(lesson.game), phase=Phase.FIX)
    assert lesson.shown(mending) is mending


@pytest.mark.parametrize(("name", "number"), PUZZLES)
def test_a_puzzle_is_solved_by_what_its_proof_says_and_by_nothing_shorter(name, number):
    puzzle, lesson = exercises(name)[number - 1], LessonSession.of(exercise_game(name, number))
    assert list(lesson.opening) == puzzle.moves
    moves = [puzzle.solution, *puzzle.following]
    for made in range(len(moves) + 1):
        now = status(lesson.game, moves[:made])
        assert not lesson.progress(now).wrong
        # A save is one move; a win needs the last move of its line, or one that ends the game.
        whole = made == len(moves) and (made % 2 == 1 or now.outcome is not None)
        assert lesson.is_solved(now) == (whole or (puzzle.kind == "save" and made >= 1))


@pytest.mark.parametrize(("name", "number"), PUZZLES)
def test_every_wrong_move_of_a_puzzle_is_refuted_as_its_proof_does(name, number):
    puzzle, lesson = exercises(name)[number - 1], LessonSession.of(exercise_game(name, number))
    for move in lesson.game.start().legal():
        now = status(lesson.game, [move])
        if move == puzzle.solution or (puzzle.kind == "win" and now.outcome is not None):
            continue
        assert lesson.progress(now).wrong and not lesson.is_solved(now)
        params = lesson.shown(now).say.params
        assert params["move"] == lesson.game.labels.get(move, move)
        refuted = puzzle.holds.get(move) if puzzle.kind == "win" else puzzle.proof[move]
        reply = getattr(refuted, "move", refuted)
        assert params["reply"] == (reply and lesson.game.labels.get(reply, reply))


def test_the_right_move_lights_up_only_before_it():
    lesson, puzzle = LessonSession.of(exercise_game("momentum", 1)), exercises("momentum")[0]
    before = status(lesson.game)
    assert Role.LEGAL not in lesson.shown(before).roles.values()
    lesson.show_right_move(())
    lit = lesson.shown(before).roles
    assert dict(lit) == {puzzle.solution: Role.LEGAL}
    after = status(lesson.game, [puzzle.solution])
    assert Role.LEGAL not in lesson.shown(after).roles.values()
