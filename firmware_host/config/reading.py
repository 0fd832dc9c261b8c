"""TOML files read once, strictly: unknown keys name the nearest known one, values are ranged."""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from firmware_host.config.errors import ConfigError
from firmware_host.config.paths import read_file
from firmware_host.messages import nearest, text

S = TypeVar("S", bound=msgspec.Struct)


def read_toml(path: Path, kind: type[S]) -> S:
    """Read ``path`` as ``kind``. Raises ConfigError naming file, key and what is allowed."""
    return parse_toml(read_text(path), kind, source=str(path))


def read_text(path: Path) -> str:
    """Read a text file of a person, with or without a byte order mark. Raises ConfigError."""
    try:
        content = read_file(path).decode("utf-8-sig")
        return content.replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:  # ValueError: no text, or a path with a zero byte
        raise ConfigError(
            "{path} cannot be read: {why}.",
            remedy="Check the path and that the file is text this user may read.",
            path=path,
            why=getattr(error, "strerror", None)
            or text("it is not UTF-8 text, or has no such name"),
        ) from error


def parse_toml(content: str, kind: type[S], *, source: str) -> S:
    """Parse TOML ``content`` as ``kind``; ``source`` names it in errors."""
    try:
        data = tomllib.loads(content)
    except (ValueError, RecursionError) as error:  # ValueError: no TOML, or thousands of digits
        raise ConfigError(
            "{source} is not valid TOML: {why}.",
            remedy="Mend that line.",
            source=source,
            why=str(error),
        ) from error
    return convert(data, kind, source=source)


def convert(data: dict[str, Any], kind: type[S], *, source: str) -> S:
    """Check plain ``data`` against ``kind``, whose bounds of numbers refuse infinite ones and NaN.
    Raises ConfigError.
    """
    _refuse_unknown(data, kind, source, "")
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `$.")
        raise ConfigError(
            "{source}: {key}: {why}.",
            remedy="Correct that value.",
            source=source,
            key=where.rstrip("`") or text("top level"),
            why=why,
        ) from error


def _refuse_unknown(data: object, kind: Any, source: str, prefix: str) -> None:
    """Walk ``data`` along ``kind``'s structs and refuse the first key that no struct has; the keys
    of a ``dict`` are anybody's.
    """
    if typing.get_origin(kind) is dict:
        of = typing.get_args(kind)[1]
        for key, value in data.items() if isinstance(data, dict) else ():
            _refuse_unknown(value, of, source, f"{prefix}.{key}".lstrip("."))
        return
    structs = [
        option
        for option in (kind, *typing.get_args(kind))
        if isinstance(option, type) and issubclass(option, msgspec.Struct)
    ]
    if not structs:
        return
    if isinstance(data, list | tuple):
        for index, item in enumerate(data):
            _refuse_unknown(item, structs[0], source, f"{prefix}[{index}]")
        return
    if not isinstance(data, dict):
        return
    chosen = _of_kind(data, structs, source, prefix)
    fields = _fields(chosen)
    tag_field = chosen.__struct_config__.tag_field
    for key, value in data.items():
        if key == tag_field:
            continue
        name = f"{prefix}.{key}".lstrip(".")
        if key not in fields:
            raise ConfigError(
                "{source}: {key} is not a known key; {hint}",
                remedy="Correct or remove it.",
                source=source,
                key=name,
                hint=nearest(key, fields),
            )
        _refuse_unknown(value, fields[key], source, name)


@cache
def _fields(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """Key -> its type."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def _of_kind(
    data: dict[str, Any], structs: list[type[msgspec.Struct]], source: str, prefix: str
) -> type[msgspec.Struct]:
    """The struct that ``data`` says it is; where they are tagged, a known tag is demanded."""
    config = structs[0].__struct_config__
    if config.tag_field is None:
        return structs[0]
    kinds = {str(option.__struct_config__.tag): option for option in structs}
    kind = data.get(config.tag_field)
    if kind is None:
        raise ConfigError(
            "{source}: {key} is missing; {hint}",
            remedy="Add it.",
            source=source,
            key=f"{prefix}.{config.tag_field}".lstrip("."),
            hint=nearest("", kinds),
        )
    if not isinstance(kind, str) or kind not in kinds:
        raise ConfigError(
            "{source}: {key}: {value!r} is not a known kind; {hint}",
            remedy="Correct that value.",
            source=source,
            key=f"{prefix}.{config.tag_field}".lstrip("."),
            value=kind,
            hint=nearest(str(kind), kinds),
        )
    return kinds[kind]
