"""The snapshot's groups `players` and `learning`: who plays, and what helps people to learn."""

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
from tiltboard.firmware_host.table.standing import Standing


class PlayersGroup(msgspec.Struct, frozen=True):
    """The players of the game."""

    names: dict[str, Message]
    """Player -> the name of the person or the bot."""
    phones: list[str]
    """Players with a device at their seat."""
    engines: dict[str, EngineSeat]
    """Player -> the bot that plays."""
    thinking: str | None
    """The player for whom a bot thinks now, or None."""
    clock: ClockInfo | None
    """The players' clocks, or None without."""
    figures: dict[str, int]
    """Player -> the number that the game counts (``GameInfo.figure``)."""
    draw_offers: list[str]
    """Players who offer a draw until the next move."""
    assist: dict[str, int]
    """Player -> amount of assist, 0 to 3."""
    may_assist: bool
    """Whether the game has assist."""
    asks_if_sure: list[str]
    """Players who want to be asked after a blunder."""

    @classmethod
    def of(
        cls,
        standing: Standing,
        names: Mapping[str, Message],
        opponents: Opponents,
        clock: GameClock,
        phones: Iterable[str],
    ) -> PlayersGroup:
        """Return the group of a game. ``names``: player -> the name of the person or the bot.
        ``phones``: players at whose seats devices are.
        """
        position, advice = standing.position, opponents.advice
        return cls(
            names=dict(names),
            phones=list(phones),
            engines=dict(opponents.seats),
            thinking=opponents.thinking,
            clock=clock.shown(),
            figures={} if position is None else dict(position.figures),
            draw_offers=list(standing.draw_offers),
            assist={player: each.amount for player, each in advice.assist.items()},
            may_assist=standing.game is not None and opponents.may_assist(standing.game),
            asks_if_sure=list(advice.asks_if_sure),
        )


class LearningGroup(msgspec.Struct, frozen=True):
    """Lessons, hints, free play and demonstrations."""

    lesson: LessonProgress | None
    """Progress of the lesson or puzzle, or None during a game."""
    hinting: bool
    """Whether a bot looks for a hint."""
    doubting: bool
    """Whether a player is being asked "are you sure?"."""
    quality: dict[str, str]
    """Place, or slot -> the worth of a move there (best, good, fair, bad), while the player to move
    is shown it."""
    ahead: dict[str, float] | None
    """Player -> expected share of the game, 0 to 1; None while no page shows it, or nothing is
    known."""
    told: list[Message]
    """The effects of the last move, in sentences."""
    happened: list[Happened]
    """The last events in free play, oldest first."""
    attract: dict[str, str] | None
    """Place -> piece of the demonstration game on an idle table; None while somebody is there."""

    @classmethod
    def of(
        cls,
        standing: Standing,
        names: Mapping[str, Message],
        lesson: LessonSession | None,
        advice: Advice,
        *,
        happened: Iterable[Happened],
        scene: Mapping[str, str] | None,
    ) -> LearningGroup:
        """Return the group. ``names``: player -> the name of the person or the bot, for the
        sentences. ``scene``: place -> piece of a demonstration.
        """
        last = standing.last
        return cls(
            lesson=None if lesson is None else lesson.progress(standing),
            hinting=advice.hinting,
            doubting=advice.doubting,
            quality={what: each.value for what, each in standing.quality.items()},
            ahead=advice.ahead(standing),
            told=[] if last is None else [each.with_names(names) for each in reasons(last)],
            happened=list(happened),
            attract=None if scene is None else dict(scene),
        )
