"""The snapshot's groups `players` and `learning`: the players, and the help for people who
learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.host.engine_players import Opponents
from tiltboard.firmware_host.host.game_clock import ClockInfo, GameClock
from tiltboard.firmware_host.host.hints import Advice
from tiltboard.firmware_host.host.lessons import LessonProgress, LessonSession
from tiltboard.firmware_host.host.modes import Happened
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.preview import reasons
from tiltboard.firmware_host.table.status import GameStatus


class PlayersGroup(msgspec.Struct, frozen=True):
    """The part of a snapshot about the players of the game."""

    names: dict[str, Message]
    """Player -> name of the person or the bot."""
    phones: list[str]
    """Players with a device at their seat."""
    engines: dict[str, EngineSeat]
    """Player -> bot that plays for this player."""
    thinking: str | None
    """The player whose bot is thinking now, or None."""
    clock: ClockInfo | None
    """The players' clocks, or None for a game without clocks."""
    figures: dict[str, int]
    """Player -> number that the game counts for that player, such as a score (``GameInfo.figure``).
    """
    draw_offers: list[str]
    """Players who offer a draw, valid until the next move."""
    assist: dict[str, int]
    """Player -> amount of assist, 0 to 3."""
    may_assist: bool
    """True if assist (a rating of the legal moves) is possible in the game."""
    asks_if_sure: list[str]
    """Players who want to be asked "are you sure?" after a blunder."""

    @classmethod
    def of(
        cls,
        status: GameStatus,
        names: Mapping[str, Message],
        opponents: Opponents,
        clock: GameClock,
        phones: Iterable[str],
    ) -> PlayersGroup:
        """Return the group about the players of a game. ``names``: player -> name of the person or
        the bot. ``phones``: players with a device at their seat.
        """
        position, advice = status.position, opponents.advice
        return cls(
            names=dict(names),
            phones=list(phones),
            engines=dict(opponents.seats),
            thinking=opponents.thinking,
            clock=clock.shown(),
            figures={} if position is None else dict(position.figures),
            draw_offers=list(status.draw_offers),
            assist={player: each.amount for player, each in advice.assist.items()},
            may_assist=status.game is not None and opponents.may_assist(status.game),
            asks_if_sure=list(advice.asks_if_sure),
        )


class LearningGroup(msgspec.Struct, frozen=True):
    """The part of a snapshot about lessons, hints, free play and demonstrations."""

    lesson: LessonProgress | None
    """Progress of the lesson or puzzle, or None during a game."""
    hinting: bool
    """True if an engine is looking for a hint."""
    doubting: bool
    """True if a player is asked "are you sure?"."""
    quality: dict[str, str]
    """Place or slot -> rating (best, good, fair or bad) of the move to that place or through that
    slot, while the player to move gets assist.
    """
    ahead: dict[str, float] | None
    """Player -> expected score, from 0 to 1; None if no page shows the score, or no engine knows
    it.
    """
    told: list[Message]
    """Sentences about the effects of the last move."""
    happened: list[Happened]
    """The last events in free play, oldest first."""
    attract: dict[str, str] | None
    """Place -> piece of the demonstration game on an idle table, or None while a person is
    present.
    """

    @classmethod
    def of(
        cls,
        status: GameStatus,
        names: Mapping[str, Message],
        lesson: LessonSession | None,
        advice: Advice,
        *,
        happened: Iterable[Happened],
        scene: Mapping[str, str] | None,
    ) -> LearningGroup:
        """Return the group about learning. ``names``: player -> name of the person or the bot, used
        in the sentences. ``scene``: place -> piece of a demonstration, or None.
        """
        last = status.last
        return cls(
            lesson=None if lesson is None else lesson.progress(status),
            hinting=advice.hinting,
            doubting=advice.doubting,
            quality={what: each.value for what, each in status.quality.items()},
            ahead=advice.ahead(status),
            told=[] if last is None else [each.with_names(names) for each in reasons(last)],
            happened=list(happened),
            attract=None if scene is None else dict(scene),
        )
