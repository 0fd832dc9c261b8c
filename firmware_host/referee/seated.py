"""Chance in a game of seats: dice and cards, the same after a restart as before."""

from __future__ import annotations

import hmac
import random
import secrets
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from msgspec import Struct

from firmware_host.config.errors import JournalError, NotPossibleError
from firmware_host.messages import Message, text
from firmware_host.referee import shown
from firmware_host.referee.seats import LEVELS, Seats
from firmware_host.referee.shown import lights
from firmware_host.table import troubles
from firmware_host.table.arbiter import AGAIN
from firmware_host.table.buttons import BACK, Press
from firmware_host.table.commands import (
    Answer,
    Count,
    GameRequest,
    NotSo,
    SeatHint,
    SeatMove,
    TakeBack,
)
from firmware_host.table.line import Beginning, JournalPort, Line
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Asking, Choice, Phase, Question, Sound, Standing
from firmware_host.table.zones import REST_S, Evidence, Proposal, ZoneOverlay, looked
from games.base import Position
from games.seated import Computer, SeatedGame


def sounds_of(game: SeatedGame, before: Position, after: Position, move: str) -> list[Sound]:
    """The sounds of a move; passing is silent."""
    if after.over:
        return [Sound.WIN]
    failed = game.failure(before, move)
    if failed is not None:
        return [Sound.WRONG if move.startswith(failed) else Sound.SETTLED]
    return [] if game.passes(move) else [Sound.MOVE]


CHANCE = "chance"
SEED_BYTES = 16


class Draws:
    """What chance decides at one move: each draw is an HMAC-SHA256, with the game's secret seed (16
    bytes, the highest first) as key, of "MOVE/DRAW", both counted from 0, as a number, modulo how
    many there are to choose from.

    So nothing that was drawn tells what will be, and who is told the seed afterwards can do it all
    again (docs/threat-model.md).
    """

    def __init__(self, seed: int, move: int) -> None:
        self._key = seed.to_bytes(SEED_BYTES, "big")
        self._move = move
        self._drawn = 0

    def choice(self, options: Sequence[Any]) -> Any:
        """One of them, each as likely."""
        message = f"{self._move}/{self._drawn}"
        self._drawn += 1
        digest = hmac.digest(self._key, message.encode(), "sha256")
        return options[int.from_bytes(digest, "big") % len(options)]


def dealt(line: Line, game: SeatedGame) -> str:
    """Its next move, which follows from the game's secret seed and the number of the move. Raises
    NotPossibleError where it has none.
    """
    legal = [move for move in line.position.legal() if move.startswith(CHANCE)]
    if not legal:
        raise NotPossibleError("Chance decides nothing now.", remedy="Go on playing.")
    seed = next((game.options[name] for name in game.secret_options), 0)
    draws = Draws(seed, len(line.moves))
    return game.completed(line.position, draws.choice(legal), draws)


def check_move(
    game: SeatedGame,
    position: Position,
    asked: SeatMove,
    computers: Container[str],
    proposed: tuple[Proposal | None, ...],
) -> None:
    """Raises NotPossibleError where the move is not his who asks. ``computers``: players whose
    moves of hands anybody tells; so does anybody how what is ``proposed`` went.
    """
    who = asked.move.partition(":")[0]
    theirs = who in game.players and who != asked.player
    if theirs and not (
        (who in computers and game.takes_back(asked.move))
        or any(_tells(game, position, each, asked.move) for each in proposed)
    ):
        raise NotPossibleError("This is another player's move.", remedy="Sit down there.")
    secret = game.shown_move(asked.move, "") != asked.move  # which cards lie where
    if who == CHANCE and (game.at_once(position) or secret):
        raise NotPossibleError("The table deals this itself.", remedy="Wait a moment.")


def _tells(game: SeatedGame, position: Position, proposed: Proposal | None, move: str) -> bool:
    """Whether ``move`` says that it was done, or that it failed."""
    if proposed is None:
        return False
    failed = game.failure(position, proposed.move)
    return move == proposed.move or (failed is not None and move.startswith(failed))


