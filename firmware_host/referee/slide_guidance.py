"""Guidance for tilting the plate so that a tile slides to its place."""

from __future__ import annotations

from math import degrees, hypot, radians

from msgspec.structs import replace

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.state import RefereeState
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.sight import Stillness
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.base import Turn

# Minimum, recommended and maximum tilt for a sliding tile, in degrees. A PTFE ring (a low-friction
# foot) starts to slide at 9 degrees, and the pull of a neighbouring magnet adds one degree. Above
# 12 degrees, a tile pushes other tiles from their places (docs/physics.md).
MIN_DEG, AIM_DEG, MAX_DEG = 10, 11, 12
_SLACK_RAD = radians(0.5)
RAISE = {
    "left": text("Raise the left side"),
    "right": text("Raise the right side"),
    "top": text("Raise the top side"),
    "bottom": text("Raise the bottom side"),
}
# Maximum sideways part of the tilt, as a fraction of the whole tilt. The value corresponds to a
# direction that is 8 degrees off the path. If the sideways part is larger, a peg can catch the
# tile.
_STRAIGHT = 0.14
_TURNS_RAD = radians(3.0)  # Minimum tilt, in radians, at which the direction of the tilt is clear.


def sliding(state: RefereeState) -> tuple[Turn, bool] | None:
    """Return two values: the move whose tile is sliding, and True if the tile has arrived but the
    plate is not level yet. Return None if no tile slides.
    """
    pending, sight = state.play.pending, state.seen.sight
    if not state.tilts or state.trouble is not None or sight.faults or pending is None:
        return None
    turn = pending.turn
    entrance, way = turn.entrance, turn.path
    if entrance is None or entrance.side not in RAISE or len(way) < 2:
        return None
    kind = turn.act[0].piece
    cells, stood = state.cells, state.play.line.position.cells
    changed = {
        place for place in cells.keys() | stood.keys() if cells.get(place) != stood.get(place)
    }
    there = changed == {way[-1]} and cells.get(way[-1]) == kind
    level = sight.stillness is Stillness.STILL
    seen = len(changed) == 1 and changed <= {*way} and kind in map(cells.get, changed)
    under_way = seen or (not changed and not level)
    return (turn, there) if under_way and not (there and level) else None


def leaning(state: RefereeState) -> RefereeState:
    """Return the state. If a tile slides, the view of the returned state has instructions for
    tilting.
    """
    slide, view = sliding(state), state.view
    if slide is None or (view.question is not None and not view.question.offer):
        return state
    turn, there = slide
    entrance, sight, say = turn.entrance, state.seen.sight, view.say
    if entrance is None:
        return state
    columns, rows = entrance.fall
    raises = RAISE[entrance.side]
    piece = phrases.piece(state.play.line.game.name, turn.act[0].piece)
    if view.phase is not Phase.PAUSED:
        said = {"said": say, "raise": raises, "piece": piece}
        say = text("{said} {raise} until the {piece} slides, or do it by hand.", **said)
    elif sight.ready and there:
        say = text(
            "The {piece} is on {place}: level the plate, and secure it.",
            piece=piece,
            place=turn.path[-1],
        )
    elif sight.ready:
        x_rad, y_rad = sight.tilt_rad
        along, across = y_rad * columns - x_rad * rows, abs(y_rad * rows + x_rad * columns)
        say = _tilt_say(along, across, raises, piece)
    if view.phase is Phase.PAUSED:
        way = () if there else turn.path
        view = replace(view, path=way, path_colour=entrance.colour)
    aim = 0.0 if there else radians(AIM_DEG)  # Recommended tilt, in radians.
    return replace(state, view=replace(view, say=say, lean_rad=(-rows * aim, columns * aim)))


def _tilt_say(along: float, across: float, raises: Message, piece: Message) -> Message:
    """Return the instruction that fits the plate's present tilt. ``along``: the part of the tilt
    along the tile's path, in radians. ``across``: the part of the tilt across the path, in radians.
    ``raises``: the instruction that names the side of the plate to raise. ``piece``: the name of
    the sliding piece.
    """
    lean = hypot(along, across)
    if lean > _TURNS_RAD and (along < 0 or across > _STRAIGHT * lean):
        return text("{raise} and no other.", **{"raise": raises})
    if along < radians(MIN_DEG) - _SLACK_RAD:
        now = {"raise": raises, "now": round(degrees(along)), "least": MIN_DEG}
        return text("{raise} further: {now} of {least} degrees.", **now)
    if along > radians(MAX_DEG) + _SLACK_RAD:
        return text("Not so steep: {most} degrees at most.", most=MAX_DEG)
    return text("Hold the plate so: the {piece} slides.", piece=piece)
