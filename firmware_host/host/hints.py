"""The help that people get with their own moves: hints on request, and assist (ratings of moves)
for each player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import (
    MOST,
    NOTHING,
    WARNS,
    AssistLevel,
    Assists,
    EngineSeat,
)
from tiltboard.firmware_host.engines.analysis import Judgement, TurningPoint
from tiltboard.firmware_host.engines.engine_pool import EngineTask, Purpose, Thought
from tiltboard.firmware_host.engines.search.limits import STRONGEST, SURE, expected_score
from tiltboard.firmware_host.journal.records import EventKind, Note
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.status import GameStatus, Phase, Quality, Role
from tiltboard.games.base import Game, GameType, Position, Turn
from tiltboard.games.registry import GAMES

HINT_S = 10.0  # Duration for which a hint is shown, in seconds.
SURE_S = 10.0  # Maximum time for which a bot waits for the answer to "are you sure?", in seconds.
# Maximum time for which a bot waits until an engine knows the cost of a move, in seconds.
_LATE_S = 3.0
# Maximum loss of expected score (0 to 1) of a good move and of a fair move, compared with the best
# move.
GOOD_LOST, FAIR_LOST = 0.04, 0.2

_ADVISER = EngineSeat(level=STRONGEST)


@dataclass(slots=True)
class Hint:
    """A hint that a player has asked for."""

    task: EngineTask
    """The engine task that finds the hint. The task includes the position that the hint is for."""
    until_s: float
    """Time at which the hint disappears, in seconds."""
    turn: Turn | None = None
    """The suggested move, or None while an engine is looking for a move."""
    why: tuple[str, int, str] | None = None
    """The reason for the move, or None if the engine knows no reason."""


class BlunderWarning:
    """Asks a player "are you sure?" after a costly move, at most once per position."""

    late: EngineTask | None
    """If an engine still has to compute the cost of the last move: the engine task for the position
    before that move. Otherwise None.
    """
    said: Message | None
    """The question "are you sure?" while it is asked, or None."""

    def __init__(self) -> None:
        self.late = self.said = None
        self._moves: tuple[str, ...] = ()
        self._until_s = 0.0
        # Positions in which a player was already asked "are you sure?". Each position is given by
        # the moves that led to it.
        self._asked: set[tuple[str, ...]] = set()

    def is_pending(self, status: GameStatus, now_s: float) -> bool:
        """Return whether the question "are you sure?" is shown now, or may still follow once an
        engine knows the move's cost.
        """
        if now_s > self._until_s or (self.late and status.outcome is not None):
            self.late = None
        if now_s > self._until_s or self._moves != status.moves:
            self.said = None
        return self.late is not None or self.said is not None

    def dismiss(self) -> None:
        """End the question "are you sure?", because the player intended the move."""
        self.late = self.said = None

    def said_of(self, moves: tuple[str, ...]) -> Message | None:
        """Return the question "are you sure?" if it is being asked about the last of ``moves``, or
        None.
        """
        return self.said if moves == self._moves else None

    def judge(
        self,
        before: EngineTask,
        moves: tuple[str, ...],
        values: Mapping[str, int] | None,
        now_s: float,
    ) -> None:
        """Ask "are you sure?" if the last of ``moves`` was costly, at most once per position.
        ``before``: engine task for the position before the last move. ``values``: value of each
        move in that position, or None if an engine is still computing the values.
        """
        if before.moves in self._asked:
            return
        if values is None:
            self.late, self._until_s = before, now_s + _LATE_S
            return
        made, best = values.get(moves[-1]), max(values.values(), default=0)
        if made is None:
            return
        lost = expected_score(best) - expected_score(made)
        loses = made <= -SURE < best
        if not loses and lost < FAIR_LOST:
            return
        labels = before.position.game.labels
        cost = {"player": phrases.player(before.player), "move": labels.get(moves[-1], moves[-1])}
        said = text(
            "Are you sure, {player}? {move} gives away {lost} % of the game. Take it back, or go"
            " on.",
            lost=round(100 * lost),
            **cost,
        )
        if loses:
            said = text(
                "Are you sure, {player}? After {move} the other side can force a win. Take it back,"
                " or go on.",
                **cost,
            )
        self._asked.add(before.moves)
        self.said, self._moves, self._until_s = said, moves, now_s + SURE_S


class Advice:
    """Hints, assist and warnings for the people of one game.

    Not thread-safe: call from the table thread only.
    """

    assist: Assists
    """Player -> amount of assist, and number of moves made with assist."""
    trouble: Message | None
    """The reason why there is no assist, or None."""
    tells_ahead: bool
    """True if any page shows who is ahead."""

    def __init__(self, note: Note, assist: Assists, moves: tuple[str, ...]) -> None:
        """Set up the help for a game. ``moves``: moves that are already made."""
        self._note = note
        self.assist = assist
        self.trouble = None
        self.tells_ahead = False
        self._unsaved = False
        self._stands = moves  # The game's moves after the last step.
        self._position: Position | None = None
        self._hint: Hint | None = None
        self._warning = BlunderWarning()
        self._values: tuple[EngineTask, Mapping[str, int]] | None = None
        self._shown: tuple[GameStatus, object, GameStatus] | None = None

    def grant(self, player: str, amount: int, *, sure: bool | None = None) -> None:
        """Set how much assist ``player`` gets from now on. ``sure``: True to ask the player "are
        you sure?" after a blunder, False not to ask, None to keep the setting.
        """
        before = self._of(player)
        now = AssistLevel(amount, before.plies, before.sure if sure is None else sure)
        if now != before:
            self.assist = {**self.assist, player: now}
            self._unsaved, self.trouble = True, None

    @property
    def asks_if_sure(self) -> Sequence[str]:
        """Players who want to be asked after a blunder."""
        return [player for player, each in self.assist.items() if each.sure]

    def has_doubts(self, status: GameStatus, now_s: float) -> bool:
        """Return whether a blunder warning is shown or may still follow, so that bots must wait."""
        return self._warning.is_pending(status, now_s)

    @property
    def doubting(self) -> bool:
        """True if a player is asked "are you sure?"."""
        return self._warning.said is not None

    def dismiss_warning(self) -> None:
        """Accept that the player intended the last move, and end the question "are you sure?"."""
        self._warning.dismiss()

    @property
    def hinting(self) -> bool:
        """True while an engine is looking for a hint."""
        return self._hint is not None and self._hint.turn is None

    def ask_hint(self, status: GameStatus, now_s: float) -> None:
        """Start an engine's search for a hint for the player to move. Raises NotPossibleError if no
        hint is possible.
        """
        task = _task(status, Purpose.HINT)
        if task is None:
            raise NotPossibleError("There is nothing to hint at now.")
        self._hint = Hint(task, now_s + HINT_S)

    def task(self, status: GameStatus, now_s: float, *, here: bool) -> EngineTask | None:
        """Return the next engine task that helps the player to move. Return None if there is no
        task or the task's result is known. ``here``: True if that player is at this table.
        """
        hint = self._hint
        if hint is not None:
            shown = hint.turn is not None
            if hint.task.moves != status.moves or (shown and now_s > hint.until_s):
                self._hint = None
            elif not shown:
                return hint.task
        if self._warning.late is not None:
            return self._warning.late
        task = _task(status, Purpose.VALUES)
        if task is None or self._known(task) is not None:
            return None
        tells = here and self.tells_ahead and _sides(task.position.game) == 2
        wanted = tells or self._of(task.player).sure or self._amount(status) != NOTHING
        return task if wanted else None

    def ahead(self, status: GameStatus) -> dict[str, float] | None:
        """Return each player's expected score, from 0 to 1, in the last position that an engine has
        rated. Return None if no page shows the score, or no engine has rated a position.
        """
        if not self.tells_ahead or self._values is None or status.outcome is not None:
            return None
        task, values = self._values
        game = task.position.game
        if not values or _sides(game) != 2:
            return None
        share = Judgement(max(values.values())).share
        side = next((team for team in game.teams if task.player in team), (task.player,))
        return {each: round(share if each in side else 1 - share, 2) for each in game.players}

    def take(self, thought: Thought, now_s: float) -> None:
        """Store the result of an engine's task: a hint, or the values of moves."""
        task, why_not = thought.task, thought.trouble
        if task.purpose is not Purpose.VALUES:
            self.trouble, self._hint = why_not, None
            if thought.move is not None:
                turn = task.position.play(thought.move)
                self._hint = Hint(task, now_s + HINT_S, turn, thought.why)
        elif self._warning.late == task:
            self._warning.late = None
            self._warning.judge(task, self._stands, thought.values, now_s)
        else:
            self._values = task, thought.values
            if why_not is not None and not thought.values:
                why_not = text("There is no assist: {why}", why=why_not)
            self.trouble = why_not

    def count(self, status: GameStatus, now_s: float) -> None:
        """Count the moves that were made with assist, except moves taken back. Ask "are you sure?"
        if the last move was costly.
        """
        moves, before, position = status.moves, self._stands, self._position
        self._stands, self._position = moves, status.position
        if moves != before:
            self._warning.late = None
            last = _task_of(status.game_id, before, position) if moves[:-1] == before else None
            values = None if last is None else self._known(last)
            assist = {}
            for player, each in self.assist.items():
                plies = tuple(ply for ply in each.plies if ply <= len(moves))
                if last is not None and player == last.player and values and each.amount:
                    plies = (*plies, len(moves))
                assist[player] = replace(each, plies=plies)
            self._unsaved |= self.assist != assist
            self.assist = assist
            knows = values is not None or status.outcome is None
            if last is not None and self._of(last.player).sure and knows:
                self._warning.judge(last, moves, values, now_s)
        if self._unsaved:
            self._unsaved = not self._note(self.assist, EventKind.ASSIST)

    def shown(self, status: GameStatus) -> GameStatus:
        """Return ``status`` (the state of the game) with the current hint, blunder warning or
        assist, if any.
        """
        turn = status.phase is Phase.TURN
        hint, doubt = self._hint, self._warning.said_of(status.moves)
        if hint is not None and not (turn and hint.turn and hint.task.moves == status.moves):
            hint = None
        if doubt is not None and hint is None:
            return replace(status, say=doubt) if turn else status
        key = hint and hint.turn, self._values, self._amount(status)
        if self._shown is None or self._shown[:2] != (status, key):
            self._shown = status, key, self._with_help(status, hint)
        return self._shown[2]

    def _with_help(self, status: GameStatus, hint: Hint | None) -> GameStatus:
        if status.outcome is not None and status.game is not None:
            said, players = status.say, status.game.players
            for at, player in enumerate(players):
                plies = self._of(player).plies
                if plies:
                    said = text(
                        "{said} {player} had assist for {moves} of {all} moves.",
                        said=said,
                        player=phrases.player(player).capitalised(),
                        moves=len(plies),
                        all=len(range(at, len(status.moves), len(players))),
                    )
            return replace(status, say=said)
        if hint is not None and hint.turn is not None:
            why = None if hint.why is None else phrases.why(hint.turn, hint.why)
            return with_hint(status, hint.turn, why)
        amount = self._amount(status)
        task = _task(status, Purpose.VALUES) if amount else None
        values = None if task is None else self._known(task)
        if task is None or not values:
            return status
        quality, landings = qualities(task.position, values, amount)
        lit = {**status.roles, **dict.fromkeys(landings & quality.keys(), Role.LEGAL)}
        return replace(status, quality=quality, roles=lit)

    def _of(self, player: str) -> AssistLevel:
        return self.assist.get(player, AssistLevel())

    def _amount(self, status: GameStatus) -> int:
        """Return the amount of assist that the player to move gets now."""
        turn = status.phase is Phase.TURN and status.question is None
        mover = status.to_move
        return NOTHING if mover is None or not turn else self._of(mover).amount

    def _known(self, task: EngineTask) -> Mapping[str, int] | None:
        known = self._values
        return known[1] if known is not None and known[0] == task else None


