"""The engines that play in the game on the table: when one is asked, and what becomes of its move.

An engine's move is asked for as a person's by page is (``MakeMove``): the referee guides it, and it
counts once it lies on the board. A person may at any time make another move for the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from firmware_host.config.engine_seats import NO_ENGINES, EngineSeat, EngineSeats
from firmware_host.config.errors import JournalError, NotPossibleError
from firmware_host.engines import ugi
from firmware_host.engines.room import Task, Thought
from firmware_host.engines.search.levels import STRONGEST
from firmware_host.engines.search.limits import expected
from firmware_host.guidance import engines as say
from firmware_host.messages import Message
from firmware_host.table.commands import MakeMove, OfferDraw, TakeBack
from firmware_host.table.standing import Phase, Role, Standing
from games.base import Game, Turn

HINT_S = 10.0  # for how long one is shown
ACCEPTED = 0.4  # an engine that expects less of the game than this agrees on a draw

_log = logging.getLogger(__name__)


class Thinks(Protocol):
    """As much of ``firmware_host.engines.room.EngineRoom`` as is needed; none of it waits."""

    @property
    def names(self) -> Sequence[str]:
        """The engines that there are."""

    @property
    def info(self) -> ugi.Info:
        """What the engine that thinks has told last."""

    def think(self, task: Task | None) -> Thought | None:
        """What there is to think about now; what has come of it, once it has."""

    def close(self) -> None:
        """End every process."""


class Seating(Protocol):
    """Where it is noted who plays."""

    def note_engines(self, game_id: int, seats: EngineSeats) -> None:
        """Raises JournalError."""


class Opponents:
    """All of it in the table's thread. ``seats``: who plays; ``trouble``: what people should know
    of an engine.
    """

    def __init__(self, room: Thinks | None, journal: Seating) -> None:
        self._room = room
        self._journal = journal
        self.seats: EngineSeats = NO_ENGINES
        self.trouble: Message | None = None
        self._game_id = 0
        self._player = ""
        self._seat_owed = False
        self._given: Task | None = None
        self._stuck: Task | None = None
        self._hint_task: Task | None = None
        self._hint: Turn | None = None
        self._hint_until_s = 0.0
        self._expects: dict[str, float] = {}  # of the game, when they moved last
        self._moves = 0  # that stood in the last step
        self._shown: tuple[Standing, Task | None, Turn | None, Standing] | None = None
        self._thinks = False

    @property
    def names(self) -> Sequence[str]:
        """The engines that may play; none where nobody could think."""
        return () if self._room is None else self._room.names

    def check(self, game: Game, seats: EngineSeats) -> None:
        """Raises NotPossibleError where nobody could play so."""
        known = self.names
        for player, seat in seats.items():
            if player not in game.players:
                raise NotPossibleError("There is no player {player} in this game.", player=player)
            if seat.engine not in known:
                raise NotPossibleError(
                    "There is no engine {name}.",
                    remedy="The engines are: {known}.",
                    name=seat.engine,
                    known=", ".join(known),
                )

    def sit_down(self, game_id: int, seats: EngineSeats, moves: int) -> None:
        """Another game. ``moves``: how many of it are made."""
        self._game_id, self.seats, self._moves = game_id, dict(seats), moves
        self.trouble = None
        self._expects = {}
        self._given = self._stuck = self._hint_task = self._hint = None
        self._seat_owed = self._thinks = False
        if self._room is not None:
            self._room.think(None)

    @property
    def moving(self) -> bool:
        """An engine's move is being carried out."""
        return self._given is not None

    @property
    def thinking(self) -> str | None:
        """For whom an engine thinks; None where none does."""
        return self._player if self._thinks else None

    def again(self) -> EngineSeats:
        """The same opponents for another game."""
        return {player: EngineSeat(seat.engine, seat.level) for player, seat in self.seats.items()}

    @property
    def hinting(self) -> bool:
        """A hint is being thought of."""
        return self._hint_task is not None and self._hint is None

    def ask_hint(self, standing: Standing, now_s: float) -> None:
        """Think of a move for the person to move. Raises NotPossibleError."""
        player, position = standing.to_move, standing.position
        if self._room is None or standing.phase is not Phase.TURN or position is None:
            raise NotPossibleError("There is nothing to hint at now.")
        if player is None or player in self.seats or standing.game_id is None:
            raise NotPossibleError("There is nothing to hint at now.")
        seat = EngineSeat(level=STRONGEST)
        self._hint_task = Task(standing.game_id, player, seat, standing.moves, position)
        self._hint = None
        self._hint_until_s = now_s + HINT_S

    def _think_of_hint(self, standing: Standing, now_s: float) -> None:
        """As long as the game stands as it did when the hint was asked for."""
        task, room = self._hint_task, self._room
        if task is None or room is None:
            return
        stands = (task.game_id, task.moves) == (standing.game_id, standing.moves)
        if not stands or (self._hint is not None and now_s > self._hint_until_s):
            self._hint_task = self._hint = None
            room.think(None)
            return
        thought = room.think(task)
        if thought is not None and self._hint is None:
            self._hint_until_s = now_s + HINT_S
            self.trouble = thought.trouble
            if thought.move is None:
                self._hint_task = None
            else:
                self._hint = task.position.play(thought.move)

    def step(self, standing: Standing, now_s: float) -> Sequence[MakeMove | TakeBack | OfferDraw]:
        """What engines ask for, seen how the game stands after a step."""
        self._thinks = False
        self._think_of_hint(standing, now_s)
        if self._room is None or not self.seats or standing.game_id != self._game_id:
            return ()
        self._note_seats(self._game_id)
        moves, self._moves = self._moves, len(standing.moves)
        position, player = standing.position, standing.to_move
        seat = None if player is None else self.seats.get(player)
        if standing.outcome is not None:
            seat = None  # resigned or agreed upon, too
        elif agreed := self._agrees(standing):
            return agreed
        if position is None or player is None or seat is None:
            if self._hint_task is None:
                self._room.think(None)
            self._given = None
            return ()
        task = Task(self._game_id, player, seat, standing.moves, position)
        if len(standing.moves) < moves:
            self._given = None
            return self._back(standing)
        if standing.phase is not Phase.TURN:
            return ()
        if self._given is not None and _same(self._given, task):
            self._given = None
            self._room.think(None)
            return self._back(standing)  # its move was taken back while it was carried out
        thought = self._room.think(task)
        if thought is None:
            self._player, self._thinks = player, True
            return ()
        if self._stuck is not None and _same(self._stuck, task):
            return ()
        self.trouble = thought.trouble
        if thought.info.value is not None:
            self._expects[player] = expected(thought.info.value)
        if thought.move is None:
            self._stuck = task  # a person plays it
            return ()
        self._given = task
        if thought.seat != seat:
            self.seats = {**self.seats, player: thought.seat}
            self._given = replace(task, seat=thought.seat)
            self._seat_owed = True
        return (MakeMove(thought.move),)

    def _agrees(self, standing: Standing) -> Sequence[OfferDraw]:
        """To a draw that somebody offers, the engines that stood badly when they moved last."""
        if not standing.draw_offers:
            return ()
        silent = self.seats.keys() - set(standing.draw_offers)
        willing = [p for p in sorted(silent) if self._expects.get(p, 1.0) < ACCEPTED]
        return [OfferDraw(player) for player in willing]

    def refused(self) -> None:
        """What was asked for last is not possible just now."""
        self._given = None

    def _back(self, standing: Standing) -> Sequence[TakeBack]:
        """Whoever takes back an engine's move wants to play another one himself before it."""
        made = len(standing.moves)
        people = standing.game is not None and set(standing.game.players) - self.seats.keys()
        return (TakeBack(made - 1),) if people and made else ()

    def _note_seats(self, game_id: int) -> None:
        if not self._seat_owed:
            return
        try:
            self._journal.note_engines(game_id, self.seats)
            self._seat_owed = False
        except JournalError as error:  # the next move meets the same, and the referee says so
            _log.warning("%s", error)

    def shown(self, standing: Standing) -> Standing:
        """``standing`` with what an engine does."""
        given = self._given if standing.phase is Phase.SETTLE else None
        asked = self._hint_task
        fits = asked is not None and asked.moves == standing.moves and standing.phase is Phase.TURN
        hint = self._hint if fits else None
        if given is None and hint is None and not self._thinks:
            return standing
        shown = self._shown
        if shown is None or shown[0] is not standing or shown[1:3] != (given, hint):
            shown = self._shown = standing, given, hint, self._over(standing, given, hint)
        return shown[3]

    def _over(self, standing: Standing, given: Task | None, hint: Turn | None) -> Standing:
        if given is not None:
            return replace(standing, say=say.plays(given.player, standing.say))
        if hint is not None:
            places = {p for s in hint.act for p in (s.source, s.target) if p is not None}
            roles = dict.fromkeys(places, Role.LEGAL)
            return replace(
                standing, say=say.hint(hint.player, hint.move), roles=roles, path=hint.path
            )
        last = {place: role for place, role in standing.roles.items() if role is Role.LAST}
        seat = self.seats[self._player]
        thinks = say.thinks(self._player, seat.engine, seat.level)
        return replace(standing, say=thinks, roles=last, tint={}, path=(), swap_legal=False)

    def close(self) -> None:
        """End every process."""
        if self._room is not None:
            self._room.close()


def _same(one: Task, other: Task) -> bool:
    """Whoever is seated there now."""
    return (one.game_id, one.player, one.moves) == (other.game_id, other.player, other.moves)
