"""The public state of a table for spectators: one small retained message per table.

The message has the confirmed position and the sentence that the page shows. A spectator's program
creates the board from the game's name and options by the program's own rules. A message therefore
cannot bring another board (docs/club.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.service.publish import game_info, layout_of
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.table.commands import Name, Number
from tiltboard.firmware_host.table.zones import overlay_for
from tiltboard.games.base import RulesError
from tiltboard.games.registry import game_type

# Maximum size of a message in bytes. Most messages have 300 to 900 bytes; a custom board is the
# longest part of a message.
MAX_BYTES = 16_384
LONGEST_SENTENCE = 300
PLATE = "plate-10"  # Name of a table profile on whose plate every game fits.
Places = Annotated[dict[Name, Name], msgspec.Meta(max_length=100)]


class SpectatorView(msgspec.Struct, frozen=True, omit_defaults=True):
    """The public state of a table, as spectators receive it."""

    table: Name
    """The table's name for people."""
    game: Name
    number: Number
    """The number of the game at this table."""
    ply: Number
    """The number of confirmed moves."""
    phase: Name
    options: dict[str, Any] = {}
    """The options of the game that differ from the default options."""
    to_move: Name | None = None
    cells: Places = {}
    """The piece on each occupied place, by place name."""
    marks: Annotated[dict[Name, Literal["last", "win"]], msgspec.Meta(max_length=100)] = {}
    """The role of each marked place, by place name: ``last`` for the last move, ``win`` for a
    winning piece.
    """
    move: Name | None = None
    say: Annotated[str, msgspec.Meta(max_length=LONGEST_SENTENCE)] = ""
    """The sentence that the table shows, in the table's language."""
    over: bool = False
    winner: Name | None = None
    names: Annotated[dict[Name, Name], msgspec.Meta(max_length=4)] = {}
    """The name of the person who plays as each player, by player, if the settings allow people's
    names.
    """
    listed: bool = False
    """True if the club's page can show this table to all visitors. Otherwise, only the table's own
    link shows it.
    """


def seen_of(
    layout: Layout,
    snapshot: Snapshot,
    spoken: Catalogue,
    *,
    table: str,
    names: bool = False,
    listed: bool = False,
) -> SpectatorView | None:
    """Return a table's public state after its last step, or None before the first game.

    ``names``: whether the state and its sentence contain people's names. ``listed``: whether the
    club's page can show the table.
    """
    if layout.game is None:
        return None
    played, guidance = snapshot.game, snapshot.guidance
    say = spoken.translate(guidance.say if names else guidance.say.without_names())
    result = played.result
    return SpectatorView(
        table=table,
        game=layout.game.name,
        number=layout.game.id,
        ply=len(played.moves),
        phase=guidance.phase,
        options={
            name: value
            for name, value in layout.game.options.items()
            if value != _usual(layout.game.name).get(name)
        },
        to_move=played.to_move,
        cells={} if snapshot.seats is not None else played.position,
        marks={
            place: "win" if role == "win" else "last"
            for place, role in guidance.roles.items()
            if role in ("win", "last")
        },
        # In a game in which each player has a private view, a move can reveal hidden information.
        move=played.moves[-1][:40] if played.moves and snapshot.seats is None else None,
        say=say if len(say) <= LONGEST_SENTENCE else f"{say[: LONGEST_SENTENCE - 3]}...",
        over=result is not None,
        winner=None if result is None else result["winner"],
        names={player: str(name) for player, name in snapshot.players.names.items()}
        if names
        else {},
        listed=listed,
    )


@lru_cache
def _usual(game: str) -> Mapping[str, Any]:
    return game_type(game).create({}).options


class OneLate:
    """Delays the public state by one move until the game is over, so that spectators cannot help
    the players.
    """

    def __init__(self) -> None:
        self._number = -1
        self._after: dict[
            int, SpectatorView
        ] = {}  # The public states of the two newest positions, by number of moves.

    def shown(self, seen: SpectatorView) -> SpectatorView:
        """Return the state that spectators can see now, which is one move older than ``seen`` until
        the game is over. This older state has no sentence, because the table's sentence describes
        the newest move.
        """
        if seen.number != self._number:
            self._number, self._after = seen.number, {}
        self._after[seen.ply] = msgspec.structs.replace(seen, say="")
        self._after = {n: old for n, old in self._after.items() if seen.ply - 1 <= n <= seen.ply}
        if seen.over:
            return seen
        empty = msgspec.structs.replace(seen, cells={}, marks={}, move=None, say="", to_move=None)
        return self._after.get(seen.ply - 1, self._after[0] if seen.ply == 0 else empty)


_decoder = msgspec.json.Decoder(SpectatorView)


def read(payload: bytes) -> tuple[SpectatorView, Layout] | None:
    """Return the public state in a message, and the layout of the state's board. Return None if the
    message is not valid, because anyone with access to the broker can send a message.
    """
    if not payload or len(payload) > MAX_BYTES:
        return None
    try:
        seen = _decoder.decode(payload)
        layout = _layout(seen.game, msgspec.json.encode(seen.options))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, RulesError):
        return None
    game = layout.game
    if game is None or not seen.cells.keys() | seen.marks.keys() <= game.board.keys():
        return None
    people = {*game.players, None}
    if not set(seen.cells.values()) <= set(game.pieces) or not set(seen.names) <= people:
        return None
    return (seen, layout) if seen.to_move in people and seen.winner in people else None


@lru_cache(maxsize=256)
def _layout(name: str, options: bytes) -> Layout:
    """Return the layout of a game's board. The number of the layout is a hash of the game's name
    and options. Raises RulesError.
    """
    profile = load_profile(PLATE)
    number = int.from_bytes(hashlib.sha256(name.encode() + options).digest()[:6])
    game = game_type(name).create(msgspec.json.decode(options))
    info = game_info(0, game, overlay_for(profile, game), over=not game.seated)
    return layout_of(profile, number, info, hands=False)
