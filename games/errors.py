"""Errors of the games: something that the rules, or what a game declares, do not allow."""

from __future__ import annotations


def _on_one_line(value: object) -> object:
    """A text from outside as it can stand in a sentence: line ends and the like are spelled out."""
    if not isinstance(value, str) or value.isprintable():
        return value
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in value)


class RulesError(ValueError):
    """Something that the rules do not allow.

    ``template`` is English with ``{named}`` fields and ``params`` fills them, so that a host can
    translate the sentence; ``str(error)`` is the English sentence.
    """

    def __init__(self, template: str, /, **params: object) -> None:
        self.template = template
        self.params = {name: _on_one_line(value) for name, value in params.items()}
        super().__init__(template.format(**self.params))


class UnknownGameError(RulesError, LookupError):
    """Raised when no game has that name; the message names those that exist."""


class OptionError(RulesError):
    """Raised when an option is unknown, unreadable, out of range, or does not fit the others.

    Its sentence may have only players' word for the option; ``str(error)`` is for those who have
    written its name.
    """

    def __str__(self) -> str:
        return self.named(super().__str__())

    def named(self, sentence: str) -> str:
        """``sentence``, with the option's name before it if it does not name it."""
        name = str(self.params.get("name", ""))
        return sentence if name in sentence else f"{name}: {sentence}"


class IllegalMoveError(RulesError):
    """Raised when a move is unreadable or forbidden; the message names the rule."""


class BrokenGameError(RulesError):
    """Raised when a game that was installed cannot be used; the message says what is wrong."""
