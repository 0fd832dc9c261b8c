"""Hypothesis strategies that damage valid input by a few edits, and shrink to the smallest damage
that causes an error.
"""

import json

from hypothesis import strategies as st

LONGEST = 200_000  # Maximum size in bytes; longer input finds no more errors.
TOKENS = (
    *(b"", b"0", b"-1", b"1e999", b"NaN", b"Infinity", b"9" * 400, b"9" * 4301, b"0.1", b"null"),
    *(b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"=", b"#", b"\n", b"\r\n", b"\x00"),
    *(b"{x}", b"{0}", b"%s", b"../..", b"/dev/null", b"\\ud800", b"\xff\xfe", b"\xed\xa0\x80"),
    *("²".encode(), "٣".encode(), "ß".encode(), "\u2028".encode(), "\ufeff".encode(), b"true"),
    *(b"[" * 3000, b'{"a":' * 3000, b"a." * 3000, b"(" * 3000, b"x" * 5000, b" " * 5000),
)
VALUES = (
    *(None, True, False, 0, 1, -1, 2, 7, 99, 2**31, 2**53, 2**53 + 1, -(2**63), 10**30, 0.5, 1e308),
    *("red", "blue", "d4", "a1", "e5", "momentum", "attraktion", "sensor-stuck", "i2c-nack", "1"),
    *("", "z99", "\x00", "é" * 41, "{x}", "{", "\u2028", [], {}, ["d4"], {"a": 1}),
)


@st.composite
def spoilt(draw, examples):
    """Return one of ``examples`` with up to four sections replaced: deleted, overwritten, doubled,
    filled from another example, or replaced by one of ``TOKENS``.
    """
    data = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.one_of(st.integers(0, 8), st.integers(0, len(data)))))
        other = draw(st.sampled_from(examples))
        instead = draw(
            st.one_of(
                st.sampled_from(TOKENS),
                st.binary(max_size=16),
                st.just(data[start:end] * 2),
                st.integers(0, len(other)).map(lambda at, other=other: other[at : at + 40]),
                st.sampled_from(other.split() or [b""]),
            )
        )
        data = (data[:start] + instead + data[end:])[:LONGEST]
    return data


@st.composite
def spoilt_json(draw, examples):
    """Return one of the JSON texts ``examples`` with one or two changed keys or values. One time in
    four, the text is damaged as bytes.
    """
    if draw(st.integers(0, 3)) == 0:
        return draw(spoilt(examples))
    value = json.loads(draw(st.sampled_from(examples)))
    for _ in range(draw(st.integers(1, 2))):
        value = _changed(draw, value)
    return json.dumps(value, ensure_ascii=draw(st.booleans())).encode()


def _changed(draw, value):
    """Return ``value`` with one change inside; the key "type" stays."""
    keys = [key for key in value if key != "type"] if isinstance(value, dict) else []
    if keys:
        key = draw(st.sampled_from(keys))
        changed = {name: item for name, item in value.items() if name != key}
        way = draw(st.integers(0, 9))
        if way < 8:
            changed[key] = _changed(draw, value[key])
        elif way == 8:
            changed[str(draw(st.sampled_from(VALUES)))] = value[key]
        return changed
    if isinstance(value, list) and value:
        at = draw(st.integers(0, len(value) - 1))
        item = value[at]
        middle = draw(st.sampled_from(([], [item, item]))) or [_changed(draw, item)]
        return [*value[:at], *middle, *value[at + 1 :]]
    kin = [other for other in VALUES if type(other) is type(value)]
    return draw(st.one_of(st.sampled_from(kin or VALUES), st.sampled_from(VALUES)))
