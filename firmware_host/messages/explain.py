"""Errors made for people, as sentences in their language."""

from __future__ import annotations

from drivers.errors import TiltboardError
from firmware_host.messages.catalogue import Catalogue
from firmware_host.messages.message import Message
from games.base import RulesError


def explained(error: TiltboardError | RulesError, catalogue: Catalogue) -> str:
    """The problem, and the remedy if there is one. An error among its fields is explained too."""
    params = {
        name: explained(value, catalogue)
        if isinstance(value, TiltboardError | RulesError)
        else value
        for name, value in error.params.items()
    }
    problem = catalogue.translate(Message(error.template, params))
    if isinstance(error, RulesError):
        return problem
    remedy = catalogue.translate(Message(error.remedy_template, params))
    stop = "." if problem[-1:].isalnum() and remedy[:1].isupper() else ""
    return f"{problem}{stop} {remedy}".strip()
