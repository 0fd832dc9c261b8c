"""TOML and JSON know numbers that are none: nothing here has such a length, time or current."""

import json

import msgspec
import pytest

from firmware_host.config.errors import ConfigError
from firmware_host.config.reading import convert, parse_toml


class Part(msgspec.Struct):
    length_mm: float = 1.0
    steps: list[float] = []


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e999"])
@pytest.mark.parametrize("line", ["length_mm = {}", "steps = [1.0, {}]"])
def test_in_toml(number, line):
    with pytest.raises(ConfigError, match=r"(length_mm|steps\[1\]): -?(inf|nan) is not a number"):
        parse_toml(line.format(number), Part, source="table.toml")


@pytest.mark.parametrize("number", ["Infinity", "NaN", "-1e999"])
def test_in_json(number):
    data = json.loads(f'{{"length_mm": {number}}}')
    with pytest.raises(ConfigError, match="length_mm"):
        convert(data, Part, source="calibration.json")
