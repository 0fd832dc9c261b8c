"""What takes long of beginning a game, or of going on with one: it needs no scan, and no scan waits
for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from firmware_host.journal import JournalReader, PlayedGame, Replay, read_and_replay, replay
from firmware_host.table.commands import ImportGame, NewGame, ResumeGame
from games.registry import game_type


@dataclass(frozen=True, slots=True)
class Ahead:
    """A game as it was read. ``played``: it is still to be stored; None: it is in the journal."""

    replayed: Replay
    played: PlayedGame | None = None


def read_ahead(command: ResumeGame | ImportGame, journal: JournalReader) -> Ahead:
    """Read and replay the game. Raises what stands in its way."""
    if isinstance(command, ResumeGame):
        return Ahead(replay(journal.load(command.game)))
    played, replayed = read_and_replay(command.text)
    return Ahead(replayed, played)


def with_boards_read(command: NewGame) -> NewGame:
    """The same with its boards and decks as options. Raises RulesError."""
    if not command.boards:
        return command
    kind = game_type(command.game)
    boards = {name: kind.board_of(text) for name, text in command.boards.items()}
    return replace(command, options={**command.options, **boards}, boards={})
