"""The table in a smart home: Home Assistant's MQTT discovery (docs/home.md), as plain values.

One retained message describes all entities of a table as one device
(https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload); one retained state, and
one of the lamp, say how it is; events are not retained. Whatever the house asks becomes a command
that ``Host.do`` judges like everybody's.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any, Literal

import msgspec

from firmware_host.messages import Catalogue, text
from firmware_host.service.snapshot import Layout, Snapshot
from firmware_host.table import play
from firmware_host.table.commands import Again, Glow, HostCommand, TakeBack

ONLINE, OFFLINE = b"online", b"offline"
EVENTS = ("win", "draw", "fault")
CANDLE = (255, 170, 80)
LEVEL_STEP_DEG = 0.5  # less is noise, and each change is a message
PLAYED = ("turn", "settle", "fix")
REQUESTS = ("asked",)  # notices that wait for somebody to press a button


class HomeState(msgspec.Struct, frozen=True):
    """``turn``, ``winner``: in words, or who plays; None: nobody. ``level_deg``: how far the plate
    leans. ``waiting``: a person at this table is waited for by somebody who is not.
    """

    game: str | None
    turn: str | None
    last_move: str | None
    winner: str | None
    over: bool
    level_deg: float
    faults: list[str]
    waiting: bool


def topics(table: str) -> dict[str, str]:
    """What is where. ``table``: its public name on the broker."""
    parts = ("state", "event", "do", "lamp", "lamp/set")
    return {part: f"tiltboard/home/{table}/{part}" for part in parts}


def discovery(
    table: str, name: str, profile: str, online: str, spoken: Catalogue, *, commands: bool
) -> dict[str, Any]:
    """The device, to be retained at ``homeassistant/device/ID/config``. ``online``: the topic that
    says whether the table is there. ``commands``: the house may ask for something, too.
    """
    at, unique = topics(table), f"tiltboard_{table}"
    said = spoken.translate
    sensors = {
        "game": (text("Game"), "checkerboard"),
        "turn": (text("Whose turn"), "account-arrow-right"),
        "last_move": (text("Last move"), "arrow-right-bold"),
        "winner": (text("Winner"), "trophy"),
        "level": (text("Plate level"), "angle-acute"),
        "faults": (text("Faults"), "alert"),
    }
    parts: dict[str, dict[str, Any]] = {
        each: {
            "platform": "sensor",
            "name": said(title),
            "icon": f"mdi:{icon}",
            "value_template": f"{{{{ value_json.{each} or '' }}}}",
        }
        for each, (title, icon) in sensors.items()
    }
    parts["level"] |= {
        "value_template": "{{ value_json.level_deg }}",
        "unit_of_measurement": "°",
        "state_class": "measurement",
        "entity_category": "diagnostic",
    }
    parts["faults"] |= {
        "value_template": "{{ value_json.faults | count }}",
        "json_attributes_topic": at["state"],
        "json_attributes_template": "{{ {'faults': value_json.faults} | tojson }}",
        "entity_category": "diagnostic",
    }
    parts["waiting"] = {
        "platform": "binary_sensor",
        "name": said(text("Somebody is waiting for you")),
        "icon": "mdi:account-clock",
        "value_template": "{{ 'ON' if value_json.waiting else 'OFF' }}",
    }
    parts["happened"] = {
        "platform": "event",
        "name": said(text("Happened")),
        "state_topic": at["event"],
        "event_types": list(EVENTS),
    }
    if commands:
        buttons = {
            "new_game": text("New game"),
            "take_back": text("Take back"),
            "light_scene": text("Candlelight"),
        }
        for each, title in buttons.items():
            parts[each] = {
                "platform": "button",
                "name": said(title),
                "command_topic": at["do"],
                "payload_press": each.replace("_", "-"),
            }
        parts["lamp"] = {
            "platform": "light",
            "schema": "json",
            "name": said(text("Lamp")),
            "state_topic": at["lamp"],
            "command_topic": at["lamp/set"],
            "brightness": True,
            "supported_color_modes": ["rgb"],
        }
    for each, part in parts.items():
        part["unique_id"] = f"{unique}_{each}"
    return {
        "device": {
            "identifiers": [unique],
            "name": name,
            "manufacturer": "tiltboard",
            "model": profile,
            "sw_version": version("tiltboard"),
        },
        "origin": {"name": "tiltboard", "sw_version": version("tiltboard")},
        "availability_topic": online,
        "state_topic": at["state"],
        "qos": 1,
        "components": parts,
    }


def state_of(
    layout: Layout, snapshot: Snapshot, spoken: Catalogue, before: HomeState | None = None
) -> HomeState:
    """A table as the house sees it after a step. ``before``: what it was told last."""
    game, result = layout.game, snapshot.result

    def called(player: str | None) -> str | None:
        if player is None:
            return None
        return snapshot.names.get(player) or spoken.translate(play.player(player).capitalised())

    elsewhere = {*snapshot.engines, *(() if snapshot.match is None else snapshot.match.far)}
    moves = snapshot.phase in PLAYED and snapshot.to_move not in (None, *elsewhere)
    wanted = snapshot.match is not None and bool(snapshot.match.asked)
    level_deg = max(map(abs, snapshot.tilt_deg))
    if abs(level_deg - (before.level_deg if before else 0.0)) < LEVEL_STEP_DEG:
        level_deg = before.level_deg if before else 0.0
    return HomeState(
        game=None if game is None else game.title,
        turn=called(snapshot.to_move),
        last_move=snapshot.moves[-1] if snapshot.moves and snapshot.room is None else None,
        winner=None if result is None else called(result["winner"]),
        over=result is not None,
        level_deg=round(level_deg, 1),
        faults=[
            spoken.translate(each.problem) for each in snapshot.faults if each.part not in REQUESTS
        ],
        waiting=(moves and bool(elsewhere))
        or wanted
        or any(each.part in REQUESTS for each in snapshot.faults),
    )


def events(before: HomeState | None, now: HomeState) -> list[dict[str, Any]]:
    """What has happened since ``before``, each the content of a message."""
    if before is None:
        return []
    found: list[dict[str, Any]] = []
    if now.over and not before.over:
        kind = "draw" if now.winner is None else "win"
        found.append({"event_type": kind, "game": now.game, "winner": now.winner})
    fresh = [each for each in now.faults if each not in before.faults]
    return found + [{"event_type": "fault", "fault": each} for each in fresh]


def lamp_state(snapshot: Snapshot) -> dict[str, Any]:
    """As Home Assistant's lights in JSON have it; their brightness is that of the colour."""
    if snapshot.lamp is None:
        return {"state": "OFF"}
    red, green, blue = snapshot.lamp
    brightness = max(snapshot.lamp)
    colour = {
        name: round(part * 255 / brightness)
        for name, part in zip("rgb", (red, green, blue), strict=True)
    }
    return {"state": "ON", "color_mode": "rgb", "color": colour, "brightness": brightness}


