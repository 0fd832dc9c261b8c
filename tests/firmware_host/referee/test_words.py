"""Tests of games/gravity_warfare/words.py, moves.py and firmware_host/referee/seat_view.py: what a
seated game says can be shown in every language, down to the words within sentences.
"""

from __future__ import annotations

import random
import re

import pytest

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.messages.catalogue import Catalogue, languages
from tiltboard.firmware_host.referee.seat_view import sentence
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE, moves

ENGLISH_IN_ALL = re.compile(
    "[^A-Za-z]*([A-Za-z][^A-Za-z]*)?"
)  # numbers, dashes, "{one} + {others}"
WRITTEN = {"what", "move", "known"}  # fields that repeat what was written


def parts(message):
    """Every template in it, and in what fills it."""
    yield re.sub(r"{\w*}", "", message.template), message.template
    for name, value in message.params.items():
        if isinstance(value, Message) and name not in WRITTEN:
            yield from parts(value)


def said_in_games():
    """Prompts and refusals of random games."""
    for mode in ("battle", "simple", "teams", "1v1"):
        for face in ("universe", "mothership"):
            dice = random.Random(mode)
            game = GRAVITY_WARFARE.create({"mode": mode, "face": face, "rounds": 1})
            position, tried = game.start(), ["blue:buy:left", "red:take:1:red-tank"]
            for _ in range(250):
                if position.over:
                    break
                yield sentence(game.prompt(position))
                legal = list(position.legal())
                for move in dice.sample(tried, min(4, len(tried))):
                    refusal = game.refusal(position, move)
                    if refusal is not None:
                        yield sentence((refusal.template, refusal.params))
                tried += dice.sample(legal, min(2, len(legal)))
                move = moves.completed(position.state, dice.choice(legal), dice)
                position = position.play(move).position


@pytest.mark.parametrize("language", [each for each in languages() if each != "en"])
def test_every_word_of_a_sentence_is_translated(language):
    known = Catalogue.load(language).messages
    missing = {
        template
        for message in said_in_games()
        for bare, template in parts(message)
        if not ENGLISH_IN_ALL.fullmatch(bare) and template not in known
    }
    assert missing == set()


def test_players_pieces_and_cards_stand_in_a_sentence_as_people_call_them():
    game = GRAVITY_WARFARE.create({"players": 3, "seed": 4})
    position = game.start()
    for move in ("chance:heroes", "chance:shuffle", "chance:roll:tank:3"):
        position = position.play(game.completed(position, move, random.Random(1))).position
    polish = Catalogue.load("pl")
    refusal = game.refusal(position, "red:withdraw:antimatter=limit-it")
    assert "antimatter" not in polish.translate(sentence((refusal.template, refusal.params)))
    refusal = game.refusal(position, "chance:roll:tank:3")
    said = polish.translate(sentence((refusal.template, refusal.params)))
    assert said.count("Czerwony, Niebieski, Biały") == 1