def check_hands(game: SeatedGame, position: Position, move: str) -> None:
    """Raises RulesError where it is not legal that hands do it, NotPossibleError where it needs
    none.
    """
    refusal = game.refusal(position, move)
    if refusal is not None:
        raise refusal
    if game.failure(position, move) is None:
        raise NotPossibleError("This needs no hands.", remedy="Say it yourself.")


def kept_moves(line: Line, game: SeatedGame) -> int | None:
    """How many moves are left after the one that may be taken back; None: none may be. Once it is
    over anybody may know what chance would have been, so it stays over.
    """
    if line.position.over and game.secret_options:
        return None
    for at in range(len(line.moves) - 1, -1, -1):
        if game.takes_back(line.moves[at]):
            return at
        if not game.passes(line.moves[at]):
            return None
    return None


THINK_S = 2.0  # each decision takes just as long, so that its time tells nothing of the hand
ROLL_S = 1.0


@dataclass
class Thinking:
    """One seat's decision on one position."""

    step: int
    since_s: float
    computer: Computer | None


class Computers:
    """Decides for computer seats, which think at the same time: a slice of thought in each scan."""

    def __init__(self) -> None:
        self._thinking: dict[str, Thinking] = {}

    def decided(
        self,
        game: SeatedGame,
        position: Position,
        levels: Mapping[str, str],
        step: int,
        now_s: float,
    ) -> tuple[str, Computer] | None:
        """A player whose time has come, and what he has come to. ``step``: of the room; a new one
        is thought about anew. ``levels``: of the computer's seats.
        """
        awaited = [player for player in position.awaiting if player in levels]
        for player in [each for each in self._thinking if each not in awaited]:
            del self._thinking[player]
        for player in awaited:
            thinking = self._thinking.get(player)
            if thinking is None or thinking.step != step:
                dice = random.Random(f"{player}/{step}/{len(position.legal())}")
                view = position.view(player)
                computer = game.computer(view, player, levels[player], dice)
                self._thinking[player] = Thinking(step, now_s, computer)
        for player, thinking in self._thinking.items():
            if thinking.computer is not None and now_s >= thinking.since_s + THINK_S:
                del self._thinking[player]
                return player, thinking.computer
        for thinking in self._thinking.values():
            if thinking.computer is not None and thinking.computer.think():
                break
        return None


class Hinted(Struct, frozen=True):
    """What the computer would do at a seat, and why; as long as ``step`` is the room's."""

    step: int
    move: str
    why: Message


COUNT_S = 5.0
_WOULD_ROLL = text("{who} would like to roll: that is for {other}.")
_WOULD_COUNT = text("{who} would like to count to five: that is for {other}.")
RETRY_S = 1.0  # between attempts to write a journal that refuses


@dataclass(frozen=True, slots=True)
class Counted:
    """A count of five. ``since_s``: when it began, None in the step that it is asked for."""

    since_s: float | None = None


