"""A table for the page without hardware: a tiny Momentum, and hands that take no time.

It is the TablePort that the tests of the server, the network and the sweep's card run against: they
need a table that is silent between two requests. It knows turn, settle, fix and over, the pie rule
and the takeback, and nothing of sensors. What players do on the page is tried on the simulated
table (``served`` in conftest.py).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from firmware_host.config.errors import NoSuchGameError, NotPossibleError
from firmware_host.config.profile import Capabilities
from firmware_host.table import commands
from firmware_host.table.preview import Preview
from firmware_host.web.seats_shown import SeatsShown
from firmware_host.web.snapshot import (
    BoardPlace,
    BreakableInfo,
    BrokenInfo,
    CalibrationInfo,
    FaultInfo,
    GameInfo,
    Layout,
    LoosePiece,
    Sensors,
    ShiftInfo,
    Snapshot,
    SoundInfo,
)
from firmware_host.web.table_port import GameRecord, GameSummary, HealthMap, RecordedPosition
from games.base import (
    Credit,
    Game,
    GameType,
    IllegalMoveError,
    OptionError,
    OptionSpec,
    RulesError,
    Shift,
)

PITCH_MM = 35.0
COLUMNS = ROWS = 10
PLAYERS = ("red", "blue", "white", "green")
KINDS = ("N-strong", "S-strong", "N-weak", "S-weak")
FIELD_MT = {"red": -12.1, "blue": 12.1, "white": -2.5, "green": 2.5}
AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
BREAKABLE = [
    BreakableInfo("sensor-dead", 1, []),
    BreakableInfo("imu-axis-dead", 1, ["x", "y", "z"]),
    BreakableInfo("lights-brownout", 0, []),
]
ROLE_RGB = {
    "legal": (10, 26, 12),
    "last": (20, 14, 0),
    "lift": (90, 45, 0),
    "put": (0, 60, 90),
    "remove": (100, 0, 60),
    "wrong": (120, 10, 0),
    "win": (110, 90, 10),
}


def index_of(place: str) -> int:
    return (int(place[1:]) - 1) * COLUMNS + ord(place[0]) - ord("a")


def name_of(column: int, row: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"


def centre_mm(place: str) -> tuple[float, float]:
    row, column = divmod(index_of(place), COLUMNS)
    return (column - 4.5) * PITCH_MM, (row - 4.5) * PITCH_MM


def place_at(x_mm: float, y_mm: float) -> str | None:
    column, row = round(x_mm / PITCH_MM + 4.5), round(y_mm / PITCH_MM + 4.5)
    if not (0 <= column < COLUMNS and 0 <= row < ROWS):
        return None
    near = abs(x_mm / PITCH_MM + 4.5 - column) < 0.3 and abs(y_mm / PITCH_MM + 4.5 - row) < 0.3
    return name_of(column, row) if near else None


def dropped(cells: Mapping[str, str], place: str, piece: str, size: int) -> list[ShiftInfo]:
    """Rule M1: which marbles a drop on ``place`` pushes, and where to."""
    board = {name_of(c, r) for c in range(size) for r in range(size)}
    at = {**cells, place: piece}
    column, row = ord(place[0]) - ord("a"), int(place[1:]) - 1
    shifts = []
    for dx, dy in AROUND:
        x, y = column + dx, row + dy
        if name_of(x, y) not in at:
            continue
        while name_of(x + dx, y + dy) in at:
            x, y = x + dx, y + dy
        beyond = name_of(x + dx, y + dy)
        source = name_of(x, y)
        shifts.append(ShiftInfo(at[source], source, beyond if beyond in board else None))
    return shifts


def carried_out(cells: Mapping[str, str], shifts: Sequence[ShiftInfo]) -> dict[str, str]:
    after = dict(cells)
    for shift in shifts:
        after.pop(shift.source or "", None)
    after.update({shift.target: shift.piece for shift in shifts if shift.target})
    return after


@dataclass(frozen=True)
class Play:
    """One game: the confirmed positions, and a move being settled."""

    id: int
    options: dict[str, Any]
    positions: tuple[dict[str, str], ...] = ({},)
    moves: tuple[str, ...] = ()
    settling: tuple[str, dict[str, str]] | None = None  # the move, and the position it leads to

    @property
    def players(self) -> tuple[str, ...]:
        return PLAYERS[: self.options["players"]]

    @property
    def cells(self) -> dict[str, str]:
        return self.positions[-1]

    def to_move(self, ply: int) -> str:
        return self.players[ply % len(self.players)]

    def reserve(self, cells: Mapping[str, str]) -> dict[str, int]:
        count = list(cells.values()).count
        return {player: self.options["marbles"] - count(player) for player in self.players}

    @property
    def winner(self) -> str | None:
        mover = self.to_move(len(self.moves) - 1)
        return mover if self.moves and self.reserve(self.cells)[mover] == 0 else None

    @property
    def result(self) -> dict[str, Any] | None:
        return {"winner": self.winner, "reason": "complete"} if self.winner else None


class FakeMomentum(GameType):
    """The game as the page's dialog sees it; this table cannot play every option."""

    name = "momentum"
    credit = Credit(
        "Momentum",
        "Phil Leduc",
        2010,
        "Its author asks anyone who programs or sells Momentum in any form to contact him first.",
    )
    option_specs = (
        OptionSpec("players", "int", "How many people play", 2, 2, 4),
        OptionSpec("size", "int", "Columns and rows of a square board", 7, 3, 10),
        OptionSpec("marbles", "int", "Marbles each, for a board with no usual number", None, 1, 40),
        OptionSpec("pie", "bool", "The second player may swap colours on his first turn", True),
        OptionSpec("holes", "places", "Places where a marble falls through", None),
    )
    presets = ()
    rules_summary = (
        "In your turn, put one of your marbles on an empty place.",
        "In each of the eight directions, the last marble of the row that starts next to it is "
        "pushed one place further. Over the edge, it goes back to its owner.",
        "Whoever has all marbles on the board at the end of his own turn wins.",
    )

    def create(self, options: Mapping[str, Any]) -> Game:
        raise NotImplementedError


