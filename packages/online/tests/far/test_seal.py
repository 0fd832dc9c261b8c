"""Tests of tiltboard_online/far/seal.py: codes, and messages that nobody else can read or write."""

from __future__ import annotations

import hashlib

import pytest
from nacl.bindings import crypto_secretbox_open, crypto_sign_open

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard_online.far.match import Hello
from tiltboard_online.far.seal import MAX_BYTES, Keys, Seal, new_code, read_code

CODE = "7KQ2M-XWD9F"


@pytest.fixture(scope="module")
def keys():
    return Keys.of(CODE)


def test_a_code_is_read_however_it_is_typed():
    for typed in (CODE, "7kq2mxwd9f", " 7KQ2M XWD9F ", "7K Q2-MX WD-9F"):
        assert read_code(typed) == CODE
    assert read_code("oiloi-lOIL0") == "01101-10110"
    assert read_code(new_code()) != read_code(new_code())
    for typed in ("", "7KQ2M", CODE + "A", "7KQ2M-XWD9U", "7KQ2M-XWD9\N{DIGIT NINE}\N{SNOWMAN}"):
        with pytest.raises(NotPossibleError, match="ten letters and digits"):
            read_code(typed)


def test_keys_are_what_the_page_of_the_protocol_says(keys):
    made = hashlib.scrypt(
        b"7KQ2MXWD9F", salt=b"tiltboard far 1", n=32768, r=8, p=1, maxmem=2**26, dklen=48
    )
    assert (keys.id, keys.key) == (made[:16].hex(), made[16:].hex())
    assert keys.topic == f"tiltboard/1/match/{made[:16].hex()}"
    again = Keys.of(CODE)
    assert (again.id, again.key) == (keys.id, keys.key) and again.seed != keys.seed


def test_a_message_is_opened_by_libsodium_alone_as_the_page_says(keys):
    one = Seal(keys)
    message = one.close(Hello("Lyon"))
    signed = crypto_secretbox_open(message[24:], message[:24], bytes.fromhex(keys.key))
    said = crypto_sign_open(signed, bytes.fromhex(one.table))
    assert said == b'{"type":"hello","name":"Lyon","version":1}'


def test_only_who_has_the_code_and_the_tables_own_seed_is_believed(keys):
    one, other, stranger = Seal(keys), Seal(Keys.of(CODE)), Seal(Keys.of("7KQ2M-XWD9G"))
    message = one.close(Hello("Lyon"))
    assert other.open(one.table, message) == Hello("Lyon")
    assert b"Lyon" not in message
    for opens, table in ((stranger, one.table), (other, other.table), (other, "zz"), (other, "")):
        with pytest.raises(ValueError, match="sealed"):
            opens.open(table, message)
    for bad in (b"", message[:-1], message[:40], bytes(len(message))):
        with pytest.raises(ValueError, match="sealed"):
            other.open(one.table, bad)
    for at in range(0, len(message), 7):
        struck = bytearray(message)
        struck[at] ^= 1
        with pytest.raises(ValueError, match="sealed"):
            other.open(one.table, bytes(struck))
    with pytest.raises(ValueError, match="the most"):
        other.open(one.table, bytes(MAX_BYTES + 1))
