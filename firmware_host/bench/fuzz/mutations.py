"""What becomes of good input: bytes turned over, cut, doubled, swapped, and troublemakers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hw_sim.rng import Stream

MOST_STEPS = 4
LONGEST = 200_000  # bytes; beyond it nothing grows any more
TOKENS = (
    *(b"", b"0", b"-1", b"1e999", b"NaN", b"Infinity", b"9" * 400, b"0.1", b"null", b"true"),
    *(b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"=", b"#", b"\n", b"\r\n", b"\x00"),
    *(b"{x}", b"{0}", b"%s", b"../..", b"/dev/null", b"\\ud800", b"\xff\xfe", b"\xed\xa0\x80"),
    *("²".encode(), "٣".encode(), "ß".encode(), "\u2028".encode(), "\ufeff".encode()),
    *(b"[" * 3000, b'{"a":' * 3000, b"a." * 3000, b"(" * 3000, b"x" * 5000, b" " * 5000),
)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 99, 2**31, 2**53, 2**53 + 1, -(2**63), 10**30, 0.5, 1e308),
    *("red", "blue", "d4", "a1", "e5", "momentum", "attraktion", "sensor-stuck", "i2c-nack", "1"),
    *("", "z99", "\x00", "é" * 41, "{x}", "{", "\u2028", [], {}, ["d4"], {"a": 1}),
)

Mutation = Callable[["Stream", bytes, Sequence[bytes]], bytes]


def mutated(stream: Stream, seeds: Sequence[bytes]) -> bytes:
    """One of ``seeds`` after one to four mutations, drawn from ``stream``."""
    data = stream.choice(seeds)
    for _ in range(stream.randint(1, MOST_STEPS)):
        data = stream.choice(_MUTATIONS)(stream, data, seeds)[:LONGEST]
    return data


def mutated_json(stream: Stream, seeds: Sequence[bytes]) -> bytes:
    """One of ``seeds``, which are JSON, with one or two values or keys changed."""
    value = json.loads(stream.choice(seeds))
    for _ in range(stream.randint(1, 2)):
        value = _changed(stream, value)
    return json.dumps(value, ensure_ascii=stream.random() < 0.5).encode()


def _changed(stream: Stream, value: Any) -> Any:
    """``value`` with something in it changed."""
    if isinstance(value, dict) and value and stream.random() < 0.97:
        # What says of what kind it is decides what the rest may be: it mostly stays.
        telling = [key for key in value if key != "type" or stream.random() < 0.1]
        if not telling:
            return {**value, "ref": stream.choice(VALUES)}
        key = stream.choice(telling)
        changed = {name: item for name, item in value.items() if name != key}
        way = stream.random()
        if way < 0.8:
            changed[key] = _changed(stream, value[key])
        elif way < 0.9:
            changed[f"{stream.choice(VALUES)}"] = value[key]
        return changed
    if isinstance(value, list) and value and stream.random() < 0.95:
        at = stream.randrange(len(value))
        middle = stream.choice(([], [value[at]] * 2, [_changed(stream, value[at])]))
        return [*value[:at], *middle, *value[at + 1 :]]
    if isinstance(value, int) and stream.random() < 0.3:
        return value + stream.choice((-1, 1, 2))
    if isinstance(value, float) and stream.random() < 0.5:
        return value * stream.choice((-1, 0, 2, 0.5, 1.001, 1000))
    kin = [other for other in VALUES if type(other) is type(value)]
    return stream.choice(kin if kin and stream.random() < 0.6 else VALUES)


def _span(stream: Stream, data: bytes) -> tuple[int, int]:
    """A random part of ``data``, mostly a short one."""
    start = stream.randint(0, len(data))
    length = int(len(data) ** stream.random()) if data else 0
    return start, min(len(data), start + length)


def _flip(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    at = stream.randrange(len(data)) if data else 0
    return (
        data[:at]
        + bytes([byte ^ 1 << stream.randrange(8) for byte in data[at : at + 1]])
        + (data[at + 1 :])
    )


def _overwrite(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    start, end = _span(stream, data)
    return data[:start] + stream.randbytes(min(end - start, 16)) + data[end:]


def _delete(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    start, end = _span(stream, data)
    return data[:start] + data[end:]


def _double(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    start, end = _span(stream, data)
    return data[:end] + data[start:end] * stream.choice((1, 1, 2, 50)) + data[end:]


def _move(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    start, end = _span(stream, data)
    rest = data[:start] + data[end:]
    at = stream.randint(0, len(rest))
    return rest[:at] + data[start:end] + rest[at:]


def _insert(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    at = stream.randint(0, len(data))
    return data[:at] + stream.choice(TOKENS) + data[at:]


def _cut(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    return data[: stream.randint(0, len(data))]


def _splice(stream: Stream, data: bytes, seeds: Sequence[bytes]) -> bytes:
    other = stream.choice(seeds)
    return data[: stream.randint(0, len(data))] + other[stream.randint(0, len(other)) :]


def _word(stream: Stream, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Another word in the place of one: of a seed, or a troublemaker."""
    words = data.split(b" ")
    others = stream.choice(seeds).split()
    words[stream.randrange(len(words))] = stream.choice((*others, stream.choice(TOKENS)))
    return b" ".join(words)


def _number(stream: Stream, data: bytes, _seeds: Sequence[bytes]) -> bytes:
    """Another number in the place of one."""
    digits = [at for at in range(len(data)) if data[at : at + 1].isdigit()]
    if not digits:
        return data
    start = end = stream.choice(digits)
    while data[end : end + 1].isdigit():
        end += 1
    number = stream.choice((0, 1, -1, 2, 255, 256, 2**31, 2**63, 2**64, 10**30, 0.5, 1e300))
    return data[:start] + str(number).encode() + data[end:]


_MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _overwrite, _delete, _double, _move, _insert, _cut, _splice),
    *(_word, _word, _number, _number),
)
