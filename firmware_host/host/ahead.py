"""What takes long of going on with a stored game: it needs no scan, and no scan waits for it."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.journal import JournalReader, PlayedGame, Replay, read_and_replay, replay
from firmware_host.table.commands import ImportGame, ResumeGame


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
