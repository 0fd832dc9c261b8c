"""The sentences and the lights of a game with private seats."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.seat_state import SeatState
from tiltboard.firmware_host.table import problem_messages
from tiltboard.firmware_host.table.status import GameStatus, Phase, Role
from tiltboard.firmware_host.table.zones import ZoneOverlay
from tiltboard.games.base import Outcome, Position
from tiltboard.games.seated import Phrase, SeatedGame, Several, Words

NAMES: Mapping[str, Message] = {
    "red": text("Red"),
    "blue": text("Blue"),
    "white": text("White"),
    "green": text("Green"),
    "yellow": text("Yellow"),
    "black": text("Black"),
}
_ZONE = re.compile("zone ([1-8])")


def name(player: str) -> Message:
    """Return a player's name with a capital letter, such as "Red"."""
    return NAMES.get(player, Message(player))


def sentence(words: Words) -> Message:
    """Return a sentence of the game as a message, with the names of players and zones
    translated.
    """
    template, params = words
    return Message(template, {key: _word(value) for key, value in params.items()})


def _word(value: object) -> object:
    match value:
        case Phrase():
            return sentence((value.template, value.params))
        case Several(words, joint):
            *others, said = map(_word, words)
            for each in reversed(others):
                said = Message(f"{{one}}{joint}{{others}}", {"one": each, "others": said})
            return said
        case str() if "{" not in value and "}" not in value:
            zone = _ZONE.fullmatch(value)
            return name(value) if zone is None else text("zone {zone}", zone=zone[1])
    return value


def over(outcome: Outcome) -> Message:
    """Return the sentence that names the winners."""
    winners = outcome.extra.get("winners", [])
    if len(winners) == 1:
        return text("{winner} wins with the most points!", winner=name(winners[0]))
    if outcome.team is not None:
        return text("{winners} win together, with the most points!", winners=_all(winners))
    return text("{winners} share the victory.", winners=_all(winners))


def _all(players: list[str]) -> Message:
    first, *rest = players
    return text("{one} and {others}", one=name(first), others=_all(rest)) if rest else name(first)


# Colours of the lit zone if one challenge, or more than one challenge, makes the move harder.
HARDER = ("orange", "purple")


def lights(
    game: SeatedGame, position: Position, overlay: ZoneOverlay, left: int | None
) -> tuple[Mapping[str, Role], Mapping[str, tuple[str, ...]]]:
    """Return the role of each lit place, and the colours of the places with the role LEGAL.
    ``left``: seconds left of a count of five seconds, or None.

    The zone of the turn is lit, in another colour if challenges make the move harder. The middle
    alternates between the colours of the players who must move. During a count, one light at the
    rim blinks for each second left.
    """
    if position.over:
        return dict.fromkeys(overlay.middle, Role.WIN), {}
    roles: dict[str, Role] = {}
    tint: dict[str, tuple[str, ...]] = {}
    forced = min(game.forced(position), len(HARDER))
    for zone in game.lit(position):
        for place in overlay.zones[zone]:
            roles[place] = Role.LEGAL
            if forced:
                tint[place] = (HARDER[forced - 1],)
    awaited = tuple(each for each in position.awaiting if each in game.players)
    # If a random draw comes next, light the middle in the colour of the player who rolls.
    awaited = awaited or (position.mover,)
    for place in overlay.middle:
        roles[place], tint[place] = Role.LEGAL, awaited
    for zone in list(overlay.zones)[: left or 0]:
        roles[overlay.zones[zone][-1]] = Role.LIFT
    return roles, tint


def status(state: SeatState) -> GameStatus:
    """Return the state of a game with private seats in the form that lights, page and scenarios
    show.
    """
    line, position = state.line, state.position
    phase = Phase.OVER if position.over else Phase.TURN
    roles, tint = lights(state.game, position, state.overlay, state.counting)
    return GameStatus(
        phase=phase if state.trouble is None else Phase.PAUSED,
        to_move=position.to_move,
        game=state.game,
        game_id=line.game_id,
        position=position,
        moves=line.moves,
        roles=roles,
        piece_for={},
        shifts=(),
        say=_say(state),
        outcome=position.outcome,
        tint=tint,
        question=state.asking.question,
        can_take_back=state.moves_after_undo is not None,
        sounds=state.sounds,
        step=state.step,
    )


def _say(state: SeatState) -> Message:
    if state.trouble is not None:
        return problem_messages.part_missing([state.trouble])
    if state.asking.question is not None:
        return state.asking.question.ask
    if state.notice is not None:
        return state.notice
    if state.position.outcome is not None:
        return over(state.position.outcome)
    prompt = sentence(state.game.prompt(state.position))
    if state.counting is None:
        return prompt
    return text("{left}… {prompt}", left=state.counting, prompt=prompt)