class SeatArbiter:
    """One table's referee of seated games (an Arbiter).

    With the buttons of the table, confirm says that what was seen is right, or rolls and deals;
    back says that it may not be so, and then that it is not; else it takes back.

    ``step_number``: grows with everything that may change a player's mind, so that what he decided
    before does not count; passing does not. ``hints``: player -> what only his seat may be shown.
    """

    trouble: JournalError | None = None
    wish: str | None = None

    def __init__(self, journal: JournalPort, seats: Seats, menu: Question | None = None) -> None:
        self._journal = journal
        self._seats = seats
        self._menu = menu
        self._overlay: ZoneOverlay | None = None
        self._line: Line | None = None
        self._finished = False  # the result is on disk
        self.step_number = 0
        self._forget()

    def _forget(self) -> None:
        self._count: Counted | None = None
        self._sounds: list[Sound] = []
        self._retry_s = 0.0
        self._computers, self._advisers = Computers(), Computers()
        self._ask_hint: dict[str, int] = {}  # and at which step
        self.hints: Mapping[str, Hinted] = {}
        self._evidence = Evidence()
        self._wish: Proposal | None = None  # of a computer, or of somebody who cannot do it
        self._asking: Asking[str] = Asking()
        self._notice: Message | None = None  # until the next press
        self._asks_since_s: float | None = None  # for chance, by a computer's turn
        self.wish = None
        self.trouble = None
        self.counting: int | None = None
        self._stood: tuple[tuple[object, ...], Standing] | None = None

    def options(self, game: SeatedGame) -> Mapping[str, Any]:
        """The options of a new game: with a seed of its own where none was chosen."""
        options = dict(game.options)
        for name in game.secret_options:
            options[name] = options[name] or 1 + secrets.randbelow((1 << 8 * SEED_BYTES) - 1)
        return options

    def begin(self, beginning: Beginning) -> None:
        """As in Arbiter; nothing is pending or agreed in such a game."""
        self._line = beginning.line
        overlay = beginning.overlay
        self._overlay = overlay if isinstance(overlay, ZoneOverlay) else None
        self._finished = False
        self._forget()
        self.step_number += len(beginning.line.moves) + 1
        if not beginning.resumed:
            self._sounds.append(Sound.START)

    @property
    def position(self) -> Position:
        """After the last move, which the standing shows from the next step on. Raises
        NotPossibleError where no such game is being played.
        """
        return self._playing[0].position

    @property
    def proposal(self) -> Proposal | None:
        """What hands seem to have done, or are to do for somebody; people say how it went."""
        return self._evidence.proposal or self._wish

    @property
    def for_hands(self) -> str | None:
        """What hands are to do for somebody, mostly a computer player."""
        return None if self._wish is None else self._wish.move

    @property
    def _playing(self) -> tuple[Line, SeatedGame]:
        line = self._line
        if line is None or not isinstance(line.game, SeatedGame):
            raise NotPossibleError("No such game is being played.", remedy="Begin one.")
        return line, line.game

    def set_menu(self, menu: Question) -> None:
        """As in Arbiter."""
        self._menu = menu

    def answer_wish(self, refused: Message | None = None) -> None:
        """As in Arbiter; until the next press."""
        self.wish = None
        self._notice = refused or self._notice

    # What people ask

    def carry_out(self, request: GameRequest) -> None:
        """As in Arbiter."""
        line, game = self._playing
        request.check_current(line.game_id, self.step_number)
        match request:
            case SeatMove():
                self._move(line, game, request)
            case Count():
                self._begin_count(line, game, request.player)
            case NotSo():
                self._doubt()
            case SeatHint(player):
                if player not in line.position.awaiting or player in self._seats.shut:
                    raise NotPossibleError("There is nothing to hint at now.")
                self._ask_hint[player] = self.step_number
            case Answer(value):
                self._asking.check(value)
                self._chosen(self._asking.named(value))
            case TakeBack(to):
                kept = kept_moves(line, game)
                if kept is None or to not in (None, kept):
                    raise NotPossibleError(
                        "Only what hands did last can be taken back, and no card that was seen.",
                        remedy="Play on.",
                    )
                self._take_back()
            case _:
                raise NotPossibleError(
                    "This game has no such question.", remedy="Play on its page."
                )

    def _move(self, line: Line, game: SeatedGame, asked: SeatMove) -> None:
        thrown = asked.move.partition(":")[0] == CHANCE and game.rolls(line.position)
        if thrown and self._only_wishes(line, asked.player, _WOULD_ROLL):
            return
        if asked.move == CHANCE:
            self._play(line, game, dealt(line, game))
            return
        proposed = (self._evidence.proposal, self._wish)
        check_move(game, line.position, asked, self._seats.computers, proposed)
        if asked.proposed:
            check_hands(game, line.position, asked.move)
            self._wish = Proposal(asked.move, seen=False)
        else:
            self._play(line, game, asked.move)

    def _only_wishes(self, line: Line, who: str | None, would: Message) -> bool:
        """Whether somebody asks for what the one whose turn it is has to do; it is told then, and
        waits for him.
        """
        mover = line.position.mover
        if who in (None, mover) or mover in self._seats.computers:
            return False
        names = {"who": shown.name(who), "other": shown.name(mover)}
        self._notice = Message(would.template, names)
        self._sounds.append(Sound.ASK)
        return True

    def _begin_count(self, line: Line, game: SeatedGame, who: str | None) -> None:
        """Begin the count of five, where something waits for its end."""
        if game.time_up not in line.position.legal():
            raise NotPossibleError("There is nothing to count for.", remedy="Go on playing.")
        if self._only_wishes(line, who, _WOULD_COUNT):
            return
        self._count = Counted()
        self._sounds.append(Sound.ASK)

    def _doubt(self) -> None:
        """What was seen does not count by itself."""
        if self._evidence.proposal is None:
            raise NotPossibleError("Nothing is proposed now.", remedy="Say what was done.")
        self._evidence = self._evidence.doubted()

    # Steps

    def step(self, sight: Sight, now_s: float, presses: Sequence[Press] = ()) -> Standing:
        """As in Arbiter. What goes on by itself: chance, the count, computers, and what could not
        be written before.
        """
        try:
            if self.trouble is None or now_s >= self._retry_s:
                self._go_on(sight, now_s, presses)
                self.trouble = None
        except JournalError as error:
            if self.trouble is None:
                self._sounds.append(Sound.PAUSED)
            self.trouble = error
            self._retry_s = now_s + RETRY_S
        return self._stand(*self._playing)

    def _go_on(self, sight: Sight, now_s: float, presses: Sequence[Press]) -> None:
        for press in presses:
            if press.button == BACK:
                self._back(press, now_s)
            else:
                self._confirm(press, now_s)
        line, game = self._playing
        if CHANCE in line.position.awaiting and game.at_once(line.position):
            self._play(line, game, dealt(line, game))
        self._count_on(*self._playing, now_s)
        self._let_computers(*self._playing, now_s)
        self._advise(*self._playing, now_s)
        self._look(*self._playing, sight, now_s)
        line = self._playing[0]
        outcome = line.position.outcome
        if outcome is not None and not self._finished:
            self._journal.finish(line.game_id, outcome.as_json())
            self._finished = True

    def _take_back(self) -> None:
        line, game = self._playing
        kept = kept_moves(line, game)
        if kept is None:
            return
        self._journal.take_back(line.game_id, len(line.moves), kept)
        self._line = line.shortened(kept)
        self._finished, self._wish, self._evidence = False, None, Evidence()
        self.step_number += 1
        self._sounds.append(Sound.TAKEBACK)

    def _confirm(self, press: Press, now_s: float) -> None:
        line, game = self._playing
        self._notice = None
        if self._asking.menu:
            self._asking, choice = self._asking.pressed(press, now_s)
            self._chosen(choice)
        elif self.proposal is not None:
            self._play(line, game, self.proposal.move)
        elif line.position.over:
            self.wish = AGAIN
        elif CHANCE in line.position.awaiting and not game.at_once(line.position):
            self._play(line, game, dealt(line, game))

    def _back(self, press: Press, now_s: float) -> None:
        line = self._playing[0]
        self._notice = None
        if press.long and self._menu is not None:
            self._asking = self._asking.browse(self._menu, line.game, {}, now_s)
        elif self._asking.menu:
            self._asking = Asking()
        elif self._evidence.proposal is not None:
            sure = self._evidence.proposal.sure
            self._evidence = self._evidence.doubted() if sure else self._evidence.declined()
        else:
            self._take_back()

    def _chosen(self, choice: Choice | None) -> None:
        if choice is not None:
            self._asking = Asking()
            self.wish = choice.value

    def _let_computers(self, line: Line, game: SeatedGame, now_s: float) -> None:
        """A computer's move; what hands must do for it is proposed."""
        computers = self._seats.computers
        if not computers or self._wish is not None:
            return
        position = line.position
        if CHANCE in position.awaiting and position.mover in computers:
            self._asks_since_s = now_s if self._asks_since_s is None else self._asks_since_s
            if now_s >= self._asks_since_s + ROLL_S:
                self._play(line, game, dealt(line, game))
            return
        decided = self._computers.decided(game, position, computers, self.step_number, now_s)
        if decided is None:
            return
        move = decided[1].best
        if game.takes_back(move) and game.failure(position, move) is not None:
            self._wish = Proposal(move, seen=False)
        else:
            self._play(line, game, move)

    def _advise(self, line: Line, game: SeatedGame, now_s: float) -> None:
        """Who asked for a hint has it once the strongest computer has thought of what he sees."""
        asks = [player for player, step in self._ask_hint.items() if step == self.step_number]
        levels = dict.fromkeys(asks, LEVELS[-1])
        found = self._advisers.decided(game, line.position, levels, self.step_number, now_s)
        if found is not None:
            player, computer = found
            del self._ask_hint[player]
            hint = Hinted(self.step_number, computer.best, shown.sentence(computer.why))
            self.hints = {**self.hints, player: hint}

    def _look(self, line: Line, game: SeatedGame, sight: Sight, now_s: float) -> None:
        """What the sensors surely tell counts after a while of rest, unless somebody says
        otherwise.
        """
        if self._overlay is None:
            return
        before = self._evidence.proposal
        self._evidence = looked(self._evidence, sight, self._overlay, line.position, self.for_hands)
        proposed = self._evidence.proposal
        if proposed is not None and before is None:
            self._sounds.append(Sound.ASK)
        if proposed is not None and proposed.sure and now_s >= proposed.since_s + REST_S:
            self._play(line, game, proposed.move)

    def _count_on(self, line: Line, game: SeatedGame, now_s: float) -> None:
        if self._count is not None and game.time_up not in line.position.legal():
            self._count = None
        if self._count is None:
            self.counting = None
            return
        since_s = now_s if self._count.since_s is None else self._count.since_s
        self._count = Counted(since_s)
        self.counting = ceil(since_s + COUNT_S - now_s)
        if self.counting <= 0:
            self._count = self.counting = None
            self._play(line, game, game.time_up)

    def _play(self, line: Line, game: SeatedGame, move: str) -> None:
        self._notice = None
        before, turn = line.position, line.position.play(move)
        self._journal.append(line.game_id, len(line.moves) + 1, turn.move)
        held = game.more(before)
        if not any((*held["hands"].values(), held["drawn"])):
            self._seats.deal()
        self._line = line = line.played(turn)
        proposed = self._evidence.proposal
        if proposed is not None and proposed.move == move:
            self._evidence = Evidence(self._evidence.explained)
        else:
            before_it = None if game.takes_back(move) else self._evidence.before
            self._evidence = Evidence(before_it)  # what is seen is looked at anew
        self._wish = self._asks_since_s = None
        if not game.passes(move) or game.prompt(before) != game.prompt(line.position):
            self.step_number += 1
            self._count = None if self._count is None else Counted()
        self._sounds += sounds_of(game, before, line.position, move)

    def _stand(self, line: Line, game: SeatedGame) -> Standing:
        """The standing; the same object as long as nothing changes."""
        key = (
            id(line.position),
            id(self.trouble),
            self.counting,
            id(self._overlay),
            self.step_number,
            self.proposal,
            self._asking.question,
            id(self._notice),
        )
        if self._stood is None or self._stood[0] != key or self._sounds:
            self._stood = key, self._standing(line, game)
            self._sounds.clear()
        elif self._stood[1].sounds:  # they are told once
            self._stood = key, replace(self._stood[1], sounds=())
        return self._stood[1]

    def _standing(self, line: Line, game: SeatedGame) -> Standing:
        position, overlay = line.position, self._overlay
        phase = Phase.OVER if position.over else Phase.TURN
        roles, tint = lights(game, position, overlay, self.counting) if overlay else ({}, {})
        return Standing(
            phase=phase if self.trouble is None else Phase.PAUSED,
            to_move=position.to_move,
            game=game,
            game_id=line.game_id,
            position=position,
            moves=line.moves,
            roles=roles,
            piece_for={},
            shifts=(),
            say=self._say(game, position),
            outcome=position.outcome,
            tint=tint,
            question=self._asking.question,
            can_take_back=kept_moves(line, game) is not None,
            sounds=tuple(self._sounds),
            step=self.step_number,
        )

    def _say(self, game: SeatedGame, position: Position) -> Message:
        if self.trouble is not None:
            return troubles.part_missing([self.trouble])
        if self._asking.question is not None:
            return self._asking.question.ask
        if self._notice is not None:
            return self._notice
        if position.outcome is not None:
            return shown.over(position.outcome)
        prompt = shown.sentence(game.prompt(position))
        if self.counting is None:
            return prompt
        return text("{left}… {prompt}", left=self.counting, prompt=prompt)
