"""The bots of the current game: when a bot is asked for a move, and how its move is played.

A bot's move is requested like a person's move on a page (``MakeMove``). The referee guides people
to make the move, and the move counts once it is on the board. A person may make another move for
the bot at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

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
from tiltboard.firmware_host.engines.engine_pool import EnginePool, EngineTask, Purpose, Thought
from tiltboard.firmware_host.engines.search.limits import STRONGEST, expected_score
from tiltboard.firmware_host.host.hints import Advice
from tiltboard.firmware_host.journal.records import EventKind, Note
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.commands import GameRequest, MakeMove, OfferDraw, TakeBack
from tiltboard.firmware_host.table.status import GameStatus, Phase, Role
from tiltboard.games.base import Game

SWAP = "swap"  # Name of the swap move (pie rule).
ACCEPTED = 0.4  # Expected score, from 0 to 1, below which a bot agrees to a draw.


def check_players(
    game: Game, seats: EngineSeats, people: Iterable[str], engines: Sequence[str]
) -> None:
    """Check that every player in ``seats`` and ``people`` belongs to ``game``, and that each bot in
    ``seats`` is one of ``engines``. Raises NotPossibleError.
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
    """The bots and remote players of one game: all players who are not people at this table. The
    class also manages the bots' hints and warnings for people.

    Not thread-safe: call from the table thread only.
    """

    seats: EngineSeats
    """Player -> bot that plays for this player."""
    far: EngineSeats
    """Player at another table -> seat of that player."""
    advice: Advice
    """Hints, ratings of moves (assist) and blunder warnings for people."""
    trouble: Message | None
    """The problem of a bot that has failed, or None."""
    thinking: str | None
    """The player for whom a bot is thinking, or None."""

    def __init__(
        self,
        pool: EnginePool,
        note: Note,
        seats: EngineSeats = NO_ENGINES,
        moves: tuple[str, ...] = (),
        assist: Assists = NO_ASSIST,
    ) -> None:
        """Set up the opponents of a game. ``moves``: moves that are already made."""
        self._pool = pool
        self._note = note
        self._moves = len(moves)  # Number of the game's moves after the last step.
        self.far = {p: seat for p, seat in seats.items() if seat.engine == FAR}
        self.seats = {p: seat for p, seat in seats.items() if p not in self.far}
        self.advice = Advice(note, assist, moves)
        self.trouble = None
        self.thinking = None
        self._unsaved = False
        self._chosen: tuple[MakeMove, Thought] | None = None  # The last move that a bot requested.
        self._answer: Thought | None = None  # The last move of a bot that was played.
        # The task whose move an engine has found and people are carrying out on the board.
        self._given: EngineTask | None = None
        self._stuck: EngineTask | None = None  # The task for which no engine found a move.
        # Player -> score (0 to 1) that the player's bot expected when the bot last moved.
        self._expects: dict[str, float] = {}

    @property
    def names(self) -> Sequence[str]:
        """Names of the engines that can play."""
        return self._pool.names

    @property
    def everybody(self) -> EngineSeats:
        """Player -> the bot, or the player at another table, that plays for this player."""
        return {**self.seats, **self.far}

    @property
    def moving(self) -> bool:
        """True while people carry out a bot's move on the board."""
        return self._given is not None

    def again(self) -> EngineSeats:
        """Return the same bots for another game, with their thinking times reset."""
        return {
            player: EngineSeat(seat.engine, seat.level, follows=seat.follows)
            for player, seat in self.seats.items()
        }

    def ask_hint(self, status: GameStatus, now_s: float, who: str | None = None) -> None:
        """Start an engine's search for a hint for the player to move. ``who``: the player who asks,
        or None for the table's own people. Raises NotPossibleError if no hint is possible.
        """
        if status.to_move in self.everybody or who not in (None, status.to_move):
            raise NotPossibleError("There is nothing to hint at now.")
        self.advice.ask_hint(status, now_s)

    def only_answered(self, status: GameStatus, player: str) -> bool:
        """Return whether one or more bots have moved since the last move of ``player``, and no
        other player has moved.
        """
        if status.game is None or status.phase not in (Phase.TURN, Phase.OVER):
            return False
        players, made = status.game.players, len(status.moves)
        movers = [players[ply % len(players)] for ply in range(made)]
        answers = list(takewhile(self.seats.__contains__, reversed(movers)))
        return 0 < len(answers) < made and movers[made - 1 - len(answers)] == player

    def may_assist(self, game: Game) -> bool:
        """Return whether an engine can rate every move of ``game``, so that assist is possible."""
        return bool(game.rules.every_move)

    def grant(self, game: Game, player: str, amount: int, *, sure: bool | None = None) -> None:
        """Set how much assist (rating of moves) ``player`` gets from now on. ``amount``: from 0
        (none) to 3. ``sure``: True to ask the player "are you sure?" after a blunder, False not to
        ask, None to keep the setting. Raises NotPossibleError.
        """
        check_players(game, {}, [player], ())
        if (amount or sure) and not self.may_assist(game):
            raise NotPossibleError("There is no assist in this game.")
        self.advice.grant(player, amount, sure=sure)

    def step(
        self,
        status: GameStatus,
        now_s: float,
        clock: ClockLeft | None = None,
        *,
        tells_ahead: bool = False,
    ) -> Sequence[GameRequest]:
        """Return the requests that the bots make after a step. ``clock``: the players' remaining
        time, or None without clocks. ``tells_ahead``: True if any page shows who is ahead.
        """
        self.thinking = None
        self.advice.tells_ahead = tells_ahead
        if self._unsaved:
            self._unsaved = not self._note(self.everybody, EventKind.ENGINES)
        self.advice.count(status, now_s)
        before, self._moves = self._moves, len(status.moves)
        agreed = self._draw_agreements(status)
        if agreed:
            return agreed
        position, player = status.position, status.to_move
        seat = None if player is None else self.seats.get(player)
        waits = self.advice.has_doubts(status, now_s)
        game_id = status.game_id
        if position is None or player is None or seat is None or game_id is None or waits:
            self._given = None
            self._think_meanwhile(status, now_s, clock)
            return ()
        plain = EngineSeat(seat.engine, seat.level)
        task = EngineTask(game_id, player, plain, status.moves, position, clock=clock)
        if len(status.moves) < before:
            back = self._undo_requests(status)
            # Keep the task whose move was taken back, unless the person's move is now taken back,
            # too.
            self._given = None if back else self._given
            return back
        if status.phase is not Phase.TURN:
            return ()
        if _is_same(self._given, task):
            self._given = None
            self._pool.think(None)
            return self._undo_requests(status)  # The bot's move was undone before it was complete.
        thought = self._pool.think(task)
        if thought is None:
            self.thinking = player
            return ()
        if _is_same(self._stuck, task):
            return ()
        self.trouble = thought.trouble
        if thought.info.value is not None:
            self._expects[player] = expected_score(thought.info.value)
        if thought.move is None:
            self._stuck = task  # No engine has a move, so a person plays for the bot.
            return ()
        move = MakeMove(thought.move, game=status.game_id, step=status.step)
        self._chosen = move, thought
        return (move,)

    def carried_out(self, request: GameRequest) -> None:
        """If ``request`` is a bot's move, record the engine that found the move and its thinking
        time.
        """
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

    def _think_meanwhile(self, status: GameStatus, now_s: float, clock: ClockLeft | None) -> None:
        """Let engines work during a person's turn. The engines look for a hint or rate moves for
        that person. Otherwise they think ahead about the expected reply (pondering).
        """
        task = None
        if status.to_move is not None:
            task = self.advice.task(status, now_s, here=status.to_move not in self.far)
        thought = self._pool.think(task or self._pondering_task(status, clock))
        if task is not None and thought is not None:
            self.advice.take(thought, now_s)

    def _pondering_task(self, status: GameStatus, clock: ClockLeft | None) -> EngineTask | None:
        """Return the engine task that thinks ahead about the expected reply to a bot's move
        (pondering), or None if thinking ahead is useless.
        """
        answer, position = self._answer, status.position
        if answer is None or position is None or status.outcome is not None:
            return None
        task, line = answer.task, answer.info.line
        seat = self.seats.get(task.player)
        stands = (*task.moves, answer.move) == status.moves
        if seat is None or not stands or len(line) < 2 or line[0] != answer.move:
            return None
        # Extra thinking time does not make a bot of a weak level stronger.
        weak = seat.engine == OURS and seat.level < STRONGEST
        if weak or line[1] not in position.legal():
            return None
        after = position.after(line[1])
        if after.to_move != task.player:
            return None
        plain, moves = EngineSeat(seat.engine, seat.level), (*status.moves, line[1])
        return EngineTask(task.game_id, task.player, plain, moves, after, Purpose.PONDER, clock)

    def _draw_agreements(self, status: GameStatus) -> Sequence[GameRequest]:
        """Return the requests with which bots accept an open draw offer. A bot accepts if it
        expected a low score when it last moved.
        """
        silent = self.seats.keys() - {*status.draw_offers} if status.draw_offers else ()
        willing = [p for p in sorted(silent) if self._expects.get(p, 1.0) < ACCEPTED]
        return [OfferDraw(player, game=status.game_id) for player in willing]

    def _undo_requests(self, status: GameStatus) -> Sequence[GameRequest]:
        """Return the request to take back a person's move, after the bot's reply to this move was
        taken back. The result is empty if only bots play or no move is left.
        """
        made = len(status.moves)
        people = status.game is not None and set(status.game.players) - self.everybody.keys()
        if not people or not made:
            return ()
        return (TakeBack(made - 1, game=status.game_id, step=status.step),)

    def shown(self, status: GameStatus) -> GameStatus:
        """Return ``status`` (the state of the game) with messages about the bots, and with hints
        and assist for people.
        """
        status, given = self.advice.shown(status), self._given
        say: Message | None = None
        if given is not None and status.phase is Phase.SETTLE:
            if self._answer is not None and self._answer.move == SWAP:
                say = self._swap(status, given.player)
            say = say or text(
                "{player} has moved. {todo}",
                player=phrases.player(given.player),
                todo=status.say,
            )
        elif status.phase is Phase.TURN:
            offers, thinks = status.draw_offers, self.thinking
            others = [each for each in self.seats if each != status.to_move]
            declines = sorted(self.seats.keys() - {*offers}) if offers else []
            if declines:
                say = text(
                    "{player} turns the draw down. {todo}",
                    player=phrases.player(declines[0]),
                    todo=status.say,
                )
            elif thinks is not None:
                return self._thinking(status, thinks)
            elif others and status.moves[-1:] == (SWAP,):
                say = self._swap(status, others[0])
        return status if say is None else replace(status, say=say)

    def _thinking(self, status: GameStatus, player: str) -> GameStatus:
        last = {place: role for place, role in status.roles.items() if role is Role.LAST}
        seat, who = self.seats[player], phrases.player(player)
        say = text("{player} ({engine}) is thinking…", engine=seat.engine, player=who)
        if seat.engine == OURS:
            say = text("{player} is thinking…", player=who)
        return replace(status, say=say, roles=last, tint={}, path=(), swap_legal=False)

    def _swap(self, status: GameStatus, player: str) -> Message | None:
        """Return the message that the bot ``player`` has taken over the person's piece by the swap
        move. Return None unless the game has exactly two players.
        """
        if status.game is None or status.position is None or len(status.game.players) != 2:
            return None
        [(place, _), *_] = status.position.cells.items()
        (mine,) = [each for each in status.game.players if each != player]
        return text(
            "{player} swaps: your {piece} on {place} is {owner}'s now. {said}",
            player=phrases.player(player).capitalised(),
            piece=phrases.piece(status.game.name, mine),
            place=place,
            owner=phrases.player(player),
            said=status.say,
        )

    def stop(self) -> None:
        """Stop every engine that is thinking about this game."""
        self._pool.think(None)


def _is_same(one: EngineTask | None, other: EngineTask) -> bool:
    """Return whether two tasks of one game ask for the same move, even if the engines differ."""
    return one is not None and (one.player, one.moves) == (other.player, other.moves)
