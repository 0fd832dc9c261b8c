"""Everything the table says passes through the catalogue: in a language where every sentence is
marked, no unmarked sentence is shown.
"""

import ast
import string
from collections.abc import Iterable
from pathlib import Path

import pytest

import firmware_host
import games
from firmware_host.config.profile import load_profile
from firmware_host.messages import Catalogue, Message, text
from firmware_host.messages.errors import UnknownLanguageError
from firmware_host.scenario.parse import parse_scenario
from firmware_host.scenario.run import ScenarioRunner
from firmware_host.web.language import encoder
from firmware_host.web.publish import Publisher
from games.registry import GAMES
from hw_sim.scenario_hands import SimulatedHands
from hw_sim.session import SimSession

PACKAGE = Path(firmware_host.__file__).parent
SCENARIOS = (
    *("fix", "takeback", "swap", "paused", "over", "upside-down", "setup", "kill", "menu"),
    *("attraktion-over", "attraktion-fix", "gravity-connect-questions", "gravity-connect-fix"),
    *("gravity-trap-moves", "gravity-trap-fix", "gravity-trap-over"),
)


def literal_templates() -> dict[str, Path]:
    """The first argument of every ``text(...)`` call in the host's sources."""
    found: dict[str, Path] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id == "text" and node.args:
                argument = node.args[0]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    found[argument.value] = path
    return found


def rule_sentences() -> set[str]:
    """Every string of words in the games' sources: refusals, reasons and results keep their
    template.
    """
    package = Path(games.__file__).parent
    return {
        node.value
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    }


class Marked(Catalogue):
    """Marks what it translates; a template that no source has as a literal is a mistake."""

    def __init__(self, known: Iterable[str]) -> None:
        super().__init__("marked", {template: f"«{template}»" for template in known})
        self.unknown: set[str] = set()

    def translate(self, message: Message, form: str = "") -> str:
        if message.template not in self.messages:
            self.unknown.add(message.template)
        return super().translate(message, form)


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_the_table_says_is_in_the_catalogue(tmp_path, name):
    catalogue = Marked({*literal_templates(), *rule_sentences()})
    path = Path(__file__).with_name("scenarios") / f"{name}.scenario"
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        runner = ScenarioRunner(SimulatedHands(session))
        for report in runner.run(parse_scenario(name, path.read_text())):
            assert report.failure is None
            say = catalogue.translate(session.host.standing.say)
            assert say.startswith("«"), say
            assert say.endswith("»"), say
            encoder(catalogue)(Publisher(session.host).snapshot())
    shown = {template for template in catalogue.unknown if " " in template}
    shown -= {load_profile("plate-10").title}
    for kind in GAMES.values():  # said by the game, which is a key of the catalogue as it is
        shown -= {kind.credit.title, kind.credit.notice, *kind.rules_summary}
    assert shown == set()


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
    with pytest.raises(UnknownLanguageError, match="known are: de, en, es"):
        Catalogue.load("tlh")
