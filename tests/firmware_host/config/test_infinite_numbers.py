"""Tests of firmware_host/config/files.py and profile.py: TOML and JSON know numbers that are
none: nothing here has such a length, time or current.

A bound refuses them, since nothing is smaller or larger than NaN: so every number has one each way.
"""

import json
from collections.abc import Iterator
from typing import Annotated

import msgspec
import msgspec.inspect as inspecting
import pytest

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import convert, parse_toml
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.perception.calibration import Calibration
from tiltboard_online.broadcast.evening import Evening


class Part(msgspec.Struct):
    length_mm: Annotated[float, msgspec.Meta(gt=0, le=9)] = 1.0
    steps: list[Annotated[float, msgspec.Meta(ge=-9, lt=9)]] = []


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e999"])
@pytest.mark.parametrize("line", ["length_mm = {}", "steps = [1.0, {}]"])
def test_in_toml(number, line):
    with pytest.raises(ConfigError, match=r"(length_mm|steps\[1\]): Expected `float` [<>]"):
        parse_toml(line.format(number), Part, source="table.toml")


@pytest.mark.parametrize("number", ["Infinity", "NaN", "-1e999"])
def test_in_json(number):
    data = json.loads(f'{{"length_mm": {number}}}')
    with pytest.raises(ConfigError, match="length_mm"):
        convert(data, Part, source="calibration.json")


def floats(kind: object) -> Iterator[inspecting.FloatType]:
    """Every number in a type."""
    match kind:
        case inspecting.FloatType():
            yield kind
        case inspecting.StructType(fields=fields):
            for field in fields:
                yield from floats(field.type)
        case inspecting.UnionType(types=kinds) | inspecting.TupleType(item_types=kinds):
            for each in kinds:
                yield from floats(each)
        case inspecting.ListType(item_type=each) | inspecting.VarTupleType(item_type=each):
            yield from floats(each)
        case inspecting.DictType(value_type=each) | inspecting.Metadata(type=each):
            yield from floats(each)


@pytest.mark.parametrize("kind", [Profile, Settings, Calibration, Evening])
def test_every_number_that_is_read_has_bounds(kind):
    found = list(floats(inspecting.type_info(kind)))
    unbounded = [
        each for each in found if {each.ge, each.gt} == {None} or {each.le, each.lt} == {None}
    ]
    assert unbounded == []
    assert bool(found) is (kind in (Profile, Calibration))