Part = Annotated[int, msgspec.Meta(ge=0, le=255)]


class Colour(msgspec.Struct, frozen=True):
    """The colour of a lamp at its brightest."""

    r: Part
    g: Part
    b: Part


class LampWish(msgspec.Struct, frozen=True):
    """What Home Assistant sends to a light in JSON; the rest of it is ignored."""

    state: Literal["ON", "OFF"]
    color: Colour | None = None
    brightness: Annotated[int, msgspec.Meta(ge=1, le=255)] | None = None


_wish = msgspec.json.Decoder(LampWish)


def command_of(
    part: str, payload: bytes, lamp: tuple[int, int, int] | None = None
) -> HostCommand | None:
    """What a message of the house asks for; None: nothing that it could. ``lamp``: as it shines."""
    if part == "do":
        asked: dict[bytes, HostCommand] = {
            b"new-game": Again(),
            b"take-back": TakeBack(),
            b"light-scene": Glow(CANDLE, candles=True),
        }
        return asked.get(payload)
    try:
        wish = _wish.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if wish.state == "OFF":
        return Glow()
    red, green, blue = lamp or CANDLE
    brightness = wish.brightness or max(red, green, blue) or 255
    colour = wish.color or Colour(red, green, blue)
    most = max(colour.r, colour.g, colour.b) or 1
    parts = [round(part * brightness / most) for part in (colour.r, colour.g, colour.b)]
    return Glow((parts[0], parts[1], parts[2]))