def _sides(game: Game) -> int:
    return len(game.teams or game.players)


def _task(status: GameStatus, purpose: Purpose) -> EngineTask | None:
    """Return the engine's task for the player to move, or None if no engine can help."""
    if status.to_move is None or status.phase is not Phase.TURN:
        return None
    return _task_of(status.game_id, status.moves, status.position, purpose)


def _task_of(
    game_id: int | None,
    moves: tuple[str, ...],
    position: Position | None,
    purpose: Purpose = Purpose.VALUES,
) -> EngineTask | None:
    """Return the engine's task for a position, or None for a lesson or a game that no engine can
    play.
    """
    if position is None or game_id is None or not position.game.rules.every_move:
        return None
    return EngineTask(game_id, position.mover, _ADVISER, moves, position, purpose)


def qualities(
    position: Position, values: Mapping[str, int], amount: int
) -> tuple[dict[str, Quality], set[str]]:
    """Return two values: ratings of moves compared with the best move, and the places to which a
    piece on the board can be moved.

    The ratings map each move, and each place where a move ends, to a quality. A place gets the best
    quality of its moves. There are no ratings if all moves are equally good. ``values``: move ->
    value. ``amount``: amount of assist, which determines the ratings to show.
    """
    best = max(values.values())
    found: dict[str, Quality] = {}
    for move, value in values.items():
        lost = expected_score(best) - expected_score(value)
        bad = lost > FAIR_LOST or value <= -SURE < best
        fair = lost > GOOD_LOST or value < SURE <= best
        quality = Quality.BAD if bad else Quality.FAIR if fair else Quality.GOOD
        if amount > WARNS or quality is Quality.BAD:
            found[move] = quality
    if set(found.values()) == {Quality.GOOD}:
        found = {}
    if amount == MOST:
        found[max(values, key=lambda move: values[move])] = Quality.BEST
    landings: set[str] = set()
    by_place: dict[str, list[Quality]] = {}
    for move in position.legal() if found else ():
        put = next(shift for shift in position.play(move).act if shift.target is not None)
        place = put.target or ""
        if put.source is not None:
            landings.add(place)
        if put.source is not None or place not in position.cells:
            by_place.setdefault(place, []).append(found.get(move, Quality.FAIR))
    for place, kinds in by_place.items():
        nicest = min(kinds, key=list(Quality).index)
        if amount > WARNS or nicest is Quality.BAD:
            found[place] = nicest
    return found, landings


