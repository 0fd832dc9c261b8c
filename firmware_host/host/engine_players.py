"""The bots of the game on the table: when each is asked for a move, and how that is played.

A bot's move is requested like a person's on a page (``MakeMove``): the referee guides it, and it
counts once it is on the board. A person may at any time make another move for the bot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import (
    FAR,
    NO_ASSIST,
    NO_ENGINES,
    OURS,
    Assists,
    ClockLeft,
    EngineSeat,
    EngineSeats,
)
from tiltboard.firmware_host.engines.engine_pool import EngineRoom, EngineTask, Purpose, Thought
from tiltboard.firmware_host.engines.search.limits import STRONGEST, expected
from tiltboard.firmware_host.host.hints import Advice
from tiltboard.firmware_host.journal.records import EventKind, Note
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.commands import GameRequest, MakeMove, OfferDraw, TakeBack
from tiltboard.firmware_host.table.standing import Phase, Role, Standing
from tiltboard.games.base import Game

SWAP = "swap"  # The move of the pie rule.
ACCEPTED = 0.4  # A bot that expects a smaller share agrees to a draw.


def check_players(
    game: Game, seats: EngineSeats, people: Iterable[str], engines: Sequence[str]
) -> None:
    """Raise NotPossibleError unless ``game`` has those bots and ``people``, and each bot is one of
    ``engines``.
    """
    if seats and game.seated:
        raise NotPossibleError(
            "Engines do not play this game.", remedy="Let a bot take a seat instead."
        )
    for player in (*seats, *people):
        if player not in game.players:
            raise NotPossibleError("There is no player {player} in this game.", player=player)
    for seat in seats.values():
        if seat.engine not in (*engines, FAR):
            raise NotPossibleError(
                "There is no engine {name}.",
                remedy="The engines are: {known}.",
                name=seat.engine,
                known=", ".join(engines),
            )


class Opponents:
    """Players of one game that are not people at this table: bots and remote players. Also what
    bots tell people of their own moves.

    Not thread-safe: call from the table thread only.
    """

    seats: EngineSeats
    """The bot of each player that has one."""
    far: EngineSeats
    """The players at other tables."""
    advice: Advice
    """Hints, assist and warnings for people."""
    trouble: Message | None
    """The problem of a bot that does not work, or None."""
    thinking: str | None
    """The player for whom a bot thinks."""

    def __init__(
        self,
        pool: EngineRoom,
        note: Note,
        seats: EngineSeats = NO_ENGINES,
        moves: tuple[str, ...] = (),
        assist: Assists = NO_ASSIST,
    ) -> None:
        """``moves``: those already made."""
        self._pool = pool
        self._note = note
        self._moves = len(moves)  # As of the last step.
        self.far = {p: seat for p, seat in seats.items() if seat.engine == FAR}
        self.seats = {p: seat for p, seat in seats.items() if p not in self.far}
        self.advice = Advice(note, assist, moves)
        self.trouble = None
        self.thinking = None
        self._unsaved = False
        self._chosen: tuple[MakeMove, Thought] | None = None  # The move that was asked for last.
        self._answer: Thought | None = None  # The bots' last move that was played.
        self._given: EngineTask | None = None  # The move that is being carried out.
        self._stuck: EngineTask | None = None  # No bot has found a move for it.
        self._expects: dict[str, float] = {}  # Share of the game, when each bot moved last.

    @property
    def names(self) -> Sequence[str]:
        """The engines that may play."""
        return self._pool.names

    @property
    def everybody(self) -> EngineSeats:
        """Bots and remote players."""
        return {**self.seats, **self.far}

    @property
    def moving(self) -> bool:
        """True while a bot's move is being carried out."""
        return self._given is not None

    def again(self) -> EngineSeats:
        """Return the same bots for another game."""
        return {
            player: EngineSeat(seat.engine, seat.level, follows=seat.follows)
            for player, seat in self.seats.items()
        }

    def ask_hint(self, standing: Standing, now_s: float) -> None:
        """Start to look for a hint for the player to move. Raises NotPossibleError."""
        if standing.to_move in self.everybody:
            raise NotPossibleError("There is nothing to hint at now.")
        self.advice.ask_hint(standing, now_s)

    def may_assist(self, game: Game) -> bool:
        """Return whether an engine can judge every move of such a game."""
        return bool(game.rules.every_move)

    def grant(self, game: Game, player: str, amount: int, *, sure: bool | None = None) -> None:
        """Give ``player`` that amount of assist from now on; ``sure``: as in ``commands.Assist``.
        Raises NotPossibleError.
        """
        check_players(game, {}, [player], ())
        if (amount or sure) and not self.may_assist(game):
            raise NotPossibleError("There is no assist in this game.")
        self.advice.grant(player, amount, sure=sure)

    def step(
        self,
        standing: Standing,
        now_s: float,
        clock: ClockLeft | None = None,
        *,
        tells_ahead: bool = False,
    ) -> Sequence[GameRequest]:
        """Return what bots ask for after a step. ``clock``: the players' time before their next
        moves. ``tells_ahead``: whether any page shows who is ahead.
        """
        self.thinking = None
        self.advice.tells_ahead = tells_ahead
        if self._unsaved:
            self._unsaved = not self._note(self.everybody, EventKind.ENGINES)
        self.advice.count(standing, now_s)
        before, self._moves = self._moves, len(standing.moves)
        agreed = self._agreed(standing)
        if agreed:
            return agreed
        position, player = standing.position, standing.to_move
        seat = None if player is None else self.seats.get(player)
        waits = self.advice.doubts(standing, now_s)
        game_id = standing.game_id
        if position is None or player is None or seat is None or game_id is None or waits:
            self._given = None
            self._meanwhile(standing, now_s, clock)
            return ()
        plain = EngineSeat(seat.engine, seat.level)
        task = EngineTask(game_id, player, plain, standing.moves, position, clock=clock)
        if len(standing.moves) < before:
            back = self._back(standing)
            self._given = None if back else self._given  # The task whose move is being taken back.
            return back
        if standing.phase is not Phase.TURN:
            return ()
        if _same(self._given, task):
            self._given = None
            self._pool.think(None)
            return self._back(standing)  # Its move was undone while carried out.
        thought = self._pool.think(task)
        if thought is None:
            self.thinking = player
            return ()
        if _same(self._stuck, task):
            return ()
        self.trouble = thought.trouble
        if thought.info.value is not None:
            self._expects[player] = expected(thought.info.value)
        if thought.move is None:
            self._stuck = task  # A person plays for it.
            return ()
        move = MakeMove(thought.move, game=standing.game_id, step=standing.step)
        self._chosen = move, thought
        return (move,)

    def carried_out(self, request: GameRequest) -> None:
        """Note who found the move and how long they thought, if ``request`` is a bot's move."""
        if self._chosen is None or self._chosen[0] != request:
            return
        thought = self._chosen[1]
        self._given, self._answer = thought.task, thought
        player, found = thought.task.player, thought.seat
        before = self.seats[player]
        told_s = before.thought_s if found.engine == before.engine else 0.0
        thought_s = round(told_s + thought.thought_s, 2)
        seat = replace(found, thought_s=thought_s, follows=before.follows)
        self._unsaved |= seat != before
        self.seats = {**self.seats, player: seat}

    def _meanwhile(self, standing: Standing, now_s: float, clock: ClockLeft | None) -> None:
        """Let engines work while a person is to move: on the person's hint or assist first, else
        ponder.
        """
        task = None
        if standing.to_move is not None:
            task = self.advice.task(standing, now_s, here=standing.to_move not in self.far)
        thought = self._pool.think(task or self._expected(standing, clock))
        if task is not None and thought is not None:
            self.advice.take(thought, now_s)

    def _expected(self, standing: Standing, clock: ClockLeft | None) -> EngineTask | None:
        """Return the task of pondering on the expected reply to a bot's move, or None if not
        worthwhile.
        """
        answer, position = self._answer, standing.position
        if answer is None or position is None or standing.outcome is not None:
            return None
        task, line = answer.task, answer.info.line
        seat = self.seats.get(task.player)
        stands = (*task.moves, answer.move) == standing.moves
        if seat is None or not stands or len(line) < 2 or line[0] != answer.move:
            return None
        weak = seat.engine == OURS and seat.level < STRONGEST  # Time does not make it stronger.
        if weak or line[1] not in position.legal():
            return None
        after = position.after(line[1])
        if after.to_move != task.player:
            return None
        plain, moves = EngineSeat(seat.engine, seat.level), (*standing.moves, line[1])
        return EngineTask(task.game_id, task.player, plain, moves, after, Purpose.PONDER, clock)

    def _agreed(self, standing: Standing) -> Sequence[GameRequest]:
        """Return the draw offers of bots that agree to one: those that expected little at their
        last move.
        """
        silent = self.seats.keys() - {*standing.draw_offers} if standing.draw_offers else ()
        willing = [p for p in sorted(silent) if self._expects.get(p, 1.0) < ACCEPTED]
        return [OfferDraw(player, game=standing.game_id) for player in willing]

    def _back(self, standing: Standing) -> Sequence[GameRequest]:
        """Take back a person's move before an engine's that was taken back."""
        made = len(standing.moves)
        people = standing.game is not None and set(standing.game.players) - self.everybody.keys()
        if not people or not made:
            return ()
        return (TakeBack(made - 1, game=standing.game_id, step=standing.step),)

    def shown(self, standing: Standing) -> Standing:
        """Return ``standing`` with what bots do, and the help that people get."""
        standing, given = self.advice.shown(standing), self._given
        say: Message | None = None
        if given is not None and standing.phase is Phase.SETTLE:
            if self._answer is not None and self._answer.move == SWAP:
                say = self._swap(standing, given.player)
            say = say or text(
                "{player} has moved. {todo}",
                player=phrases.player(given.player),
                todo=standing.say,
            )
        elif standing.phase is Phase.TURN:
            offers, thinks = standing.draw_offers, self.thinking
            others = [each for each in self.seats if each != standing.to_move]
            declines = sorted(self.seats.keys() - {*offers}) if offers else []
            if declines:
                say = text(
                    "{player} turns the draw down. {todo}",
                    player=phrases.player(declines[0]),
                    todo=standing.say,
                )
            elif thinks is not None:
                return self._thinking(standing, thinks)
            elif others and standing.moves[-1:] == (SWAP,):
                say = self._swap(standing, others[0])
        return standing if say is None else replace(standing, say=say)

    def _thinking(self, standing: Standing, player: str) -> Standing:
        last = {place: role for place, role in standing.roles.items() if role is Role.LAST}
        seat, who = self.seats[player], phrases.player(player)
        say = text("{player} ({engine}) is thinking…", engine=seat.engine, player=who)
        if seat.engine == OURS:
            say = text("{player} is thinking…", player=who)
        return replace(standing, say=say, roles=last, tint={}, path=(), swap_legal=False)

    def _swap(self, standing: Standing, player: str) -> Message | None:
        """Return what a bot's swap means to the person whose piece it was."""
        if standing.game is None or standing.position is None or len(standing.game.players) != 2:
            return None
        [(place, _), *_] = standing.position.cells.items()
        (mine,) = [each for each in standing.game.players if each != player]
        return text(
            "{player} swaps: your {piece} on {place} is {owner}'s now. {said}",
            player=phrases.player(player).capitalised(),
            piece=phrases.piece(standing.game.name, mine),
            place=place,
            owner=phrases.player(player),
            said=standing.say,
        )

    def stop(self) -> None:
        """Stop all thinking for this game."""
        self._pool.think(None)


def _same(one: EngineTask | None, other: EngineTask) -> bool:
    """Return whether two tasks of one game ask for the same move, whichever engine makes it."""
    return one is not None and (one.player, one.moves) == (other.player, other.moves)