def _done(work: Callable[[], Any]) -> Future[Any]:
    future: Future[Any] = Future()
    try:
        future.set_result(work())
    except (RulesError, NotPossibleError, NoSuchGameError) as error:
        future.set_exception(error)
    return future


@dataclass
class FakeTable:
    """See the module."""

    with_hands: bool = True
    game_types: Sequence[Any] = (FakeMomentum(),)
    _listeners: list[Callable[[], None]] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.capabilities = Capabilities(10, 10, 2, 2, True, True, False)
        self.pieces: dict[int, LoosePiece] = {}
        self.in_hand: set[int] = set()
        self.next_piece = 1
        self.plays: dict[int, Play] = {}
        self.play: Play | None = None
        self.tilt_deg = (0.0, 0.0)
        self.sounds: list[SoundInfo] = []
        self.faults: list[FaultInfo] = []
        self.presses: list[tuple[str, float]] = []
        self.injected: list[BrokenInfo] = []
        self.lifted_from: dict[int, tuple[float, float]] = {}
        self.number = 0
        self.time_s = 0.0
        self.calibration: CalibrationInfo | None = None
        self.found = HealthMap(None, "The table has not been calibrated.", None, [])
        self._publish(new_layout=True)

    # What the page reads

    @property
    def hands(self) -> FakeTable | None:
        return self if self.with_hands else None

    def layout(self) -> Layout:
        return self._layout

    def latest(self) -> Snapshot:
        return self._snapshot

    def seats(self) -> SeatsShown:
        return SeatsShown()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What it asks for

    def submit(self, command: commands.Command) -> Future[None]:
        if not isinstance(command, commands.HandsCommand):
            with self._lock:
                return _done(lambda: self._carry_out(command))
        if not self.with_hands:
            refused: Future[None] = Future()
            refused.set_exception(NotPossibleError("This table has no hands."))
            return refused
        try:
            return self.do(command)
        except (KeyError, ValueError, IndexError):
            return _done(self._cannot)

    def do(self, command: commands.HandsCommand) -> Future[None]:
        match command:
            case commands.Put(piece, place, off_mm):
                x_mm, y_mm = centre_mm(place)
                return self.put(piece, x_mm + off_mm[0], y_mm + off_mm[1])
            case commands.Take(int(number)):
                return self.remove(number)
            case commands.PickUp(number):
                return self.pick_up(number)
            case commands.SetDown(number, None):
                return self.set_down(number, *self.lifted_from[number])
            case commands.SetDown(number, str(place), off_mm):
                x_mm, y_mm = centre_mm(place)
                return self.set_down(number, x_mm + off_mm[0], y_mm + off_mm[1])
            case commands.CarryOut():
                return self.carry_out()
            case commands.Tilt(x_deg, y_deg):
                return self.tilt(x_deg, y_deg)
            case commands.Bump():
                return self.bump()
            case commands.Press(button, held_s):
                return self.press(button, held_s)
            case commands.Fault(name, targets):
                return self.inject(name, targets)
            case commands.Heal(name, targets):
                return self.heal(name, targets)
        return _done(self._cannot)

    def _cannot(self) -> None:
        raise NotPossibleError("This table cannot do that.")

    def history(self) -> Future[list[GameSummary]]:
        return _done(lambda: [self._summary(play) for play in reversed(self.plays.values())])

    def health(self) -> Future[HealthMap]:
        return _done(lambda: self.found)

    def preview(self, move: str) -> Future[Preview]:
        return _done(lambda: self._preview(move))

    def _preview(self, move: str) -> Preview:
        play = self.play
        if play is None or move in play.cells:
            raise IllegalMoveError("{move} is not a legal move now.", move=move)
        mover = play.to_move(len(play.moves))
        pushed = dropped(play.cells, move, mover, play.options["size"])
        shifts = tuple(Shift(s.piece, s.source, s.target) for s in pushed)
        return Preview(move, (Shift(mover, None, move),), shifts, ())

    def record(self, game_id: int) -> Future[GameRecord]:
        return _done(lambda: self._record(self._find(game_id)))

    def export(self, game_id: int) -> Future[str]:
        return _done(lambda: f"momentum\n{' '.join(self._find(game_id).moves)}\n")

    def _find(self, game_id: int) -> Play:
        if game_id not in self.plays:
            raise NoSuchGameError("There is no game {number}.", number=game_id)
        return self.plays[game_id]

    def _summary(self, play: Play) -> GameSummary:
        moves, started = len(play.moves), "1 May 2024, 18:30"
        return GameSummary(play.id, "Momentum", started, play.options, moves, play.result)

    def _record(self, play: Play) -> GameRecord:
        positions = [
            RecordedPosition(cells, play.reserve(cells), play.to_move(ply))
            for ply, cells in enumerate(play.positions)
        ]
        return GameRecord(self._info(play), list(play.moves), positions, play.result)

    def _carry_out(self, command: commands.Command) -> None:
        match command:
            case commands.NewGame(game=game, options=options):
                self._new_game(game, options)
            case commands.ResumeGame(game_id):
                self.play = self._find(game_id)
                self._publish(new_layout=True)
            case commands.TakeBack(to=to):
                if self.play is None or not self.play.moves:
                    raise NotPossibleError("There is no move to take back.")
                to = len(self.play.moves) - 1 if to is None else to
                shorter = (self.play.positions[: to + 1], self.play.moves[:to])
                self._keep(replace(self.play, positions=shorter[0], moves=shorter[1]))
                self._publish("takeback")
            case commands.Swap():
                self._swap()
            case commands.ImportGame(text=text):
                name, _, moves = text.partition("\n")
                if name.strip() != "momentum":
                    raise NotPossibleError("Line 1: expected the name of a game.")
                self._new_game("momentum", {})
                for move in moves.split():
                    self._confirm(move)
                self._publish(new_layout=True)

    def _new_game(self, game: str, options: Mapping[str, Any]) -> None:
        if game != "momentum":
            raise OptionError("There is no game {name!r}.", name=game)
        size, players = options.get("size", 7), options.get("players", 2)
        marbles = options.get("marbles") or {(7, 2): 8, (7, 3): 6}.get((size, players))
        if marbles is None:
            raise OptionError("This board has no usual number of marbles: choose how many.")
        full = {"players": players, "size": size, "marbles": marbles}
        full |= {"pie": options.get("pie", True) and players == 2, "holes": []}
        self.pieces.clear()
        self._keep(Play(len(self.plays) + 1, full))
        self._publish("start", new_layout=True)

    def _keep(self, play: Play) -> None:
        self.play = play
        self.plays[play.id] = play

    def _confirm(self, move: str) -> None:
        play = self.play
        assert play is not None
        mover = play.to_move(len(play.moves))
        shifts = dropped(play.cells, move, mover, play.options["size"])
        after = carried_out({**play.cells, move: mover}, shifts)
        self._keep(replace(play, positions=(*play.positions, after), moves=(*play.moves, move)))

    @property
    def _swap_legal(self) -> bool:
        return bool(self.play and self.play.options["pie"] and len(self.play.moves) == 1)

    def _swap(self) -> None:
        play = self.play
        if play is None or not self._swap_legal:
            raise NotPossibleError("Swapping is not possible now.")
        after = dict.fromkeys(play.cells, "blue")
        self._keep(replace(play, positions=(*play.positions, after), moves=(*play.moves, "swap")))
        self._publish("move")

    # Hands

    def carry_out(self) -> Future[None]:
        def work() -> None:
            play = self.play
            goal = {} if play is None else play.settling[1] if play.settling else play.cells
            for number, piece in [*self.pieces.items()]:
                if goal.get(place_at(piece.x_mm, piece.y_mm) or "") != piece.piece:
                    del self.pieces[number]
            for place in goal.keys() - self.seen.keys():
                self._take_and_put(goal[place], *centre_mm(place))

        return self._by_hand(work)

    def pick_up(self, piece_id: int) -> Future[None]:
        return self._by_hand(lambda: self._lift(piece_id))

    def set_down(self, piece_id: int, x_mm: float, y_mm: float) -> Future[None]:
        return self._by_hand(lambda: self._lower(piece_id, x_mm, y_mm))

    def put(self, piece: str, x_mm: float, y_mm: float) -> Future[None]:
        return self._by_hand(lambda: self._take_and_put(piece, x_mm, y_mm))

    def remove(self, piece_id: int) -> Future[None]:
        def work() -> None:
            self._known(piece_id)
            del self.pieces[piece_id]
            self.in_hand.discard(piece_id)

        return self._by_hand(work)

    def tilt(self, x_deg: float, y_deg: float) -> Future[None]:
        def work() -> None:
            self.tilt_deg = (x_deg, y_deg)

        return self._by_hand(work)

    def loose(self) -> Sequence[LoosePiece]:
        return sorted(self.pieces.values(), key=lambda piece: piece.id)

    def breakable(self) -> Sequence[BreakableInfo]:
        return BREAKABLE

    def broken(self) -> Sequence[BrokenInfo]:
        return list(self.injected)

    def inject(self, fault: str, targets: Sequence[str]) -> Future[None]:
        return self._by_hand(lambda: self.injected.append(BrokenInfo(fault, list(targets))))

    def heal(self, fault: str, targets: Sequence[str]) -> Future[None]:
        mended = BrokenInfo(fault, list(targets))
        return self._by_hand(lambda: mended in self.injected and self.injected.remove(mended))

    def bump(self) -> Future[None]:
        return self._by_hand(lambda: None)

    def press(self, button: str, held_s: float) -> Future[None]:
        def work() -> None:
            self.presses.append((button, held_s))
            if button == "back" and self.play and self.play.moves:
                self._carry_out(commands.TakeBack())
            elif button == "confirm" and held_s >= 2 and self._swap_legal:
                self._swap()

        return self._by_hand(work)

    def _by_hand(self, work: Callable[[], None]) -> Future[None]:
        def whole() -> None:
            try:
                work()
            finally:
                self._referee()

        with self._lock:
            return _done(whole)

    def _known(self, piece_id: int) -> LoosePiece:
        if piece_id not in self.pieces:
            raise NotPossibleError("That piece is not on the plate.")
        return self.pieces[piece_id]

    def _lift(self, piece_id: int) -> None:
        piece = self._known(piece_id)
        if piece_id in self.in_hand:
            raise NotPossibleError("Another hand holds that piece.")
        self.in_hand.add(piece_id)
        self.lifted_from[piece_id] = (piece.x_mm, piece.y_mm)
        self.pieces[piece_id] = LoosePiece(piece_id, piece.piece, piece.x_mm, piece.y_mm, 40.0)

    def _lower(self, piece_id: int, x_mm: float, y_mm: float) -> None:
        piece = self._known(piece_id)
        self.in_hand.discard(piece_id)
        self.pieces[piece_id] = msgspec.structs.replace(piece, z_mm=0.0)  # back, if it must be
        self._need_room(piece_id, x_mm, y_mm)
        self.pieces[piece_id] = LoosePiece(piece_id, piece.piece, x_mm, y_mm, 0.0)

    def _need_room(self, piece_id: int | None, x_mm: float, y_mm: float) -> None:
        for other in self.pieces.values():
            near = (other.x_mm - x_mm) ** 2 + (other.y_mm - y_mm) ** 2 < 28.0**2
            if near and other.id != piece_id and other.z_mm == 0:
                raise NotPossibleError("There is a piece in the way.")

    def _take_and_put(self, kind: str, x_mm: float, y_mm: float) -> None:
        self._need_room(None, x_mm, y_mm)
        taken = sum(p.piece == kind for p in self.pieces.values())
        if self.play and taken >= self.play.options["marbles"]:
            raise NotPossibleError("There is no {piece} marble left.", piece=kind)
        self.pieces[self.next_piece] = LoosePiece(self.next_piece, kind, x_mm, y_mm, 0.0)
        self.next_piece += 1

    # The referee

    @property
    def seen(self) -> dict[str, str]:
        standing = [p for p in self.pieces.values() if p.z_mm == 0]
        places = {place_at(p.x_mm, p.y_mm): p.piece for p in standing}
        return {place: piece for place, piece in places.items() if place}

    def _referee(self) -> None:
        play, seen = self.play, self.seen
        sound = None
        if play is not None and play.winner is None:
            if play.settling is not None:
                move, goal = play.settling
                if seen == goal:
                    self._keep(replace(play, settling=None))
                    self._confirm(move)
                    sound = "win" if self.play and self.play.winner else "settled"
            elif seen != play.cells:
                new = set(seen.items()) - set(play.cells.items())
                mover = play.to_move(len(play.moves))
                grown = len(seen) == len(play.cells) + 1 and len(new) == 1
                if grown and next(iter(new))[1] == mover and not self.in_hand:
                    place = next(iter(new))[0]
                    shifts = dropped(play.cells, place, mover, play.options["size"])
                    goal = carried_out({**play.cells, place: mover}, shifts)
                    self._keep(replace(play, settling=(place, goal)))
                    sound = "move"
                    if not shifts:
                        self._keep(play)
                        self._confirm(place)
                        sound = "win" if self.play and self.play.winner else "settled"
        self._publish(sound)

    def _guidance(self) -> tuple[str, dict[str, str], dict[str, str], str]:
        """Phase, roles, pieces wanted, what to say."""
        play, seen = self.play, self.seen
        if play is None:
            return "setup", {}, {}, "Start a new game."
        goal = play.settling[1] if play.settling else play.cells
        if seen != goal:
            wanted = {p: piece for p, piece in goal.items() if seen.get(p) != piece}
            extra = {p for p in seen if p not in goal or seen[p] != goal[p]}
            roles = dict.fromkeys(wanted, "put")
            if play.settling:
                returning = len(extra) - len(wanted)
                roles |= dict.fromkeys(extra, "remove" if returning > 0 else "lift")
                say = "Push the marbles as the lights show."
                return "settle", roles, wanted, say
            roles |= dict.fromkeys(extra, "wrong")
            return "fix", roles, wanted, "Put the board back as the lights show."
        if play.winner:
            own = [place for place, piece in seen.items() if piece == play.winner]
            return "over", dict.fromkeys(own, "win"), {}, f"{play.winner.title()} wins."
        if any(abs(angle) > 2 for angle in self.tilt_deg):
            return "paused", {}, {}, "Hold the plate level to go on."
        size = play.options["size"]
        empty = {name_of(c, r) for c in range(size) for r in range(size)} - set(seen)
        roles = dict.fromkeys(sorted(empty), "legal")
        if play.moves and play.moves[-1] in seen:
            roles[play.moves[-1]] = "last"
        mover = play.to_move(len(play.moves))
        return "turn", roles, {}, f"{mover.title()}: put a marble on an empty place."

    # Publishing

    def _info(self, play: Play) -> GameInfo:
        kind, size = self.game_types[0], play.options["size"]
        board = {
            name_of(c, r): BoardPlace(r * COLUMNS + c) for r in range(size) for c in range(size)
        }
        credit = f"{kind.credit.designer}, {kind.credit.year}"
        rules, players = list(kind.rules_summary), list(play.players)
        about = (play.id, "momentum", kind.credit.title, credit, kind.credit.notice)
        return GameInfo(*about, rules, play.options, players, players, board)

    def _publish(self, sound: str | None = None, *, new_layout: bool = False) -> None:
        play = self.play
        if new_layout:
            self.number += 1
            self._layout = Layout(
                number=self.number,
                profile="fake",
                title="Tilting plate, 10 x 10 places",
                columns=COLUMNS,
                rows=ROWS,
                pitch_mm=PITCH_MM,
                plate_mm=380.0,
                places=[name_of(c, r) for r in range(ROWS) for c in range(COLUMNS)],
                hands=self.with_hands,
                game=self._info(play) if play else None,
                breakable=list(self.breakable()) if self.with_hands else [],
            )
        if sound:
            number = self.sounds[-1].number + 1 if self.sounds else 1
            self.sounds = [*self.sounds[-4:], SoundInfo(number, sound)]
        self.time_s += 0.02
        phase, roles, wanted, say = self._guidance()
        shifts = []
        if play and play.settling:
            move, _ = play.settling
            mover = play.to_move(len(play.moves))
            shifts = [
                shift
                for shift in dropped(play.cells, move, mover, play.options["size"])
                if self.seen.get(shift.source or "") == shift.piece
            ]
        cells = play.cells if play else {}
        self._snapshot = Snapshot(
            layout=self.number,
            time_s=self.time_s,
            phase=phase,
            to_move=play.to_move(len(play.moves)) if play and not play.winner else None,
            cells=self.seen,
            position=cells,
            reserve=play.reserve(cells) if play else {},
            roles=roles,
            piece_for=wanted,
            shifts=shifts,
            say=say,
            moves=list(play.moves) if play else [],
            result=play.result if play else None,
            swap_legal=self._swap_legal,
            can_take_back=bool(play and play.moves),
            tilt_deg=self.tilt_deg,
            stillness="tilted" if phase == "paused" else "still",
            lights=self._lights(roles),
            dimmed=1.0,
            pieces=list(self.loose()) if self.with_hands else [],
            sounds=list(self.sounds),
            faults=list(self.faults),
            sensors=self._sensors(),
            broken=list(self.injected),
            calibration=self.calibration,
        )
        for listener in list(self._listeners):
            listener()

    def _lights(self, roles: Mapping[str, str]) -> str:
        strip = [(0, 0, 0)] * (COLUMNS * ROWS)
        for place, role in roles.items():
            strip[index_of(place)] = ROLE_RGB[role]
        return b"".join(bytes(colour) for colour in strip).hex()

    def _sensors(self) -> Sensors:
        field_mt, magnets = [0.0] * (COLUMNS * ROWS), ["none"] * (COLUMNS * ROWS)
        for place, piece in self.seen.items():
            field_mt[index_of(place)] = FIELD_MT[piece]
            magnets[index_of(place)] = KINDS[PLAYERS.index(piece)]
        confidence = [0.4 if abs(mt) < 0.1 else 0.95 for mt in field_mt]
        return Sensors(field_mt, confidence, magnets, [])

    def fault(self, *faults: FaultInfo) -> None:
        """Parts fail, or (none given) are whole again."""
        with self._lock:
            self.faults = list(faults)
            self._publish()