def with_hint(status: GameStatus, hint: Turn, why: Message | None = None) -> GameStatus:
    """Return ``status`` (the state of the game) with lights and a sentence that suggest the move
    ``hint``. ``why``: the reason for the suggestion, or None.
    """
    places = {place for s in hint.act for place in (s.source, s.target) if place is not None}
    said = phrases.hint(hint.player, hint.move, why)
    return replace(status, say=said, roles=dict.fromkeys(places, Role.LEGAL), path=hint.path)


def turning_point(point: TurningPoint, game: Game) -> Message:
    """Return the sentence about a costly move that let the opponent win, or that missed a win."""
    labels = game.labels
    better = labels.get(point.better[0], point.better[0]) if point.better else None
    made: dict[str, object] = {
        "player": phrases.player(point.player).capitalised(),
        "move": labels.get(point.move, point.move),
        "better": better,
    }
    if point.proven == "missed" and better is not None:
        if point.turns <= 1:
            return text("{player} {move}: {better} wins immediately.", **made)
        return text("{player} {move}: {better} wins in {count} turns.", count=point.turns, **made)
    if point.proven == "lets":
        [other] = [each for each in game.players if each != point.player]
        known = GAMES.get(game.name)
        lets = GameType.lets if known is None else known.lets
        said = Message(lets, {**made, "winner": phrases.player(other)})
        if better is None:
            return text("{said}.", said=said)
        return text("{said}; {better} would have stopped it.", said=said, better=better)
    made |= {"before": round(100 * point.before), "after": round(100 * point.after)}
    if better is None:
        return text(
            "{player} {move}: from {before} % to {after} %, further than could be seen.", **made
        )
    return text("{player} {move}: from {before} % to {after} %. {better} was better.", **made)
