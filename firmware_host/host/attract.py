"""A table that nobody touches shows a game playing itself, on its lights and on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from firmware_host.engines.puzzles import Puzzle, exercises
from firmware_host.host.sensing import Look
from firmware_host.table.standing import Phase, Standing
from games.base import Game, Position
from games.registry import game_type

IDLE_S = 60.0  # before a game has begun
ENDED_S = 300.0  # after one: people look at how it ended
MOVE_S = 1.4
END_S = 6.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A moment of the game that plays itself: place -> piece, and what the last move changed there,
    or what decides the game.
    """

    cells: Mapping[str, str]
    marked: frozenset[str]
    lasts_s: float


class Attract:
    """``scene``: what is shown now; None while somebody is there. The games are those that the
    computer played against itself when the puzzles were found, each with its end. ``stirred_s``:
    when something has happened at the table last.
    """

    def __init__(self) -> None:
        self.scene: Scene | None = None
        self._scenes: Iterator[Scene] = iter(())
        self._alone_since_s: float | None = None
        self._next_s = 0.0
        self._touched = False
        self._stood: tuple[object, ...] = ()
        self.stirred_s = 0.0

    def touch(self) -> None:
        """Somebody has touched the table: stop the show."""
        self._touched = True

    def step(self, standing: Standing, look: Look) -> None:
        """After a scan of a game that nothing keeps waiting."""
        stood = (standing.game_id, standing.step, standing.phase)
        stirred = look.presses or look.sight.events or stood != self._stood
        if stirred:
            self._stood, self.stirred_s = stood, look.now_s
        touched, self._touched = self._touched, False
        if stirred or touched or not _idle(standing):
            self._alone_since_s, self.scene = None, None
            return
        if self._alone_since_s is None:
            self._alone_since_s = look.now_s
        waits_s = ENDED_S if standing.phase is Phase.OVER else IDLE_S
        if look.now_s - self._alone_since_s < waits_s or standing.game is None:
            return
        if self.scene is None:
            self._scenes, self._next_s = _scenes(standing.game), look.now_s
        if look.now_s >= self._next_s:
            self.scene = next(self._scenes, None)
            self._next_s = look.now_s + (MOVE_S if self.scene is None else self.scene.lasts_s)


def _idle(standing: Standing) -> bool:
    begun = standing.phase is Phase.TURN and bool(standing.moves)
    return standing.phase in (Phase.TURN, Phase.OVER) and not begun and standing.question is None


def _scenes(game: Game) -> Iterator[Scene]:
    """Scenes of games without end; none where no such game was played on this board."""
    played = [e for e in exercises(game.name) if e.kind == "win" and _fits(e, game)]
    for number in count() if played else ():
        exercise = played[number % len(played)]
        position = game_type(exercise.game).create(exercise.options).start()
        for move in (*exercise.moves, exercise.solution, *exercise.following):
            position, before = position.after(move), position
            yield _scene(position, before)
        wins = (move for move in position.legal() if position.after(move).over)
        win = next(wins, None)
        if win is not None:
            yield _scene(position.after(win), position)


def _fits(exercise: Puzzle, game: Game) -> bool:
    other = game_type(exercise.game).create(exercise.options)
    return set(other.board) <= set(game.board) and other.drawing == game.drawing


def _scene(position: Position, before: Position) -> Scene:
    changed = {place for place, piece in position.cells.items() if before.cells.get(place) != piece}
    outcome = position.outcome
    if outcome is None:
        return Scene(position.cells, frozenset(changed), MOVE_S)
    return Scene(position.cells, frozenset(outcome.places or changed), END_S)
