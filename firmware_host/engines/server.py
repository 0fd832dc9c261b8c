"""Our engine: reads UGI, thinks in a thread of its own, and answers (docs/engines.md)."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from drivers.clock import Clock
from firmware_host.engines import ugi
from firmware_host.engines.analysis import every_move
from firmware_host.engines.coach import reason
from firmware_host.engines.errors import CannotPlayError
from firmware_host.engines.proof import ProofSearch, TooManyError
from firmware_host.engines.search.limits import LEVELS, STRONGEST, Found, Limits
from firmware_host.engines.search.thinker import Thinker
from games.base import Game, RulesError
from games.registry import GAMES, game_type
from games.rules import Rules

AUTHOR = "the makers of tiltboard"
MOST_SEED = 2**31 - 1
_MOST_PROOF = 30_000  # positions, and
_MOST_TURNS = 9  # turns of a win that is asked for
_DEFAULT_S = 2.0  # where nothing limits the strongest level


class EngineServer:
    """``serve`` reads lines until ``quit`` or the end. ``write``: one line out, from any thread."""

    def __init__(
        self,
        write: Callable[[str], None],
        clock: Clock,
        *,
        version: str,
        seed: Callable[[], int],
    ) -> None:
        """``seed``: drawn anew for each game where the option Seed is 0."""
        self._write = write
        self._clock = clock
        self._version = version
        self._draw_seed = seed
        self._game_name = next(iter(GAMES))
        self._options: dict[str, Any] = {}
        self._level = STRONGEST
        self._seed = 0
        self._book = True
        self._thinker: Thinker | None = None
        self._game: Game | None = None
        self._state: Any = None
        self._trouble: str | None = None
        self._lines = 1
        self._stopped = threading.Event()
        self._released = threading.Event()  # it may answer: it does not ponder, or no longer
        self._thinking: threading.Thread | None = None

    def serve(self, lines: Iterable[str]) -> None:
        """Answer each of ``lines`` as it comes."""
        for line in lines:
            words = line.split()
            if words and not self._obey(words, line.strip()):
                break
        self._stop()

    def _obey(self, words: list[str], line: str) -> bool:
        """One line; False: it was the last."""
        try:
            match words[0]:
                case "quit":
                    return False
                case "ugi":
                    self._introduce()
                case "isready":
                    self._write("readyok" if self._ready() else f"error {self._trouble}")
                case "setoption":
                    self._stop()
                    self._set(*ugi.parse_setoption(line))
                case "uginewgame":
                    self._stop()
                    self._thinker = self._game = None
                case "position":
                    self._stop()
                    self._place(words[1:])
                case "go":
                    self._stop()
                    self._go(ugi.parse_go(words[1:]))
                case "stop":
                    self._stop()
                case "ponderhit":
                    self._released.set()
                case "query":
                    self._answer(words[1:])
                case _:
                    pass  # unknown lines are passed over, as UCI wants it
        except ValueError:
            self._write(f"error This line cannot be read: {line[:200]!r}.")
        return True

    def _introduce(self) -> None:
        games = " ".join(f"var {name}" for name in GAMES)
        options = {
            ugi.GAME: f"combo default {self._game_name} {games}",
            ugi.OPTIONS: "string default {}",
            ugi.LEVEL: f"spin default {STRONGEST} min {LEVELS[0]} max {LEVELS[-1]}",
            ugi.SEED: f"spin default 0 min 0 max {MOST_SEED}",
            ugi.LINES: f"spin default 1 min 1 max {ugi.MOST_LINES}",
            ugi.PONDER: "check default false",
            ugi.BOOK: "check default true",
        }
        self._write(f"id name tiltboard {self._version}")
        self._write(f"id author {AUTHOR}")
        for name, kind in options.items():
            self._write(f"option name {name} type {kind}")
        self._write("ugiok")

    def _set(self, name: str, value: str) -> None:
        if name == ugi.GAME:
            self._game_name, self._thinker, self._game = value, None, None
        elif name == ugi.OPTIONS:
            self._options, self._thinker, self._game = ugi.options_json(value), None, None
        elif name == ugi.LEVEL:
            self._level = min(max(int(value), LEVELS[0]), LEVELS[-1])
        elif name == ugi.LINES:
            self._lines = min(max(int(value), 1), ugi.MOST_LINES)
        elif name == ugi.BOOK:
            self._book = value == "true"
        elif name == ugi.SEED:
            self._seed, self._thinker, self._game = min(max(int(value), 0), MOST_SEED), None, None

    def _ready(self) -> bool:
        """Set the game up, if it is not; False: ``_trouble`` says why that cannot be."""
        if self._thinker is not None:
            return True
        self._trouble = None
        try:
            game = game_type(self._game_name).create(self._options)
            rng = random.Random(self._seed or self._draw_seed())
            self._thinker = Thinker(game, rng, self._clock.now)
        except (RulesError, CannotPlayError) as error:
            self._trouble = str(error)
            return False
        self._game, self._state = game, game.rules.start()
        return True

    def _place(self, words: list[str]) -> None:
        if not self._ready() or self._game is None:
            self._write(f"error {self._trouble}")
            return
        if words[:1] != ["startpos"]:
            raise ValueError(words)
        rules = self._game.rules
        state = rules.start()
        moves = words[2:] if words[1:2] == ["moves"] else []
        for at, name in enumerate(moves):
            number = rules.number(name)
            if number is None or rules.result(state) is not None or not rules.allows(state, number):
                self._write(f"error Move {at + 1}, {name}, is not legal.")
                self._state = None
                return
            state = rules.apply(state, number)
        self._state = state

    def _go(self, go: ugi.Go) -> None:
        if not self._ready() or self._thinker is None or self._game is None:
            self._write(f"error {self._trouble}")
            return
        rules, state, thinker = self._game.rules, self._state, self._thinker
        if state is None or rules.result(state) is not None:
            self._write("bestmove none")
            return
        limits = go.for_player(rules.mover(state))
        if not thinker.sees_depth:
            limits = replace(limits, depth=None)
        unlimited = limits == Limits() and not go.infinite
        if unlimited and (self._lines > 1 or thinker.level(self._level).nodes is None):
            limits = Limits(time_s=_DEFAULT_S)
        self._stopped.clear()
        self._released.clear()
        if not go.ponder:
            self._released.set()
        game, level, lines = self._game, self._level, self._lines
        book = self._book and not go.infinite and limits.depth is None
        now = self._clock.now
        until_s = math.inf if limits.time_s is None else now() + limits.time_s
        if go.ponder:
            limits = replace(limits, time_s=None)

        def stopped() -> bool:
            late = go.ponder and self._released.is_set() and now() >= until_s
            return late or self._stopped.is_set()

        def report(found: Found) -> None:
            line = tuple(map(rules.name, found.line))
            time_ms = round(found.time_s * 1000)
            self._write(ugi.Info(found.depth, found.value, found.nodes, time_ms, line).text())

        def think() -> None:
            if lines > 1 and limits.time_s is not None:
                found = every_move(game, thinker, state, limits, now=now, stopped=stopped)
                self._say_lines(found, rules, lines)
            else:
                found = thinker.think(
                    state, level, limits, book=book, stopped=stopped, report=report
                )
            self._released.wait()
            self._write(f"bestmove {rules.name(found.move)}")

        self._thinking = threading.Thread(target=think, name="thinking", daemon=True)
        self._thinking.start()

    def _stop(self) -> None:
        """End the search, if there is one; it answers with what it has found so far."""
        if self._thinking is not None:
            self._stopped.set()
            self._released.set()
            self._thinking.join()
            self._thinking = None

    def _say_lines(self, found: Found, rules: Rules, count: int) -> None:
        """Each move with its value, the best first."""
        time_ms = round(found.time_s * 1000)
        for rank, (move, value) in enumerate(found.ranked[:count], start=1):
            line = found.line if move == found.move else (move,)
            named = tuple(map(rules.name, line))
            self._write(ugi.Info(found.depth, value, found.nodes, time_ms, named, rank).text())

    def _answer(self, words: list[str]) -> None:
        if not self._ready() or self._game is None or self._state is None:
            self._write(f"error {self._trouble or 'There is no position.'}")
            return
        rules, state = self._game.rules, self._state
        result = rules.result(state)
        match words:
            case ["gameover"]:
                answer = _truth(result is not None)
            case ["p1turn"]:
                answer = _truth(rules.mover(state) == 0)
            case ["tomove"]:
                answer = "none" if result is not None else f"p{rules.mover(state) + 1}"
            case ["result"] if result is not None:
                answer = " ".join(f"p{winner + 1}win" for winner in result) or "draw"
            case ["result"]:
                answer = "none"
            case ["islegal", move]:
                number = rules.number(move)
                answer = _truth(number is not None and number in rules.moves(state))
            case ["legal"]:
                answer = " ".join(sorted(map(rules.name, rules.moves(state)))) or "none"
            case ["why", move, *sure] if result is None:
                answer = _why(rules, state, move, sure)
            case ["wins", turns] if result is None:
                answer = _wins(rules, state, int(turns))
            case _:
                answer = "unknown"
        self._write(f"response {answer}")


def _why(rules: Rules, state: Any, move: str, sure: Sequence[str]) -> str:
    """``KIND NUMBER MOVE``, as in ``coach.Reason``; ``-``: about no move."""
    number = rules.number(move)
    if number is None or not rules.allows(state, number):
        return "unknown"
    found = reason(rules, state, number, sure=int(sure[0]) if sure else 0)
    return f"{found.kind} {found.number} {found.move or '-'}"


def _wins(rules: Rules, state: Any, turns: int) -> str:
    """``TURNS MOVE`` of the soonest win that the player to move can force; ``none``: there is none
    within ``turns``; ``open``: that is too much to look at.
    """
    if rules.players != 2:
        return "open"
    try:
        found = ProofSearch(rules, _MOST_PROOF).soonest(state, min(turns, _MOST_TURNS))
    except TooManyError:
        return "open"
    return "none" if found is None else f"{found[0]} {rules.name(found[1])}"


def _truth(value: bool) -> str:
    return "true" if value else "false"
