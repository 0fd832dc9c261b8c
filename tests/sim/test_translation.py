"""Tests of firmware_host/messages/message.py: sentences for people are templates that a
catalogue can translate.
"""

import string

import pytest

from tests.sim.marked import literal_templates
from tiltboard.firmware_host.config.errors import ConfigError, catalogue_of
from tiltboard.firmware_host.messages import Catalogue, text


def test_fields_of_a_sentence_are_named_and_filled():
    for template in literal_templates():
        names = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
        assert all(name.isidentifier() for name in names), template


def test_a_sentence_inside_a_sentence_is_translated_first():
    catalogue = Catalogue("de", {"red": "rot", "It is {player}'s turn.": "{player} ist am Zug."})
    assert catalogue.translate(text("It is {player}'s turn.", player=text("red"))) == (
        "rot ist am Zug."
    )


def test_a_language_that_does_not_exist_names_those_that_do():
    with pytest.raises(ConfigError, match="known are: de, en, es"):
        catalogue_of("tlh")
