"""Writes wire.d.ts beside this file: the types of the messages between server and page.

The types come from the schema with which the server writes and reads its messages. If a field is
renamed there, the check of the page's code fails. `make style` runs this script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seats_group import SeatView
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.web import app
from tiltboard.firmware_host.web.requests import Incoming

SIMPLE = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def declarations() -> str:
    """Return the namespace `Wire` as text: an interface for each struct, and the union `Command` of
    all messages that the page can send. A `Message` becomes a string, because each page gets it
    translated.
    """
    sent = [Layout, Snapshot, SeatView]
    sent += [kind for each in app.ENDPOINTS for kind in each.answers.values()]
    taken = [Incoming, *(each.body for each in app.ENDPOINTS if each.body is not None)]
    schemas, components = msgspec.json.schema_components(
        [*sent, *taken], schema_hook=_schema_of, ref_template="{name}"
    )
    optional = {*_reached(schemas[len(sent) :], components), *_without_defaults(msgspec.Struct)}
    lines = [
        f"  interface {name} {_interface(schema, all_there=name not in optional)}"
        for name, schema in sorted(components.items())
        if schema.get("type") == "object"
    ]
    lines += [
        f"  type {name} = {_type_of(schema)};"
        for name, schema in sorted(components.items())
        if schema.get("type") != "object"
    ]
    lines.append(f"  type Command = {_type_of(schemas[len(sent)])};")
    return "declare namespace Wire {\n" + "\n".join(lines) + "\n}\n"


def _schema_of(kind: type) -> dict[str, Any]:
    if kind is Message:
        return {"type": "string"}
    raise NotImplementedError


def _reached(schemas: Any, components: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of all components that schemas refer to, directly or through other
    components.
    """
    waiting, seen = [schemas], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, list | tuple):
            waiting.extend(each)
        elif isinstance(each, Mapping):
            name = each.get("$ref")
            if name is not None and name not in seen:
                seen.add(name)
                waiting.append(components[name])
                yield name
            waiting.extend(value for key, value in each.items() if key != "discriminator")


def _without_defaults(kind: type[msgspec.Struct]) -> Iterator[str]:
    """Yield the names of structs that omit fields with default values."""
    for each in kind.__subclasses__():
        if each.__struct_config__.omit_defaults:
            yield each.__name__
        yield from _without_defaults(each)


def _interface(schema: Mapping[str, Any], *, all_there: bool) -> str:
    required = schema["properties"] if all_there else schema.get("required", ())
    fields = (
        f'"{name}"{"" if name in required else "?"}: {_type_of(value)};'
        for name, value in schema["properties"].items()
    )
    return "{ " + " ".join(fields) + " }"


def _type_of(schema: Mapping[str, Any]) -> str:
    """Return a JSON schema as a TypeScript type."""
    match schema:
        case {"$ref": str(name)}:
            return name
        case {"const": value}:
            return msgspec.json.encode(value).decode()
        case {"enum": [*values]}:
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case {"anyOf": [*kinds]} | {"oneOf": [*kinds]}:
            return " | ".join(_type_of(each) for each in kinds)
        case {"type": "array", "prefixItems": [*items]}:
            return f"[{', '.join(_type_of(each) for each in items)}]"
        case {"type": "array"}:
            return f"Array<{_type_of(schema.get('items', {}))}>"
        case {"type": "object", "properties": _}:
            return _interface(schema, all_there=True)
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {_type_of(values)}>"
        case {"type": "object"}:
            return "Record<string, any>"
        case {"type": str(simple)}:
            return SIMPLE[simple]
    return "any"


if __name__ == "__main__":
    Path(__file__).with_name("wire.d.ts").write_text(declarations(), "utf-8")
