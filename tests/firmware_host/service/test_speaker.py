"""Tests of firmware_host/service/speaker.py: the table's voice, with a stand-in for the program
that speaks.
"""

from __future__ import annotations

import os
import stat
from types import SimpleNamespace

import pytest

from tiltboard.firmware_host.messages import Catalogue, text
from tiltboard.firmware_host.service.speaker import Speaker


def runs(number):
    """Whether that process is there still, ended but not waited for included."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


class Voice:
    """A program that writes what it was asked to say into a pipe, and goes on until it is ended."""

    def __init__(self, folder):
        self.said = folder / "said"
        os.mkfifo(self.said)
        self.program = folder / "speak"
        self.program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$$|$2|$4" > {self.said}\nexec sleep 600\n'
        )
        self.program.chmod(self.program.stat().st_mode | stat.S_IEXEC)

    def heard(self):
        """Number of the next process, and its language and sentence; waits until it speaks."""
        with self.said.open() as pipe:
            number, spoken = pipe.read().strip().split("|", 1)
        return int(number), spoken


@pytest.fixture
def voice(tmp_path):
    return Voice(tmp_path)


def speaker_of(program, shown, language="de"):
    return Speaker(str(program), Catalogue.load(language), lambda: shown)


def test_each_new_sentence_is_spoken_in_the_language_and_ends_the_one_before(voice):
    shown = SimpleNamespace(guidance=SimpleNamespace(say=text("A draw.")))
    speaker = speaker_of(voice.program, shown)
    speaker.look()
    first, spoken = voice.heard()
    assert spoken == "de|Unentschieden."
    speaker.look()  # nothing new
    shown.guidance.say = text("Choose a game to begin.")
    speaker.look()  # returns although the first still speaks
    second, spoken = voice.heard()
    assert spoken == "de|Wähl ein Spiel, um zu beginnen."
    assert not runs(first)
    assert runs(second)
    speaker.close()
    assert not runs(second)


def test_a_program_that_is_not_there_stops_nothing(tmp_path):
    speaker = speaker_of(
        tmp_path / "none", SimpleNamespace(guidance=SimpleNamespace(say=text("A draw.")))
    )
    speaker.look()
    speaker.close()
    assert speaker._process is None
