"""A test language that marks each translated sentence, so that a sentence without a mark was not
translated.
"""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import tiltboard.firmware_host
import tiltboard.games
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.messages import Catalogue, Message
from tiltboard.games.registry import GAMES


@cache
def literal_templates() -> frozenset[str]:
    """Return the first argument of each ``text(...)`` call in the host's sources."""
    return frozenset(
        node.args[0].value
        for node in _nodes(tiltboard.firmware_host.__file__)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "text"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


@cache
def rule_sentences() -> frozenset[str]:
    """Return each string with a space in the games' sources, because refusals, reasons and results
    are used as templates.
    """
    return frozenset(
        node.value
        for node in _nodes(tiltboard.games.__file__)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    )


def _nodes(package: str) -> Iterable[ast.AST]:
    for path in Path(package).parent.rglob("*.py"):
        yield from ast.walk(ast.parse(path.read_text()))


class Marked(Catalogue):
    """A catalogue that marks each sentence, and records templates that no source contains."""

    def __init__(self) -> None:
        known = literal_templates() | rule_sentences()
        super().__init__("marked", {template: f"«{template}»" for template in known})
        self._unknown: set[str] = set()

    def translate(self, message: Message, form: str = "") -> str:
        if message.template not in self.messages:
            self._unknown.add(message.template)
        return super().translate(message, form)

    @property
    def mistakes(self) -> set[str]:
        """The sentences that were shown and that no source contains."""
        shown = {template for template in self._unknown if " " in template}
        shown -= {load_profile("plate-10").title}
        # A game gives these sentences, which are keys of the catalogue unchanged.
        for kind in GAMES.values():
            shown -= {kind.credit.title, kind.credit.notice, *kind.rules_summary}
        return shown
