"""Checks a discovery message on standard input with Home Assistant's own schemas, and renders its
templates with the state that follows.

Run it with a Python (3.13 or newer) that has the package ``homeassistant``. It prints as JSON what
Home Assistant would show, or exits with Home Assistant's error.
"""

import asyncio
import importlib
import json
import sys
import tempfile

from homeassistant.components.mqtt.schemas import DEVICE_DISCOVERY_SCHEMA
from homeassistant.core import HomeAssistant

SHARED = ("availability_topic", "qos")


async def main() -> None:
    house = HomeAssistant(tempfile.mkdtemp())
    payload, state = json.load(sys.stdin)
    DEVICE_DISCOVERY_SCHEMA(payload)
    seen = {}
    for name, component in payload["components"].items():
        part = dict(component)
        platform = importlib.import_module(f"homeassistant.components.mqtt.{part.pop('platform')}")
        whole = {each: payload[each] for each in SHARED} | {"device": payload["device"]} | part
        if "command_topic" not in part:
            whole.setdefault("state_topic", payload["state_topic"])
        try:
            # These schemas are for files that people write: they refuse unknown keys, which
            # discovery ignores.
            platform.PLATFORM_SCHEMA_MODERN(whole)
            checked = platform.DISCOVERY_SCHEMA(whole)
        except Exception as error:  # noqa: BLE001 - told to the test
            sys.exit(f"{name}: {error}")
        template = checked.get("value_template")
        if template is not None:
            template.hass = house
            seen[name] = template.async_render_with_possible_json_value(json.dumps(state))
        else:
            seen[name] = None
    await house.async_stop(force=True)
    print(json.dumps(seen))


asyncio.run(main())
