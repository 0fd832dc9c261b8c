"""A tile that gravity takes to where it belongs: how the plate is to be tilted for that.

The new tile stands on a slick ring, all others on their feet (docs/games/gravity-connect.md):
between the two slip angles only the new one slides. Any other way of bringing it there counts too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, hypot, radians

from msgspec.structs import replace

from firmware_host.guidance import tilting as words
from firmware_host.messages import Message
from firmware_host.referee.state import State
from firmware_host.table.observation import Stillness
from firmware_host.table.standing import Lean, Phase
from games.base import Entrance

# A ring of PTFE slips from 9 degrees on; a magnet's pull beside it is worth another one. Faster
# than at 12 a tile pushes others from their places (docs/physics.md).
LEAST_DEG, AIM_DEG, MOST_DEG = 10, 11, 12
_SLACK_RAD = radians(0.5)
_STRAIGHT = 0.14  # of the tilt, across its way: 8 degrees; a tile may get caught on a peg beyond
_TURNS_RAD = radians(3.0)  # below, no tilt has a way of its own


@dataclass(frozen=True, slots=True)
class Slide:
    """Of ``kind``, from ``entrance`` on to ``landing``. ``there``: it has come to it."""

    kind: str
    landing: str
    entrance: Entrance
    there: bool

    @property
    def lean_rad(self) -> Lean:
        """How the plate is to be held now."""
        columns, rows = self.entrance.fall
        aim = 0.0 if self.there else radians(AIM_DEG)
        return -rows * aim, columns * aim

    def say(self, game: str, tilt_rad: Lean) -> Message:
        """What is to be done with the plate, which is tilted so."""
        if self.there:
            return words.arrived(game, self.kind, self.landing)
        columns, rows = self.entrance.fall
        along = tilt_rad[1] * columns - tilt_rad[0] * rows
        across = abs(tilt_rad[1] * rows + tilt_rad[0] * columns)
        lean = hypot(along, across)
        if lean > _TURNS_RAD and (along < 0 or across > _STRAIGHT * lean):
            return words.straight(self.entrance.side)
        if along < radians(LEAST_DEG) - _SLACK_RAD:
            return words.further(self.entrance.side, round(degrees(along)), LEAST_DEG)
        if along > radians(MOST_DEG) + _SLACK_RAD:
            return words.less(MOST_DEG)
        return words.hold(game, self.kind)


def sliding(state: State) -> Slide | None:
    """Where a tile is on its way, or has come to its end on a plate that is not level yet."""
    pending, sight = state.play.pending, state.seen.sight
    if not state.tilts or state.trouble is not None or sight.faults or pending is None:
        return None
    entrance, way, kind = pending.turn.entrance, pending.turn.path, pending.turn.act[0].piece
    if entrance is None or entrance.side not in words.RAISE or len(way) < 2:
        return None
    cells, stood = state.cells, state.play.line.position.cells
    changed = {
        place for place in cells.keys() | stood.keys() if cells.get(place) != stood.get(place)
    }
    there = changed == {way[-1]} and cells.get(way[-1]) == kind
    level = sight.stillness is Stillness.STILL
    seen = len(changed) == 1 and changed <= {*way} and kind in map(cells.get, changed)
    if not (seen or (not changed and not level)) or (there and level):
        return None
    return Slide(kind, way[-1], entrance, there)


def leaning(state: State) -> State:
    """The view with what a slide asks for, if one is under way."""
    slide, view = sliding(state), state.view
    if slide is None or (view.question is not None and not view.question.offer):
        return state
    game = state.play.line.game.name
    if view.phase is Phase.PAUSED:
        pending = state.play.pending
        way = () if pending is None or slide.there else pending.turn.path
        say = slide.say(game, state.seen.sight.tilt_rad) if state.seen.sight.ready else view.say
        view = replace(view, say=say, path=way, path_colour=slide.entrance.colour)
    else:
        view = replace(view, say=words.slide(view.say, slide.entrance.side, game, slide.kind))
    return replace(state, view=replace(view, lean_rad=slide.lean_rad))
