"""A club's evening: pairings, results and standings, all computed from one text file
(docs/club.md).

The rounds are computed after each change of the file. A round robin uses the circle method; a Swiss
tournament uses FIDE's Dutch rules (the library py4swiss, in the extra ``club``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import read_toml
from tiltboard.firmware_host.table.commands import Name
from tiltboard.ground.errors import extra_command

DRAW = "="
Game = tuple[str, str | None, str | None]
"""A game: the player who moves first, the second player (None for a bye), and the result. The
result is the winner's name, ``DRAW``, or None for an unfinished game.
"""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a finished game."""

    round: Annotated[int, msgspec.Meta(ge=1, le=200)]
    first: Name
    second: Name
    won: Name | None = None
    """The winner, or None for a draw."""


class Evening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file that describes an evening."""

    players: Annotated[list[Name], msgspec.Meta(min_length=2, max_length=200)]
    title: Annotated[str, msgspec.Meta(max_length=80)] = ""
    pairing: Literal["round-robin", "swiss"] = "round-robin"
    rounds: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5
    """The number of rounds of a Swiss tournament."""
    result: list[Result] = []
    """The finished games, in any order."""


class EveningLine(msgspec.Struct, frozen=True):
    """One player's line in the standings."""

    name: str
    points: float
    """The player's points: 1 for a win, 0.5 for a draw, 1 for a bye in a Swiss tournament."""
    opponents: float
    """The sum of the opponents' points (Buchholz), which breaks ties."""


class EveningSheet(msgspec.Struct, frozen=True):
    """The rounds and standings of a club's evening, in the form that the web page shows."""

    title: str
    rounds: list[list[Game]]
    standings: list[EveningLine]
    problem: str | None = None
    """The reason why the file cannot be read now, or None."""


Results = Mapping[tuple[int, frozenset[str]], Result]


def read_evening(path: Path) -> EveningSheet:
    """Return the rounds and standings of the file at ``path``. Raises ConfigError if the file is
    invalid.
    """
    evening = read_toml(path, Evening)
    why, swiss = "", evening.pairing == "swiss"
    if len({name.casefold() for name in evening.players}) < len(evening.players):
        why = "two players have the same name"
    elif swiss and find_spec("py4swiss") is None:
        bring = extra_command("club", "./packages/online")
        why = f"a Swiss tournament needs the extra club; in a clone of tiltboard run: {bring}"
    elif swiss and evening.rounds >= len(evening.players):
        why = "a Swiss tournament needs more players than rounds"
    results = {(each.round, frozenset((each.first, each.second))): each for each in evening.result}
    rounds = [] if why else _rounds(evening, results)
    games = {(n, frozenset(game[:2])) for n, games in enumerate(rounds, 1) for game in games}
    for (number, pair), each in results.items():
        if not why and ((number, pair) not in games or each.won not in (*pair, None)):
            why = f"round {number} has no such game of {each.first} and {each.second}"
    if why:
        raise ConfigError(
            "{path}: {why}.", remedy="Correct that file: docs/club.md.", path=path, why=why
        )
    return EveningSheet(evening.title, rounds, standings(evening.players, rounds, bye=float(swiss)))


def _rounds(evening: Evening, results: Results) -> list[list[Game]]:
    """Return all rounds of a round robin. For a Swiss tournament, return the rounds that can be
    paired from the results so far.
    """

    def told(number: int, pairs: Sequence[tuple[str, str | None]]) -> list[Game]:
        found = [results.get((number, frozenset((one, other or "")))) for one, other in pairs]
        return [
            (*pair, pair[0] if pair[1] is None else None if each is None else each.won or DRAW)
            for pair, each in zip(pairs, found, strict=True)
        ]

    if evening.pairing == "round-robin":
        return [told(n, pairs) for n, pairs in enumerate(round_robin(evening.players), 1)]
    rounds: list[list[Game]] = []
    while len(rounds) < evening.rounds and all(won for *_, won in (rounds or [[]])[-1]):
        pairs = _swiss(evening, rounds)
        if not pairs:
            break
        rounds.append(told(len(rounds) + 1, pairs))
    return rounds


