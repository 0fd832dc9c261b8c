"""Chooses games for a soak: short games of each kind, with options that people would choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tiltboard.firmware_host.config.errors import BoardDoesNotFitError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.games.base import OptionError
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.rng import Stream

TRIES = 50
# Fraction of Gravity Trap's games on a shipped board, whose twenty pods take long to put down.
SHIPPED_BOARD = 0.04

Options = dict[str, Any]


def games_of(profile: Profile) -> tuple[str, ...]:
    """Return the soak's games that fit this table."""
    return tuple(name for name in SMALLEST if _carries(profile, name, SMALLEST[name]))


def deal(profile: Profile, game: str, stream: Stream) -> NewGame:
    """Return a game of this name with random options that fit the table."""
    for _ in range(TRIES):
        options = DEALERS[game](stream, profile)
        if _carries(profile, game, options):
            return NewGame(game, options)
    return NewGame(game, SMALLEST[game])


def _carries(profile: Profile, game: str, options: Mapping[str, Any]) -> bool:
    try:
        Overlay(profile, game_type(game).create(options))
    except (BoardDoesNotFitError, OptionError):
        return False
    return True


def _momentum(stream: Stream, profile: Profile) -> Options:
    kinds = profile.kinds
    players = stream.choice([count for count in (2, 2, 3, 4) if count <= kinds])
    options: Options = {"players": players, "marbles": stream.randint(2, 4)}
    if stream.random() < 0.2:
        options["hex"] = stream.choice((2, 3))
    else:
        options["width"], options["height"] = stream.randint(3, 5), stream.randint(3, 5)
        for kind in ("holes", "cushions", "missing"):
            if stream.random() < 0.2:
                column, row = stream.choice("abc"), stream.randint(1, 3)
                options[kind] = [f"{column}{row}"]
    if players == 2:
        options["pie"] = stream.random() < 0.6
    if players == 3:
        options["must_block"] = stream.random() < 0.7
    options["round_limit"] = stream.randint(2, 4)  # A complete set never occurs by chance.
    return options


def _attraktion(stream: Stream, _profile: Profile) -> Options:
    size = stream.choice((3, 4, 4, 5))
    return {"size": size, "pieces": stream.randint(2, 4)}


def _gravity_connect(stream: Stream, _profile: Profile) -> Options:
    size = stream.choice((3, 3, 4))
    return {"size": size, "line": 3 if size > 3 else stream.choice((2, 3, 3))}


def _gravity_trap(stream: Stream, _profile: Profile) -> Options:
    if stream.random() < SHIPPED_BOARD:
        return {}
    bases = stream.randint(4, 8)
    tracks = []
    for _ in range(stream.randint(2, 4)):
        tracks.append(stream.sample(range(1, bases + 1), min(bases, stream.randint(3, 5))))
    lonely = set(range(1, bases + 1)) - {base for track in tracks for base in track}
    for base in sorted(lonely):
        tracks.append([base, stream.choice([b for b in range(1, bases + 1) if b != base])])
    side = stream.choice((3, 4))
    spots = stream.sample([(x, y) for x in range(side) for y in range(side)], bases)
    board: Options = {
        "tracks": tracks,
        "positions": {str(base): list(spot) for base, spot in enumerate(spots, start=1)},
    }
    if bases % 2 == 0 and stream.random() < 0.4:
        board["opposite"] = {str(base): bases + 1 - base for base in range(1, bases + 1)}
    return {"board": board}


DEALERS: Mapping[str, Callable[[Stream, Profile], Options]] = {
    "momentum": _momentum,
    "attraktion": _attraktion,
    "gravity-connect": _gravity_connect,
    "gravity-trap": _gravity_trap,
}
SMALLEST: Mapping[str, Mapping[str, Any]] = {
    "momentum": {"size": 3, "marbles": 2},
    "attraktion": {"size": 3, "pieces": 2},
    "gravity-connect": {"size": 3, "line": 3},
    "gravity-trap": {"board": {"tracks": [[1, 2, 3], [2, 4]]}},
}
