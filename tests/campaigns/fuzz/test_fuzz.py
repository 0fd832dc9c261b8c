"""Tests of firmware_host/config/files.py, errors.py and firmware_host/journal/text_format.py:
everything read from outside, spoilt: it is taken, or refused with one line of our own.

For a long run: python -m pytest tests/campaigns/fuzz --hypothesis-profile night
"""

import subprocess
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.campaigns.fuzz import archives, texts, wires
from tests.few import few
from tiltboard.firmware_host.cli.rules import load_board
from tiltboard.firmware_host.config.errors import ConfigError, JournalDamagedError, TraceError
from tiltboard.firmware_host.config.files import read_board, read_toml
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.perception.calibration import read_calibration
from tiltboard.firmware_host.scenario.trace import read_trace, without_logging
from tiltboard.firmware_host.web.pairing import TOKENS_NAME, Tokens
from tiltboard.games.base import OptionError, RulesError
from tiltboard.games.contract import answer_line
from tiltboard.ground.errors import TiltboardError

TARGETS = (
    *(wires.FromNode, wires.ToNode, wires.Messages),
    *(texts.Scenarios, texts.Profiles, texts.SettingsFiles, texts.Boards, texts.Calibrations),
    *(texts.Imports, texts.Questions, texts.PairedDevices, texts.Interrupted, archives.Traces),
    archives.Backups,
)


@pytest.mark.parametrize("kind", TARGETS, ids=lambda kind: kind.__name__)
def test_spoilt_input_ends_in_the_tables_own_errors_only(kind, tmp_path):
    target = kind(tmp_path)
    refused = []

    @few(60)
    @given(st.data())
    def read(data):
        spoilt = data.draw(target.inputs(examples))
        try:
            if not target.read(spoilt):
                refused.append(spoilt)
        except (TiltboardError, RulesError) as error:
            assert "\n" not in str(error)
            refused.append(spoilt)

    with target.held, without_logging(), warnings.catch_warnings():
        warnings.simplefilter("error")
        examples = target.examples()
        assert target.read(examples[0])
        read()
    assert len(refused) > 10  # the edits do spoil something


# What it has found


DEEP = "[" * 3000


def test_a_number_of_thousands_of_digits_is_no_toml(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(f"port = {'9' * 4301}")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        read_toml(file, Settings)
    with pytest.raises(ConfigError, match="is not TOML"):
        load_board(file)


def test_brackets_without_end_are_no_toml_and_no_json(tmp_path):
    file = tmp_path / "deep"
    file.write_text(f"names = {DEEP}")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        read_toml(file, Settings)
    with pytest.raises(ConfigError, match="is not TOML"):
        load_board(file)
    file.write_text(DEEP)
    with pytest.raises(ConfigError, match="is not JSON"):
        read_calibration(file, load_profile("plate-7"))


@pytest.mark.parametrize("spoilt", [b"\xff", "\u0660".encode(), b"g"])
def test_a_list_of_paired_devices_with_a_digest_that_is_none_lets_nobody_in(tmp_path, spoilt):
    tokens = Tokens(tmp_path, lambda: 0.0)
    tokens.pair("phone")
    file = tmp_path / TOKENS_NAME
    before, _, after = file.read_bytes().partition(b'"digest": "')
    file.write_bytes(before + b'"digest": "' + spoilt + after[1:])
    assert not tokens.knows("0" * 64)
    assert tokens.devices() == ()


def test_an_option_from_outside_stands_on_one_line_and_may_name_anything():
    question = b'{"game": "gravity-trap", "options": {"board": "\\u0000"}}'
    with pytest.raises(OptionError, match=r"There is no board and no file \\x00;"):
        answer_line(question, read_board=read_board)
    question = b'{"game": "gravity-trap", "options": {"mirror": "no\\ncopy\\u2028\\u00e4"}}'
    with pytest.raises(OptionError) as refused:
        answer_line(question)
    assert "no\\ncopy\\u2028ä" in str(refused.value)


def test_a_trace_whose_text_is_none_names_the_record(tmp_path):
    import gzip

    record = b'{"tiltboard_trace":1,"game":"\xc3("}'
    file = tmp_path / "bad.trace"
    file.write_bytes(gzip.compress(record + b"\n"))
    with pytest.raises(TraceError, match="record 0: expected JSON"):
        read_trace(file)


def test_a_damaged_journal_is_told_in_one_line(tmp_path):
    path = tmp_path / "journal.sqlite"
    script = (
        "from pathlib import Path; from tiltboard.firmware_host.journal.writer import Journal;"
        "from tiltboard.hw_sim.clock import VirtualClock;"
        f"Journal.open(Path({str(path)!r}), VirtualClock()).close()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    data = bytearray(path.read_bytes())
    data[2 * 4096 + 7] ^= 0x10  # fragmented bytes of page 3's header (SQLite file format 1.6)
    path.write_bytes(data)
    with pytest.raises(JournalDamagedError) as damaged, JournalReader.open_read_only(path):
        pass
    assert "\n" not in str(damaged.value)