def round_robin(players: Sequence[str]) -> list[list[tuple[str, str | None]]]:
    """Return the rounds of a tournament in which each player meets every other player once. In the
    circle method, one player keeps a fixed position and the other players rotate.
    """
    ring: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    rounds = []
    for number in range(len(ring) - 1):
        pairs = list(zip(ring[: len(ring) // 2], reversed(ring), strict=False))
        if number % 2:  # The player with the fixed position moves first in every other round.
            pairs[0] = pairs[0][1], pairs[0][0]
        ordered = [(one, other) if one is not None else (other, one) for one, other in pairs]
        rounds.append([(one, other) for one, other in ordered if one is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def _swiss(evening: Evening, before: Sequence[Sequence[Game]]) -> list[tuple[str, str | None]]:
    """Return the pairs of the next round of a Swiss tournament, or an empty list if no new pairing
    is possible. ``before``: the pairs of the finished rounds.
    """
    from py4swiss.engines import DutchEngine
    from py4swiss.engines.common import PairingError
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode

    number = {name: at for at, name in enumerate(evening.players, 1)}
    told: dict[str, list[dict[str, object]]] = {name: [] for name in evening.players}
    for first, second, won in (game for games in before for game in games):
        if second is None:
            told[first].append({"id": 0, "color": "-", "result": "U"})
            continue
        for one, other, colour in ((first, second, "w"), (second, first, "b")):
            result = DRAW if won == DRAW else "1" if won == one else "0"
            told[one].append({"id": number[other], "color": colour, "result": result})
    points = {line.name: line.points for line in standings(evening.players, before, bye=1.0)}
    players = [
        {
            "code": PlayerCode.PLAYER,
            "starting_number": at,
            "rank": at,
            "points_times_ten": round(points[name] * 10),
            "results": told[name],
        }
        for name, at in number.items()
    ]
    rounds = {"number_of_rounds": evening.rounds}
    try:
        paired = DutchEngine.generate_pairings(
            ParsedTrf.model_validate({"player_sections": players, "x_section": rounds})
        )
    except PairingError:
        return []
    names = dict(enumerate(evening.players, 1))
    return [(names[each.white], names.get(each.black)) for each in paired]


def standings(
    players: Sequence[str], rounds: Sequence[Sequence[Game]], *, bye: float
) -> list[EveningLine]:
    """Return the standings, best player first. Players with equal points and equal Buchholz scores
    keep the order of ``players``. ``bye``: the points for a bye.
    """
    points = dict.fromkeys(players, 0.0)
    met: dict[str, list[str]] = {name: [] for name in players}
    for first, second, won in (game for games in rounds for game in games):
        if second is None:
            points[first] += bye
        elif won is not None:
            for one, other in ((first, second), (second, first)):
                points[one] += 0.5 if won == DRAW else float(won == one)
                met[one].append(other)
    lines = [
        EveningLine(name, points[name], sum(points[other] for other in met[name]))
        for name in players
    ]
    return sorted(lines, key=lambda line: (-line.points, -line.opponents))


def open_game(sheet: EveningSheet, names: frozenset[str]) -> tuple[int, str, str] | None:
    """Return the first unfinished game between the two players in ``names``, or None if there is no
    such game. The result has the number of the round, the first player and the second player.
    """
    for number, games in enumerate(sheet.rounds, 1):
        for first, second, won in games:
            if second is not None and won is None and {first, second} == names:
                return number, first, second
    return None


def open_pairs(sheet: EveningSheet) -> set[frozenset[str]]:
    """Return the pair of players' names for each unfinished game."""
    games = (game for each in sheet.rounds for game in each)
    return {frozenset((first, second)) for first, second, won in games if second and won is None}


def append_result(path: Path, result: Result) -> None:
    """Append a result to the file of the evening. Raises OSError."""
    fields = {name: value for name, value in msgspec.to_builtins(result).items() if value}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(["", "[[result]]", *lines, ""]))
