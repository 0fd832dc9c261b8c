"""Requests that ask a person to carry out steps at a real table: the terminal, the instructions,
and the checks that the sensors detect each step.
"""

from __future__ import annotations

import math
import os
import select
from collections import deque
from collections.abc import Callable, Mapping

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import DualSwitchHall, MuxAdcHall, NodeHall
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.scenario.run import Act, SkippedError
from tiltboard.firmware_host.table import hands as h
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.buttons import LONG_PRESS_S
from tiltboard.firmware_host.table.sight import Happening, Stillness
from tiltboard.firmware_host.table.status import Asked, Role

# Fixed part of the tolerance for an angle that a person holds, in degrees. The fraction TILT_SLACK
# of the angle is added to this part.
TILT_SLACK_DEG = 1.0
TILT_SLACK = 0.25
REST_S = 0.5
# Maximum difference between the readings of a steady sensor, in mT. docs/add-a-board.md allows 0.2
# mT peak to peak, with steps of 0.054 mT.
NOISE_MT = 0.5
# Minimum change of a reading, in mT, that counts as a placed or removed piece. Readings of empty
# places change less than this, and every piece changes the reading by more.
CHANGE_MT = 0.7
# Time that is added to the time for which a person must hold a button, in seconds, because people
# count inexactly.
LONGER_S = 0.5
CLEAR = text("Take every piece off the plate.")

Seen = Callable[[], bool]


class Console:
    """The terminal on which a person reads instructions and types answers.

    ``write``: function that prints a line. ``replies``: the file descriptor from which answers are
    read, or None. If ``replies`` is None or at its end, there are no answers.
    """

    def __init__(self, write: Callable[[str], None], replies: int | None = None) -> None:
        self._write = write
        self._replies = replies
        self._typed = b""

    def tell(self, message: Message) -> None:
        """Show a message in the table's language."""
        self._write(f"> {message}")

    def reply(self) -> str | None:
        """Return the line typed since the last call, stripped and in lower case, or None if no line
        was typed. This method does not wait.
        """
        if self._replies is not None and select.select([self._replies], [], [], 0)[0]:
            got = os.read(self._replies, 4096)
            if not got:
                self._replies = None
            self._typed += got
        line, end, rest = self._typed.partition(b"\n")
        if not end:
            return None
        self._typed = rest
        return line.decode("utf-8", "replace").strip().lower()


def request(action: Act, host: Host) -> tuple[Asked, Seen]:
    """Return the instruction for a step, in words and lights, and a function that checks whether
    the sensors have detected the step. Raises SkippedError for a step that a person cannot do at
    this table, and TiltboardError for an impossible step.
    """
    profile, cells = host.profile, host.sight.cells
    match action:
        case h.Put(piece, place, offset_mm):
            host.overlay.magnet_of(piece)
            stands = _holds(host, place, piece, or_unsure=any(offset_mm))
            _check_free(place, cells)
            kind = phrases.piece(host.game.name, piece)
            say = put(kind, place, off_middle(profile, *offset_mm))
            return Asked(say, {place: Role.PUT}, {place: piece}), stands
        case h.Take(what):
            # In a scenario, a ``take`` step at a real table always names a place.
            place = str(what)
            empty = _holds(host, place, None)
            _piece_on(host, place)
            return Asked(take(place), {place: Role.REMOVE}), empty
        case h.Scatter(places):
            before = {place: _piece_on(host, place) for place in places}
            say = text(
                "Knock each of these pieces to a free place beside it: {places}.",
                places=", ".join(places),
            )
            return Asked(say, dict.fromkeys(places, Role.LIFT)), lambda: all(
                host.sight.cells.get(at) != was for at, was in before.items()
            )
        case h.Move(source, target) | h.Slide(source, target):
            piece, ends = _piece_on(host, source), {"source": source, "target": target}
            if target != source:
                _check_free(target, cells)
            say = text("Lift the piece on {source} and put it on {target}.", **ends)
            if isinstance(action, h.Slide):
                say = text("Slide the piece from {source} to {target} without lifting it.", **ends)
            asked = Asked(say, {source: Role.LIFT, target: Role.PUT}, {target: piece})
            return asked, _in_turn(_holds(host, source, None), _holds(host, target, piece))
        case h.Press() if profile.panel is None:
            raise SkippedError("This table has no buttons.")
        case h.Press(button, held_s):
            say = text("Press {button} and let go.", button=button)
            if held_s >= LONG_PRESS_S:
                held = f"{held_s + LONGER_S:g}"
                say = text("Hold {button} for {seconds} seconds.", button=button, seconds=held)
            return Asked(say), _in_turn(
                lambda: button in host.look.frame.pressed,
                lambda: button not in host.look.frame.pressed,
            )
        case h.Fault(name):
            pulled = plugs(profile)
            if name not in pulled:
                raise SkippedError(
                    "Nobody can make {name} by hand on this table, or should; the simulated one"
                    " can be broken so. By hand: {known}.",
                    name=name,
                    known=", ".join(pulled) or text("nothing"),
                )
            return Asked(pulled[name]), lambda: not is_whole(host)
        case h.ClearFault():
            return Asked(text("Plug it in again.")), lambda: is_back(host)
        case h.Tilt() | h.Bump() if not profile.sees_tilt:
            raise SkippedError("This table has no tilt sensor to see it with.")
        case h.Tilt(x_deg, y_deg):
            say = tilt(profile, x_deg, y_deg)
            level = not (x_deg or y_deg)
            return Asked(say), lambda: _still(host) if level else _leans(host, x_deg, y_deg)
        case h.Bump():
            say = text("Knock against the table, lightly.")
            return Asked(say), _in_turn(lambda: _was_knocked(host), lambda: _still(host))
    raise SkippedError("Only simulated hands do that.")


