"""The table's lights and sounds. The lights show the game, calibrations, codes, and demonstration
games on an idle table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from tiltboard.drivers.lights import LightPattern
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.commissioning.sweep import TRIED_HZ
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.engines.puzzles import exercises
from tiltboard.firmware_host.host.sensing import ScanResult as Scan
from tiltboard.firmware_host.table.buttons import CONFIRM, ButtonPress
from tiltboard.firmware_host.table.lights import (
    CODE_LEVEL,
    LOOKS_S,
    CodeShown,
    Lighting,
    bubble_at,
    lit_places_at,
    piece_light,
)
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.status import GameStatus, Phase, Sound
from tiltboard.games.base import Game, Position
from tiltboard.games.registry import game_type

Lean = tuple[float, float]
SOUNDS_KEPT = 8
IDLE_S = 60.0  # Idle time before the demonstration starts if no game has begun, in seconds.
# Idle time before the demonstration starts after a game, in seconds; until then, people can study
# the final position.
ENDED_S = 300.0
MOVE_S = 1.4
END_S = 6.0
# Brightness of emphasised pieces, and of other pieces, in the demonstration, from 0 to 1.
MARKED_LEVEL, STANDS_LEVEL = 0.9, 0.4

C5, E5, G5, A5, C6, E6 = 523.25, 659.26, 783.99, 880.0, 1046.5, 1318.5
LOW = 196.0

# Tones of each tune: frequency in Hz (0 for silence) and duration in seconds.
TUNES: Mapping[Sound, tuple[tuple[float, float], ...]] = {
    Sound.START: ((C5, 0.08), (E5, 0.08), (G5, 0.12)),
    Sound.MOVE: ((A5, 0.05),),
    Sound.ASK: ((G5, 0.06), (0, 0.03), (C6, 0.09)),
    Sound.SETTLED: ((A5, 0.05), (0, 0.03), (C6, 0.05)),
    Sound.WRONG: ((LOW, 0.12), (0, 0.06), (LOW, 0.18)),
    Sound.LAST_MARBLE: ((C6, 0.07), (0, 0.05), (C6, 0.07), (0, 0.05), (E6, 0.16)),
    Sound.TAKEBACK: ((E5, 0.07), (C5, 0.09)),
    Sound.WIN: ((C5, 0.1), (E5, 0.1), (G5, 0.1), (C6, 0.3)),
    Sound.DRAW: ((G5, 0.15), (0, 0.05), (G5, 0.15)),
    Sound.PAUSED: ((E5, 0.06),),
}


class TunePlayer:
    """Plays tunes one after the other, without its own thread. Call ``tone_hz`` in each step."""

    def __init__(self) -> None:
        self._notes: list[tuple[float, float]] = []
        self._until_s = 0.0
        self._tone_hz: float | None = None

    def play(self, sounds: Iterable[Sound]) -> None:
        """Queue the tunes of ``sounds``."""
        for sound in sounds:
            self._notes.extend((*TUNES[sound], (0.0, 0.04)))

    def tone_hz(self, now_s: float) -> float | None:
        """Return the frequency of the current tone in Hz, or None for silence."""
        while self._notes and now_s >= self._until_s:
            hz, duration_s = self._notes.pop(0)
            self._tone_hz = hz or None
            self._until_s = now_s + duration_s
        if not self._notes and now_s >= self._until_s:
            self._tone_hz = None
        return self._tone_hz


@dataclass(frozen=True, slots=True)
class OutputScene:
    """One moment of a demonstration game: the piece on each place, and the places to emphasise. The
    emphasised places were changed by the last move, or decide the game.
    """

    cells: Mapping[str, str]
    marked: frozenset[str]
    lasts_s: float


class Attract:
    """The demonstration games on an idle table."""

    def __init__(self) -> None:
        self.scene: OutputScene | None = None
        """The scene that is shown now, or None while a person is present. Scenes come from complete
        games that bots played when the puzzles were found.
        """
        self._scenes: Iterator[OutputScene] = iter(())
        self._alone_since_s = self._next_s = 0.0
        self.touched = False
        """True if a person is present. Other parts of the program set this field."""
        self._stood: tuple[object, ...] = ()

    def step(self, status: GameStatus, look: Scan) -> None:
        """Process one scan, and choose the scene to show."""
        stood = (status.game_id, status.step, status.phase)
        stirred = look.presses or look.sight.events or stood != self._stood
        self._stood = stood
        touched, self.touched = self.touched, False
        over = status.phase is Phase.OVER
        idle = over or (status.phase is Phase.TURN and not status.moves)
        if stirred or touched or not idle or status.question is not None:
            self._alone_since_s, self.scene = look.now_s, None
        waits_s = ENDED_S if over else IDLE_S
        if look.now_s - self._alone_since_s < waits_s or status.game is None:
            return
        if self.scene is None:
            self._scenes, self._next_s = _scenes(status.game), look.now_s
        if look.now_s >= self._next_s:
            self.scene = next(self._scenes, None)
            self._next_s = look.now_s + (MOVE_S if self.scene is None else self.scene.lasts_s)


def _scenes(game: Game) -> Iterator[OutputScene]:
    """Yield scenes of demonstration games endlessly, or no scene if no such game was played on this
    board.
    """
    played = []
    for exercise in exercises(game.name):
        if exercise.kind == "win":
            other = game_type(exercise.game).create(exercise.options)
            if set(other.board) <= set(game.board) and other.drawing == game.drawing:
                played.append((exercise, other))
    for exercise, other in cycle(played):
        position = other.start()
        for move in (*exercise.moves, exercise.solution, *exercise.following):
            before, position = position, position.after(move)
            yield OutputScene(position.cells, frozenset(_changed_places(before, position)), MOVE_S)
        ends = (end for end in map(position.after, position.legal()) if end.over)
        for end in islice(ends, 1):
            decided = end.outcome and end.outcome.places
            yield OutputScene(
                end.cells, frozenset(decided or _changed_places(position, end)), END_S
            )


def _changed_places(before: Position, after: Position) -> Iterable[str]:
    return (place for place, piece in after.cells.items() if before.cells.get(place) != piece)


class Output:
    """The lights and sounds of one table."""

    def __init__(self, profile: Profile, plate: Plate, light_at: Sequence[int]) -> None:
        self._profile = profile
        self._plate = plate
        self.light_at = light_at
        """Index of the light on the strip under each place. Other parts of the program can set this
        field.
        """
        self.attract = Attract()
        """The demonstration games on an idle table."""
        self.sounds: deque[tuple[int, Sound]] = deque(maxlen=SOUNDS_KEPT)
        """The last sounds, numbered from the start of the host."""
        self._sounds_made = 0
        self._tunes = TunePlayer()
        self._lighting = Lighting()
        self._code: CodeShown | None = None
        self.counted: int | None = None
        """Number of seconds that the lights show as digits instead of everything else, or None."""
        self._answer: Callable[[bool], None] | None = None
        self._looks: tuple[LightPattern | None, ...] = ()
        self._scene: OutputScene | None = None
        self._scene_looks: tuple[LightPattern | None, ...] = ()

    @property
    def shows_code(self) -> bool:
        """True if the lights show a code, which only people at the table may see."""
        return self._code is not None

    @property
    def dimmed(self) -> float:
        """Maximum brightness that the power supply allows at present, as a fraction (0 to 1) of the
        full brightness.
        """
        return self._plate.dimmed

    def lights(self) -> bytes:
        """Return the colours of the strip, three bytes for each place in place order. All places
        are dark while the lights show a code, because pages must not reveal the code.
        """
        shown = bytes(len(self._plate.shown)) if self.shows_code else self._plate.shown
        return b"".join(shown[3 * at : 3 * at + 3] for at in self.light_at)

    def show_code(
        self, code: str | None, now_s: float, answer: Callable[[bool], None] | None = None
    ) -> None:
        """Show a code instead of everything else for a while, or stop showing the code if ``code``
        is None. ``answer``: function that is called when the code disappears, with True if a press
        of confirm removed the code.
        """
        before, self._answer = self._answer, answer
        self._code = None if code is None else CodeShown(code, now_s)
        if before is not None:
            before(False)

    def end_code(self, now_s: float, presses: Sequence[ButtonPress]) -> bool:
        """Remove the code from the lights if its time is over or a button is pressed. Return
        whether the game must ignore ``presses``. A press of confirm counts only after the lights
        have shown the whole code once, because an earlier press was meant for the game.
        """
        code, answer = self._code, self._answer
        if code is None:
            return False
        early = answer is not None and not code.shown_once(now_s, self._profile.columns)
        ending = [each.button for each in presses if not (early and each.button == CONFIRM)]
        if ending or code.is_over(now_s):
            self._code = self._answer = None
            if answer is not None:
                answer(CONFIRM in ending)
        return bool(presses) or self._code is None

    def sound(self, sounds: Sequence[Sound], now_s: float) -> None:
        """Continue the current tune, and queue the tunes of ``sounds``."""
        for sound in sounds:
            self._sounds_made += 1
            self.sounds.append((self._sounds_made, sound))
        self._tunes.play(sounds)
        self._plate.tone(self._tunes.tone_hz(now_s))

    def draw(
        self,
        status: GameStatus,
        overlay: Overlay,
        now_s: float,
        lean: Lean | None = None,
    ) -> None:
        """Show the state of the game, or the demonstration on an idle table. ``lean``: difference
        between the measured and the recommended tilt, in radians about x and about y. If ``lean``
        is None, the lights show no spirit level.
        """
        scene = self.attract.scene
        bubble = None if lean is None or status.game is None else bubble_at(status.game, lean)
        if self._instead(now_s):
            return
        looks = self._lighting.looks(status, overlay, now_s, bubble)
        if scene is not None:
            if scene is not self._scene:
                self._scene, self._scene_looks = scene, _scene_looks(scene, status, overlay)
            looks = self._scene_looks
        if looks is not self._looks:
            self._looks = looks
            self._plate.show(self._on_strip(looks), now_s - now_s % LOOKS_S)

    def draw_sweep(
        self, strip: Sequence[LightPattern | None], now_s: float, *, tried: bool
    ) -> None:
        """Show the lights of a calibration, given in the order of the strip. ``tried``: True to
        sound the buzzer, because the calibration tests it.
        """
        if self._instead(now_s):
            return
        if tried:
            self._plate.tone(TRIED_HZ)
        self._plate.show(strip)
        # Forget which lights were drawn last, so that the game's lights are drawn again.
        self._looks = ()

    def _instead(self, now_s: float) -> bool:
        """Show the countdown or the code instead of everything else. Return whether a countdown or
        a code was shown.
        """
        profile, code = self._profile, self._code
        if self.counted is not None:
            lit = lit_places_at(str(self.counted), profile.columns, profile.rows, 0.0)
        elif code is not None:
            lit = lit_places_at(code.code, profile.columns, profile.rows, now_s - code.since_s)
        else:
            return False
        looks = [
            LightPattern(lit[i], (CODE_LEVEL,)) if i in lit else None for i in range(profile.size)
        ]
        self._plate.show(self._on_strip(looks), 0.0)
        self._looks = ()
        return True

    def _on_strip(self, by_place: Sequence[LightPattern | None]) -> list[LightPattern | None]:
        """Return the light patterns ``by_place``, rearranged in the order of the lights on the
        strip.
        """
        places = sorted(range(self._profile.size), key=self.light_at.__getitem__)
        return [by_place[index] for index in places]


def _scene_looks(
    scene: OutputScene, status: GameStatus, overlay: Overlay
) -> tuple[LightPattern | None, ...]:
    """Return the light pattern of each place in the order of plate indices. Emphasised pieces are
    brighter.
    """
    looks: list[LightPattern | None] = [None] * len(overlay.places)
    for place, piece in scene.cells.items():
        level = MARKED_LEVEL if place in scene.marked else STANDS_LEVEL
        looks[overlay.index_of(place)] = LightPattern(piece_light(status.game, piece), (level,))
    return tuple(looks)
