"""The counts of a soak: games, moves, mistakes, faults and failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tiltboard.firmware_host.messages import Message, text


@dataclass(slots=True)
class Totals:
    """The counts of a soak.

    ``games``, ``moves`` and ``table_s`` are by game and profile; ``table_s`` is in virtual seconds.
    ``back`` counts the moves taken back, ``again`` the actions that were repeated because the table
    had not noticed them. ``mistakes``, ``disturbances`` and ``faults`` are by kind. ``failures``
    has a sentence with the game's number for each failure.
    """

    games: Counter[tuple[str, str]] = field(default_factory=Counter)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)
    table_s: dict[tuple[str, str], float] = field(default_factory=dict)
    back: int = 0
    again: int = 0
    mistakes: Counter[str] = field(default_factory=Counter)
    disturbances: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def played(self, game: str, profile: str, moves: int, table_s: float) -> None:
        """Add a finished game."""
        key = game, profile
        self.games[key] += 1
        self.moves[key] += moves
        self.table_s[key] = self.table_s.get(key, 0.0) + table_s

    def lines(self) -> list[Message]:
        """Return the counts as sentences, one for each line."""
        found = [
            text(
                "{game} on {profile}: {games} games, {moves} moves, {hours} h",
                game=game,
                profile=profile,
                games=count,
                moves=self.moves[game, profile],
                hours=f"{self.table_s[game, profile] / 3600:.2f}",
            )
            for (game, profile), count in sorted(self.games.items())
        ]
        found.append(
            text(
                "{games} games, {moves} moves confirmed, {back} taken back, {hours} h at the table,"
                " {again} deeds done again",
                games=self.games.total(),
                moves=self.moves.total(),
                back=self.back,
                hours=f"{sum(self.table_s.values()) / 3600:.2f}",
                again=self.again,
            )
        )
        for said, counts in (
            (text("{count} mistakes: {listed}"), self.mistakes),
            (text("{count} disturbances: {listed}"), self.disturbances),
            (text("{count} faults: {listed}"), self.faults),
        ):
            listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
            found.append(Message(said.template, {"count": counts.total(), "listed": listed}))
        found.append(text("{count} failures", count=len(self.failures)))
        return found
