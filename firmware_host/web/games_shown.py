"""What a page is told of the games there are, in a visitor's language, and of their puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmware_host.config.profile import Capabilities
from firmware_host.engines.puzzles import daily, exercises
from firmware_host.engines.search.limits import waits_s
from firmware_host.host import playing
from firmware_host.messages import Catalogue, Message
from firmware_host.service.publish import look_info
from firmware_host.web import answers
from games.base import GameType


def game(kind: GameType, able: Capabilities, spoken: Catalogue) -> answers.GameKind:
    """A game to choose, in words, with the presets and options that a table so ``able`` has."""

    def translate(english: str) -> str:
        return spoken.translate(Message(english))

    presets = playing.presets_for(kind, able)
    players = [list(kind.create(preset.options).players) for preset in presets]
    return answers.GameKind(
        name=kind.name,
        credit=replace(kind.credit, notice=translate(kind.credit.notice)),
        aim=translate(kind.aim),
        rules=[translate(paragraph) for paragraph in kind.rules_summary],
        presets=[
            replace(
                preset,
                choices={translate(q): translate(a) for q, a in preset.choices.items()},
            )
            for preset in presets
        ],
        seated=kind.seated,
        lesson=kind.lesson is not None,
        emblem={piece: look_info(kind, piece) for piece in kind.emblem},
        players=players,
        waits=[] if kind.seated else list(waits_s(kind.create({}))),
        looks={
            each: look_info(kind, each) for seats in players for each in seats if not kind.seated
        },
        options=[
            replace(
                option,
                label=translate(option.label or option.name),
                help=translate(option.help),
                choice_labels=tuple(map(translate, option.choice_labels)),
            )
            for option in playing.options_for(kind, able)
        ],
    )


def puzzles(kinds: Sequence[GameType], day: int) -> list[answers.GamePuzzles]:
    """Those of each game that has some, and which is today's; ``day``: its ordinal."""
    found = {kind.name: exercises(kind.name) for kind in kinds}
    return [
        answers.GamePuzzles(
            name, daily(name, day), [answers.PuzzleKind(each.kind, each.turns) for each in those]
        )
        for name, those in found.items()
        if those
    ]
