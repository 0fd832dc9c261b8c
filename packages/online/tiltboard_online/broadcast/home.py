"""The messages that show a table in a smart home through Home Assistant's MQTT discovery
(docs/home.md).

One retained message describes all entities of a table as one device
(https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload). Another retained
message has the device's state. Events are not retained. A button in the smart home becomes a
command, which ``Host.do`` treats like any other command.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import msgspec

from tiltboard.firmware_host.messages import Catalogue, Message, text
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.commands import Again, TakeBack, Verb

ONLINE, OFFLINE = b"online", b"offline"
EVENTS = ("win", "draw", "fault")
# Minimum change of the tilt in degrees that is published. Smaller changes are noise.
LEVEL_STEP_DEG = 0.5
PLAYED = ("turn", "settle", "fix")
# Faults that are really requests: a remote player or a device waits until a person presses a
# button.
REQUESTS = ("asked",)


class HomeState(msgspec.Struct, frozen=True):
    """The state of a table for the smart home.

    ``turn`` and ``winner`` are names of players or people, or None.
    """

    game: str | None
    turn: str | None
    last_move: str | None
    winner: str | None
    over: bool
    level_deg: float
    """The tilt of the plate in degrees."""
    faults: list[str]
    waiting: bool
    """True if a remote player or a device waits for a person at this table."""


def topics(table: str) -> dict[str, str]:
    """Return the topics of a table's state, events and commands. ``table``: the table's public name
    on the broker.
    """
    parts = ("state", "event", "do")
    return {part: f"tiltboard/home/{table}/{part}" for part in parts}


def discovery(
    table: str, name: str, profile: str, online: str, spoken: Catalogue, *, commands: bool
) -> dict[str, Any]:
    """Return the description of the device, which the table retains at
    ``homeassistant/device/ID/config``.

    ``table``: the table's public name. ``name``: the device's name for people. ``online``: the
    topic that reports whether the table is online. ``commands``: True if the smart home can send
    commands.
    """
    at, unique = topics(table), f"tiltboard_{table}"

    def part(platform: str, title: Message, **more: object) -> dict[str, Any]:
        return {"platform": platform, "name": spoken.translate(title), **more}

    def sensor(title: Message, icon: str, value: str, **more: object) -> dict[str, Any]:
        shown = f"{{{{ value_json.{value} }}}}"
        return part("sensor", title, icon=f"mdi:{icon}", value_template=shown, **more)

    def button(title: Message, press: str) -> dict[str, Any]:
        return part("button", title, command_topic=at["do"], payload_press=press)

    parts = {
        "game": sensor(text("Game"), "checkerboard", "game or ''"),
        "turn": sensor(text("Whose turn"), "account-arrow-right", "turn or ''"),
        "last_move": sensor(text("Last move"), "arrow-right-bold", "last_move or ''"),
        "winner": sensor(text("Winner"), "trophy", "winner or ''"),
        "level": sensor(
            text("Plate level"),
            "angle-acute",
            "level_deg",
            unit_of_measurement="°",
            state_class="measurement",
            entity_category="diagnostic",
        ),
        "faults": sensor(
            text("Faults"),
            "alert",
            "faults | count",
            json_attributes_topic=at["state"],
            json_attributes_template="{{ {'faults': value_json.faults} | tojson }}",
            entity_category="diagnostic",
        ),
        "waiting": part(
            "binary_sensor",
            text("Somebody is waiting for you"),
            icon="mdi:account-clock",
            value_template="{{ 'ON' if value_json.waiting else 'OFF' }}",
        ),
        "happened": part(
            "event", text("Happened"), state_topic=at["event"], event_types=list(EVENTS)
        ),
    }
    if commands:
        parts |= {
            "new_game": button(text("New game"), "new-game"),
            "take_back": button(text("Take back"), "take-back"),
        }
    ours = {"name": "tiltboard", "sw_version": version("tiltboard")}
    model = {"manufacturer": "tiltboard", "model": profile}
    return {
        "device": {**ours, **model, "identifiers": [unique], "name": name},
        "origin": ours,
        "availability_topic": online,
        "state_topic": at["state"],
        "qos": 1,
        "components": {
            each: {**part, "unique_id": f"{unique}_{each}"} for each, part in parts.items()
        },
    }


def state_of(
    layout: Layout, snapshot: Snapshot, spoken: Catalogue, before: HomeState | None = None
) -> HomeState:
    """Return the state of a table after a step. ``before``: the previously published state, or
    None.
    """
    game, played, players = layout.game, snapshot.game, snapshot.players
    guidance, match, result = snapshot.guidance, snapshot.match, played.result

    def called(player: str | None) -> str | None:
        if player is None:
            return None
        return spoken.translate(players.names.get(player, phrases.player(player).capitalised()))

    elsewhere = {*players.engines, *(() if match is None else match.far)}
    moves = guidance.phase in PLAYED and played.to_move not in (None, *elsewhere)
    wanted = match is not None and bool(match.asked)
    told_deg = before.level_deg if before else 0.0
    level_deg = max(map(abs, snapshot.plate.tilt_deg))
    if abs(level_deg - told_deg) < LEVEL_STEP_DEG:
        level_deg = told_deg
    return HomeState(
        game=None if game is None else game.title,
        turn=called(played.to_move),
        last_move=played.moves[-1] if played.moves and snapshot.seats is None else None,
        winner=None if result is None else called(result["winner"]),
        over=result is not None,
        level_deg=round(level_deg, 1),
        faults=[
            spoken.translate(each.problem) for each in guidance.faults if each.part not in REQUESTS
        ],
        waiting=(moves and bool(elsewhere))
        or wanted
        or any(each.part in REQUESTS for each in guidance.faults),
    )


def events(before: HomeState | None, now: HomeState) -> list[dict[str, Any]]:
    """Return the contents of the messages about all events between the states ``before`` and
    ``now``.
    """
    if before is None:
        return []
    found: list[dict[str, Any]] = []
    if now.over and not before.over:
        kind = "draw" if now.winner is None else "win"
        found.append({"event_type": kind, "game": now.game, "winner": now.winner})
    fresh = [each for each in now.faults if each not in before.faults]
    return found + [{"event_type": "fault", "fault": each} for each in fresh]


def command_of(payload: bytes) -> Verb | None:
    """Return the command in a message from the smart home. Return None if the message does not come
    from one of the table's buttons.
    """
    asked: dict[bytes, Verb] = {b"new-game": Again(), b"take-back": TakeBack()}
    return asked.get(payload)
