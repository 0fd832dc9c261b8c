"""Everything that is read from outside, spoilt: a small run of ``tiltboard bench fuzz``."""

from __future__ import annotations

import subprocess
import sys
from typing import ClassVar

import pytest
from click.testing import CliRunner

from firmware_host.bench.fuzz import run as fuzzing
from firmware_host.bench.fuzz.target import Target
from firmware_host.boards import load_board, read_board
from firmware_host.cli.main import cli
from firmware_host.config import read_toml
from firmware_host.errors import ConfigError, JournalDamagedError, TraceError
from firmware_host.journal import JournalReader
from firmware_host.perception.calibration import read_calibration
from firmware_host.profile import load_profile
from firmware_host.settings import Settings
from firmware_host.trace import read_trace
from firmware_host.web.tokens import TOKENS_NAME, Tokens
from games.base import OptionError
from games.contract import answer_line

NAMES = [kind.name for kind in fuzzing.TARGETS]
ENOUGH = 80


@pytest.mark.parametrize("kind", fuzzing.TARGETS, ids=NAMES)
def test_spoilt_input_ends_in_the_tables_own_errors_only(kind):
    count = fuzzing.fuzz(kind, range(ENOUGH), seed=7)
    assert list(count.first.values()) == []
    assert count.taken + count.refused == ENOUGH
    assert count.refused > ENOUGH / 4  # the mutations do spoil something


class Fragile(Target):
    """Refuses nothing, and breaks at every byte above 0x7f."""

    name = "fragile"
    what = "nothing real"
    given_back: ClassVar[list[str]] = []

    def examples(self):
        self.held.callback(self.given_back.append, self.name)
        return [b"good"]

    def read(self, data):
        return bool(data.decode("ascii")) or True


class Chatty(Fragile):
    name = "chatty"

    def read(self, data):
        if data != b"good":
            raise ConfigError("first line\nsecond line")
        return True


def test_any_other_error_is_counted_and_can_be_repeated():
    count = fuzzing.fuzz(Fragile, range(300), seed=1)
    assert count.broken > 0
    assert Fragile.given_back == ["fragile"]
    (shown,) = count.first.values()
    command, _, what = shown.splitlines()
    assert "UnicodeDecodeError" in what
    number = int(command.rpartition(" ")[2])
    again = fuzzing.fuzz(Fragile, [number], seed=1)
    assert (again.broken, list(again.first.values())) == (1, [shown])


def test_an_error_of_several_lines_is_one_too_many():
    count = fuzzing.fuzz(Chatty, range(20), seed=1)
    assert count.broken == 20 - count.taken
    assert all("more than one line" in shown for shown in count.first.values())


def test_the_same_seed_makes_the_same_mutations(tmp_path):
    from hw_sim.rng import Streams

    spoilt = []
    for name in "ab":
        (tmp_path / name).mkdir()
        target = fuzzing.TARGETS[-1](tmp_path / name)  # backups: an archive carries dates
        examples = target.examples()
        spoilt.append([target.spoil(Streams(1).stream(f"{n}"), examples) for n in range(20)])
    assert spoilt[0] == spoilt[1]


def test_the_command_counts_each_target_and_fails_where_something_broke(monkeypatch):
    runner = CliRunner()
    asked = ["bench", "fuzz", "--mutations", "20", "--target"]
    done = runner.invoke(cli, [*asked, "settings"])
    assert done.exit_code == 0, done.output
    *_, row = done.output.splitlines()
    assert row.split()[0] == "settings"
    assert sum(int(word) for word in row.split()[3:6]) == 20
    monkeypatch.setattr(fuzzing, "TARGETS", (Chatty,))
    done = runner.invoke(cli, [*asked, "chatty"])
    assert isinstance(done.exception, fuzzing.FuzzError)
    assert "tiltboard bench fuzz --target chatty --seed 1 --only" in done.output
    done = runner.invoke(cli, [*asked, "chaty"])
    assert isinstance(done.exception, ConfigError)
    assert "did you mean 'chatty'?" in str(done.exception)


# What it has found


DEEP = "[" * 3000


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
    from zlib import crc32

    record = b'{"tiltboard_trace":1,"profile":"\xc3("}'
    file = tmp_path / "bad.trace"
    file.write_bytes(gzip.compress(b"%08x %s\n" % (crc32(record), record)))
    with pytest.raises(TraceError, match="record 0: expected JSON"):
        read_trace(file)


def test_a_damaged_journal_is_told_in_one_line(tmp_path):
    path = tmp_path / "journal.sqlite"
    script = (
        "from pathlib import Path; from firmware_host.journal import Journal;"
        "from hw_sim.clock import VirtualClock;"
        f"Journal.open(Path({str(path)!r}), VirtualClock()).close()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    data = bytearray(path.read_bytes())
    data[2 * 4096 + 7] ^= 0x10  # fragmented bytes of page 3's header (SQLite file format 1.6)
    path.write_bytes(data)
    with pytest.raises(JournalDamagedError) as damaged, JournalReader.open_read_only(path):
        pass
    assert "\n" not in str(damaged.value)
