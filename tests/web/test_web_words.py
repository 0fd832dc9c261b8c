"""Tests of firmware_host/web/requests.py, responses.py, websocket.py and language.py: each field of
text of each command, with what a template, a format, a terminal or a page would read as more
than text: over both ways in, it is answered in one short sentence.
"""

from __future__ import annotations

import json
from itertools import cycle

import pytest
from msgspec import inspect

from tests.web.test_web_server import JSON, ask, page_of
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.web import websocket
from tiltboard.firmware_host.web.requests import Incoming
from tiltboard.firmware_host.web.responses import PairRequest, SeatRequest

SAID = inspect.type_info(Incoming).types
POSTED = {"pairing": inspect.type_info(PairRequest), "seats": inspect.type_info(SeatRequest)}
BRACES = "{a}"
STRANGE = ("{0.__class__}", "%(a)s%n", "\x1b[2J", "<b>", "a" * 4000, " ", "\ud800")
LONGEST = 2000  # characters of a sentence
others = cycle(STRANGE)
# What is usual in a field of that name; "red" in others
USUAL = {"place": "d4", "source": "d4", "target": "e4", "move": "red:pass"}


def values(kind, name="", game=""):
    """A value that fits a field of that name, and then the same with braces and another strange
    word in each place of text. What may be left out and holds no text is left out.
    """
    match kind:
        case inspect.Metadata():
            yield from values(kind.type, name, game)
        case inspect.StructType():
            fields = {f.encode_name: list(values(f.type, f.encode_name, game)) for f in kind.fields}
            for each in kind.fields:
                if not each.required and len(fields[each.encode_name]) < 3:
                    del fields[each.encode_name]
            tag = {} if kind.tag is None else {str(kind.tag_field): kind.tag}
            plain = {**tag, **{name: found[0] for name, found in fields.items()}}
            yield plain
            for each, found in fields.items():
                yield from ({**plain, each: value} for value in found[1:])
        case inspect.UnionType():
            ways = sorted(kind.types, key=lambda each: isinstance(each, inspect.NoneType))
            for way in ways:
                yield from values(way, name, game)
        case inspect.LiteralType():
            yield kind.values[0]
        case inspect.EnumType():
            yield next(iter(kind.cls)).value
        case inspect.BoolType():
            yield True
        case inspect.IntType() | inspect.FloatType():
            yield 1
        case inspect.StrType():
            usual = game if name == "game" else USUAL.get(name, "red")
            yield from (usual, BRACES, next(others))
        case inspect.DictType():
            keys, held = list(values(kind.key_type)), list(values(kind.value_type))
            yield {}
            yield from ({key: held[0]} for key in keys)
            yield from ({keys[0]: value} for value in held[1:])
        case inspect.ListType() | inspect.VarTupleType() | inspect.CollectionType():
            yield from ([value] for value in values(kind.item_type))
        case _:
            yield None


def say(answer):
    """Its sentence, as short as one, with nothing that a terminal would obey."""
    sentence = answer.get("say", "")
    assert len(sentence) < LONGEST
    assert "\x1b" not in sentence
    return sentence


@pytest.mark.parametrize(("game", "first"), [("momentum", 0), ("gravity-warfare", 1)])
def test_no_word_is_more_than_a_word(at_rest, monkeypatch, caplog, game, first):
    """Over either way in turn; what one game had over one, the other has over the other."""
    monkeypatch.setattr(websocket, "MESSAGES_PER_S", 1e9)
    # An answer is looked at, and not what comes of it on the plate.
    monkeypatch.setattr("tests.web.conftest.REST_S", 0.1)
    at_rest.table.submit(NewGame(game)).result(20)
    messages = [("command", message) for kind in SAID for message in values(kind, game=game)]
    messages += [(path, each) for path, kind in POSTED.items() for each in values(kind)]
    assert len(messages) > 150
    repeated = 0
    with page_of(at_rest) as page:
        for number, (path, message) in enumerate(messages, first):
            if number % 2 or path != "command":
                body = json.dumps(message).encode()
                kind = {"content_type": JSON}
                status, _, body = at_rest.request("POST", f"/api/v1/{path}", body, **kind)
                assert status < 500, (message, body)
                answer = json.loads(body)
            else:
                answer, _ = ask(page, ref=number, **message)
            repeated += BRACES in say(answer)
    assert repeated > 12  # as it came, with its braces
    assert not [each for each in caplog.records if each.exc_info]