def put(piece: Message | str, place: str, off_middle: Message | None = None) -> Message:
    """Return the request to put a piece on a place. ``off_middle``: the offset from the middle of
    the place in words, as returned by the function ``off_middle``, or None.
    """
    if off_middle is None:
        return text("Put a {piece} on {place}.", piece=piece, place=place)
    return text(
        "Put a {piece} on {place}, off its middle: {ways}.",
        piece=piece,
        place=place,
        ways=off_middle,
    )


def off_middle(profile: Profile, east_mm: float, north_mm: float) -> Message | None:
    """Return in words how far and in which direction a piece must be from the middle of its place,
    or None if both distances are 0.
    """
    if not (east_mm or north_mm):
        return None
    return _ways(profile, text("{mm} mm toward {side}"), east_mm, north_mm)


def take(place: str) -> Message:
    """Return the request to take the piece off a place."""
    return text("Take the piece off {place}.", place=place)


def tilt(profile: Profile, x_deg: float, y_deg: float) -> Message:
    """Return the request to tilt the plate and hold it. If both angles are 0, return the request to
    level the plate.
    """
    if not (x_deg or y_deg):
        return text("Let the plate come back to level.")
    # A rotation about x raises the highest row, and a rotation about y raises column a.
    side = text("the side of {side} goes up by {angle} degrees")
    ways = _ways(profile, side, -y_deg, x_deg)
    return text("Tilt the plate and hold it: {ways}.", ways=ways)


def plugs(profile: Profile) -> Mapping[str, Message]:
    """Return the faults that a person can cause and undo without a tool: fault -> instruction."""
    hall = profile.hall
    if isinstance(hall, NodeHall):
        return {"node-unplugged": text("Pull the cable of the plate's controller.")}
    pulled: dict[str, Message] = {}
    if isinstance(hall, MuxAdcHall):
        pulled["spi-silent"] = text("Pull the plug of the sensors' board.")
    if isinstance(hall, DualSwitchHall) or profile.imu is not None:
        pulled["i2c-nack"] = text("Pull the plug of the parts on the I2C bus.")
    return pulled


def _ways(profile: Profile, way: Message, by_column: float, by_row: float) -> Message:
    """Return the sentence ``way`` filled in for columns, rows or both. A direction whose value is 0
    is left out. A positive value points to the last column or row.
    """
    column = profile.places[-1 if by_column > 0 else 0][0]
    row = profile.rows if by_row > 0 else 1
    sides = (
        (by_column, text("column {column}", column=column)),
        (by_row, text("row {row}", row=row)),
    )
    one, *rest = [
        Message(way.template, {"side": side, "mm": f"{abs(by):g}", "angle": f"{abs(by):g}"})
        for by, side in sides
        if by
    ]
    return text("{one} and {other}", one=one, other=rest[0]) if rest else one


def _holds(host: Host, place: str, piece: str | None, *, or_unsure: bool = False) -> Seen:
    """Return a function that checks whether ``piece`` is on the place. If ``piece`` is None, the
    function checks whether the place is empty. ``or_unsure``: True to accept an unreadable place,
    too. On a tilted plate, the function only checks that the reading has changed and is steady.
    """
    index = host.overlay.index_of(place)
    first_mt = host.look.frame.field_mt[index : index + 1]
    latest_mt: deque[float] = deque(maxlen=round(REST_S * host.profile.scans_per_s))

    def stands() -> bool:
        if place in host.sight.unsure:
            return or_unsure
        return host.sight.cells.get(place) == piece

    def changed() -> bool:
        latest_mt.extend(host.look.frame.field_mt[index : index + 1])
        return (
            len(latest_mt) == latest_mt.maxlen
            and max(latest_mt) - min(latest_mt) < NOISE_MT
            and abs(latest_mt[-1] - first_mt[0]) > CHANGE_MT
        )

    return changed if first_mt and not _still(host) else stands


def _piece_on(host: Host, place: str) -> str:
    host.overlay.index_of(place)
    piece = host.sight.cells.get(place)
    if piece is None:
        raise NotPossibleError(
            "There is nothing on {place} to take.",
            remedy="Name a place where a piece stands.",
            place=place,
        )
    return piece


def _check_free(place: str, cells: Mapping[str, str]) -> None:
    if place in cells:
        raise NotPossibleError(
            "{place} is occupied.", remedy="Take that piece away first.", place=place
        )


def is_whole(host: Host) -> bool:
    """Return whether no part of the table has failed."""
    return not host.sight.faults


def is_back(host: Host) -> bool:
    """Return whether all parts of the table answer again and are ready."""
    sight = host.sight
    return is_whole(host) and sight.ready and sight.stillness is not Stillness.UNKNOWN


def _still(host: Host) -> bool:
    return host.sight.stillness is Stillness.STILL


def _leans(host: Host, *wanted_deg: float) -> bool:
    return all(
        abs(math.degrees(angle_rad) - to) <= TILT_SLACK_DEG + TILT_SLACK * abs(to)
        for angle_rad, to in zip(host.sight.tilt_rad, wanted_deg, strict=True)
    )


def _was_knocked(host: Host) -> bool:
    """Return whether the table was bumped since the last scan, or is moving now."""
    events = host.sight.events
    return not _still(host) or any(e.happening is Happening.BUMPED for e in events)


def _in_turn(first: Seen, then: Seen) -> Seen:
    """Return a function that checks whether ``first`` has been true at least once and ``then`` is
    true now.
    """
    was = False

    def seen() -> bool:
        nonlocal was
        was = was or first()
        return was and then()

    return seen
