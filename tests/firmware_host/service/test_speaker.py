"""The table's voice, with a stand-in for the program that speaks."""

from __future__ import annotations

import os
import stat
from types import SimpleNamespace

import pytest

from firmware_host.messages import Catalogue, text
from firmware_host.service.speaker import Speaker

PATIENCE_S = 20


class Voice:
    """A program that writes what it was asked to say into a pipe, and goes on until it is ended."""

    def __init__(self, folder):
        self.said = folder / "said"
        os.mkfifo(self.said)
        self.program = folder / "speak"
        self.program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$2|$4" > {self.said}\nexec sleep 600\n'
        )
        self.program.chmod(self.program.stat().st_mode | stat.S_IEXEC)

    def heard(self):
        """The next sentence; waits until it is spoken."""
        with self.said.open() as pipe:
            return pipe.read().strip()


@pytest.fixture
def voice(tmp_path):
    return Voice(tmp_path)


def speaker_of(program, shown, language="de"):
    return Speaker(str(program), Catalogue.load(language), lambda: shown)


def test_each_new_sentence_is_spoken_in_the_language_and_ends_the_one_before(voice):
    shown = SimpleNamespace(say=text("A draw."))
    speaker = speaker_of(voice.program, shown)
    speaker.start()
    speaker.look()
    assert voice.heard() == "de|Unentschieden."
    first = speaker._process
    speaker.look()  # nothing new
    shown.say = text("Choose a game to begin.")
    speaker.look()  # returns although the first still speaks
    assert voice.heard() == "de|Wähl ein Spiel, um zu beginnen."
    assert first.wait(PATIENCE_S) != 0  # it was ended
    second = speaker._process
    speaker.close()
    assert second.wait(PATIENCE_S) != 0


def test_a_program_that_is_not_there_stops_nothing(tmp_path):
    speaker = speaker_of(tmp_path / "none", SimpleNamespace(say=text("A draw.")))
    speaker.start()
    speaker.look()
    speaker.close()
    assert speaker._process is None
