"""The built-in engine: it reads UGI commands, searches in a thread, and writes the answers
(docs/engines.md).
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.analysis import every_move
from tiltboard.firmware_host.engines.errors import CannotPlayError
from tiltboard.firmware_host.engines.proof import ProofSearch, TooManyError, reason
from tiltboard.firmware_host.engines.search.limits import (
    LEVELS,
    NO_LIMITS,
    STRONGEST,
    Found,
    Limits,
)
from tiltboard.firmware_host.engines.search.thinker import Thinker
from tiltboard.games.base import RulesError
from tiltboard.games.registry import GAMES, game_type
from tiltboard.games.rules import Rules
from tiltboard.ground.clock import Clock

AUTHOR = "the makers of tiltboard"
MAX_SEED = 2**31 - 1
_MAX_PROOF = 30_000  # Maximum number of positions that are searched to prove one win.
_MAX_TURNS = 9  # Maximum length, in turns, of the wins that are searched for.
_DEFAULT_S = 2.0  # Thinking time of the strongest level, in seconds, if a request has no limits.


class EngineServer:
    """The built-in engine's side of the UGI protocol.

    ``serve`` reads lines until ``quit`` or the end of input. ``write`` sends one line, and is
    called from several threads.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        clock: Clock,
        *,
        version: str,
        seed: Callable[[], int],
    ) -> None:
        """Prepare a server. ``seed`` returns a random seed for each game whose option Seed is 0."""
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
        self._state: Any = None
        self._lines = 1
        self._stopped = threading.Event()
        # The engine waits for this event before it answers, because it must not send an answer
        # while it ponders.
        self._released = threading.Event()
        self._thinking: threading.Thread | None = None

    def serve(self, lines: Iterable[str]) -> None:
        """Answer the commands in ``lines`` one after another, and return after ``quit`` or the last
        line.
        """
        for line in lines:
            words = line.split()
            if words and not self._obey(words, line.strip()):
                break
        self._stop()

    def _obey(self, words: list[str], line: str) -> bool:
        """Execute one command; return False after ``quit``, else True."""
        if words[0] in ("setoption", "uginewgame", "position", "go", "stop"):
            self._stop()
        try:
            match words[0]:
                case "quit":
                    return False
                case "ugi":
                    self._introduce()
                case "isready":
                    self._ready()
                    self._write("readyok")
                case "setoption":
                    self._set(*ugi.parse_setoption(line))
                case "uginewgame":
                    self._thinker = None
                case "position":
                    self._place(words[1:])
                case "go":
                    self._go(ugi.parse_go(words[1:]))
                case "ponderhit":
                    self._released.set()
                case "query":
                    self._answer(words[1:])
                case _:
                    pass  # Unknown lines are ignored, as UCI requires.
        except (RulesError, CannotPlayError) as error:
            self._write(f"error {error}")
        except ValueError:
            self._write(f"error This line cannot be read: {line[:200]!r}.")
        return True

    def _introduce(self) -> None:
        games = " ".join(f"var {name}" for name in GAMES)
        options = {
            ugi.GAME: f"combo default {self._game_name} {games}",
            ugi.OPTIONS: "string default {}",
            ugi.LEVEL: f"spin default {STRONGEST} min {LEVELS[0]} max {LEVELS[-1]}",
            ugi.SEED: f"spin default 0 min 0 max {MAX_SEED}",
            ugi.LINES: f"spin default 1 min 1 max {ugi.MAX_LINES}",
            ugi.PONDER: "check default false",
            ugi.BOOK: "check default true",
        }
        self._write(f"id name tiltboard {self._version}")
        self._write(f"id author {AUTHOR}")
        for name, kind in options.items():
            self._write(f"option name {name} type {kind}")
        self._write("ugiok")

    def _set(self, name: str, value: str) -> None:
        if name in (ugi.GAME, ugi.OPTIONS, ugi.SEED):
            self._thinker = None
        if name == ugi.GAME:
            self._game_name = value
        elif name == ugi.OPTIONS:
            self._options = ugi.options_json(value)
        elif name == ugi.SEED:
            self._seed = min(max(int(value), 0), MAX_SEED)
        elif name == ugi.LEVEL:
            self._level = min(max(int(value), LEVELS[0]), LEVELS[-1])
        elif name == ugi.LINES:
            self._lines = min(max(int(value), 1), ugi.MAX_LINES)
        elif name == ugi.BOOK:
            self._book = value == "true"

    def _ready(self) -> Thinker:
        """Return the bot for the game that the options name. Raises RulesError and
        CannotPlayError.
        """
        if self._thinker is None:
            game = game_type(self._game_name).create(self._options)
            rng = random.Random(self._seed or self._draw_seed())
            self._thinker = Thinker(game, rng, self._clock.now)
            self._state = game.rules.start()
        return self._thinker

    def _place(self, words: list[str]) -> None:
        rules = self._ready().game.rules
        if words[:1] != ["startpos"]:
            raise ValueError(words)
        self._state, state = None, rules.start()
        for at, name in enumerate(words[2:] if words[1:2] == ["moves"] else ()):
            number = rules.number(name)
            if number is None or rules.result(state) is not None or not rules.allows(state, number):
                self._write(f"error Move {at + 1}, {name}, is not legal.")
                return
            state = rules.apply(state, number)
        self._state = state

    def _go(self, go: ugi.Go) -> None:
        thinker = self._ready()
        rules, state, level, lines = thinker.game.rules, self._state, self._level, self._lines
        if state is None or rules.result(state) is not None:
            self._write("bestmove none")
            return
        limits = go.for_player(rules.mover(state))
        if not thinker.sees_depth:
            limits = replace(limits, depth=None)
        unlimited = limits == NO_LIMITS and not go.infinite
        if unlimited and (lines > 1 or thinker.level(level).nodes is None):
            limits = Limits(time_s=_DEFAULT_S)
        self._stopped.clear()
        self._released.clear()
        if not go.ponder:
            self._released.set()
        book = self._book and not go.infinite and limits.depth is None
        now = self._clock.now
        until_s = math.inf if limits.time_s is None else now() + limits.time_s
        if go.ponder:
            limits = replace(limits, time_s=None)

        def stopped() -> bool:
            late = go.ponder and self._released.is_set() and now() >= until_s
            return late or self._stopped.is_set()

        def say(found: Found, line: Sequence[int], value: int, rank: int = 0) -> None:
            time_ms, named = round(found.time_s * 1000), tuple(map(rules.name, line))
            self._write(ugi.Info(found.depth, value, found.nodes, time_ms, named, rank).text())

        def report(found: Found) -> None:
            say(found, found.line, found.value)

        def think() -> None:
            if lines > 1 and limits.time_s is not None:
                found = every_move(thinker, state, limits, now=now, stopped=stopped)
                for rank, (move, value) in enumerate(found.ranked[:lines], start=1):
                    say(found, found.line if move == found.move else (move,), value, rank)
            else:
                found = thinker.think(
                    state, level, limits, book=book, stopped=stopped, report=report
                )
            self._released.wait()
            self._write(f"bestmove {rules.name(found.move)}")

        self._thinking = threading.Thread(target=think, name="thinking", daemon=True)
        self._thinking.start()

    def _stop(self) -> None:
        """End the current search, if there is one. The search then answers with its result so
        far.
        """
        if self._thinking is not None:
            self._stopped.set()
            self._released.set()
            self._thinking.join()
            self._thinking = None

    def _answer(self, words: list[str]) -> None:
        rules, state = self._ready().game.rules, self._state
        if state is None:
            self._write("error There is no position.")
            return
        result = rules.result(state)
        match words:
            case ["gameover"]:
                answer = str(result is not None).lower()
            case ["p1turn"]:
                answer = str(rules.mover(state) == 0).lower()
            case ["tomove"]:
                answer = "none" if result is not None else f"p{rules.mover(state) + 1}"
            case ["result"] if result is not None:
                answer = " ".join(f"p{winner + 1}win" for winner in result) or "draw"
            case ["result"]:
                answer = "none"
            case ["islegal", move]:
                number = rules.number(move)
                answer = str(number is not None and number in rules.moves(state)).lower()
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
    """Return ``KIND NUMBER MOVE``, the fields of a ``proof.Reason``, or ``unknown`` if no reason is
    found. The text ``-`` replaces a missing move.
    """
    number = rules.number(move)
    if number is None or not rules.allows(state, number):
        return "unknown"
    found = reason(rules, state, number, sure=int(sure[0]) if sure else 0)
    return f"{found.kind} {found.number} {found.move or '-'}"


def _wins(rules: Rules, state: Any, turns: int) -> str:
    """Return ``TURNS MOVE``: the number of turns of the fastest forced win and its first move.
    Return ``none`` if no win can be forced within ``turns``.

    The result is ``open`` if the proof needs too many positions, or if the game is not for two
    players.
    """
    if rules.players != 2:
        return "open"
    try:
        found = ProofSearch(rules, _MAX_PROOF).soonest(state, min(turns, _MAX_TURNS))
    except TooManyError:
        return "open"
    return "none" if found is None else f"{found[0]} {rules.name(found[1])}"
