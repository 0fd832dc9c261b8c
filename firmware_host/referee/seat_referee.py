"""A game of seats on one table: whose move it is, what chance decides, what people see."""

from __future__ import annotations

import hmac
import random
import re
import secrets
from collections.abc import Mapping, Sequence
from math import ceil, inf
from typing import Any, NamedTuple

from msgspec import Struct

from tiltboard.firmware_host.config.errors import JournalError, NotPossibleError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.seats import LEVELS, Seats
from tiltboard.firmware_host.table import troubles
from tiltboard.firmware_host.table.buttons import BACK, Press
from tiltboard.firmware_host.table.commands import (
    Answer,
    Count,
    GameRequest,
    NotSo,
    SeatHint,
    SeatMove,
    TakeBack,
)
from tiltboard.firmware_host.table.line import JournalPort, Line
from tiltboard.firmware_host.table.referee_protocol import AGAIN, Menu
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.standing import Asking, Choice, Phase, Role, Sound, Standing
from tiltboard.firmware_host.table.zones import REST_S, Evidence, Proposal, ZoneOverlay, looked
from tiltboard.games.base import Game, Outcome, Position
from tiltboard.games.seated import Computer, Phrase, SeatedGame, Several, Words

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


def with_seed(game: Game) -> Mapping[str, Any]:
    """The options of a new game: with a seed of its own where none was chosen."""
    options = dict(game.options)
    for name in game.secret_options:
        options[name] = options[name] or 1 + secrets.randbelow((1 << 8 * SEED_BYTES) - 1)
    return options


THINK_S = 2.0  # each decision takes just as long, so that its time tells nothing of the hand
ROLL_S = 1.0


class Thinking(NamedTuple):
    """One seat's decision on one position; None: there is nothing that it can do."""

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
        """A player whose time has come, and what he has come to. ``step``: of the referee; a new
        one is thought about anew. ``levels``: of the computer's seats.
        """
        before, self._thinking = self._thinking, {}
        for player in position.awaiting:
            if player in levels:
                thinking = before.get(player)
                if thinking is None or thinking.step != step:
                    dice = random.Random(f"{player}/{step}/{len(position.legal())}")
                    view = position.view(player)
                    computer = game.computer(view, player, levels[player], dice)
                    thinking = Thinking(step, now_s, computer)
                self._thinking[player] = thinking
        for player, (_, since_s, computer) in self._thinking.items():
            if computer is not None and now_s >= since_s + THINK_S:
                del self._thinking[player]
                return player, computer
        for thinking in self._thinking.values():
            if thinking.computer is not None and thinking.computer.think():
                break
        return None


class Hinted(Struct, frozen=True):
    """What the computer would do at a seat, and why; as long as ``step`` is the referee's."""

    step: int
    move: str
    why: Message


COUNT_S = 5
_WOULD_ROLL = text("{who} would like to roll: that is for {other}.")
_WOULD_COUNT = text("{who} would like to count to five: that is for {other}.")
RETRY_S = 1.0  # between attempts to write a journal that refuses


class SeatReferee:
    """The referee of one seated game (a GameReferee).

    With the buttons of the table, confirm says that what was seen is right, or rolls and deals;
    back says that it may not be so, and then that it is not; else it takes back.

    ``step_number``: grows with everything that may change a player's mind, so that what he decided
    before does not count; passing does not. ``hints``: player -> what only his seat may be shown.
    ``counting``: seconds left of a count of five; None where nobody counts.
    """

    def __init__(
        self,
        journal: JournalPort,
        seats: Seats,
        overlay: ZoneOverlay,
        line: Line,
        menu: Menu | None = None,
        *,
        resumed: bool = False,
        failed: frozenset[str] = frozenset(),
    ) -> None:
        """``overlay``: where on the plate the game of ``line`` lies; ``resumed``: it was begun
        earlier. ``failed``: as in GameReferee, kept for the next game.
        """
        self.failed = failed
        self._journal = journal
        self._seats = seats
        self._overlay = overlay
        self.game = overlay.game
        self._line = line
        self._menu = menu
        self._finished = False  # the result is on disk
        self.step_number = len(line.moves) + 1
        self._sounds: list[Sound] = [] if resumed else [Sound.START]
        self._computers, self._advisers = Computers(), Computers()
        self._ask_hint: dict[str, int] = {}  # and at which step
        self.hints: Mapping[str, Hinted] = {}
        self._evidence = Evidence()
        self._wish: Proposal | None = None  # of a computer, or of somebody who cannot do it
        self._asking: Asking[str] = Asking()  # the menu
        self._notice: Message | None = None  # until the next press
        self._asks_since_s: float | None = None  # for chance, by a computer's turn
        self.counting: int | None = None
        self._count_ends_s = inf  # five seconds after the step in which it is asked for
        self.menu_choice: str | None = None
        self._trouble: JournalError | None = None
        self._retry_s = 0.0
        self._stood: tuple[tuple[object, ...], Standing] | None = None  # and of what it was made

    @property
    def position(self) -> Position:
        """After the last move, which the standing shows from the next step on."""
        return self._line.position

    @property
    def proposal(self) -> Proposal | None:
        """What hands seem to have done, or are to do for somebody; people say how it went."""
        return self._evidence.proposal or self._wish

    @property
    def for_hands(self) -> str | None:
        """What hands are to do for somebody, mostly a computer player."""
        return None if self._wish is None else self._wish.move

    def close_menu_choice(self, refused: Message | None = None) -> None:
        """As in GameReferee; until the next press."""
        self.menu_choice = None
        self._notice = refused or self._notice

    def set_up_again(self) -> None:
        """Nothing: people say what lies there."""

    # What people ask

    def carry_out(self, request: GameRequest) -> None:
        """As in GameReferee."""
        request.check_current(self._line.game_id, self.step_number)
        match request:
            case SeatMove():
                self._move(request)
            case Count(player):
                self._count(player)
            case NotSo():
                if self._evidence.proposal is None:
                    raise NotPossibleError("Nothing is proposed now.", remedy="Say what was done.")
                self._evidence = self._evidence.doubted()
            case SeatHint(player):
                if player not in self.position.awaiting or player in self._seats.shut:
                    raise NotPossibleError("There is nothing to hint at now.")
                self._ask_hint[player] = self.step_number
            case Answer(value):
                self._chosen(self._asking.named(value))
            case TakeBack(to):
                if self._kept is None or to not in (None, self._kept):
                    raise NotPossibleError(
                        "Only what hands did last can be taken back, and no card that was seen.",
                        remedy="Play on.",
                    )
                self._take_back(self._kept)
            case _:
                raise NotPossibleError(
                    "This game has no such question.", remedy="Play on its page."
                )

    def _count(self, player: str | None) -> None:
        if self.game.time_up not in self.position.legal():
            raise NotPossibleError("There is nothing to count for.", remedy="Go on playing.")
        if not self._only_wishes(player, _WOULD_COUNT):
            self.counting, self._count_ends_s = COUNT_S, inf
            self._sounds.append(Sound.ASK)

    def _move(self, asked: SeatMove) -> None:
        """Moves of hands at a computer's seat anybody tells; so does anybody how what is proposed
        went.
        """
        game, position, move = self.game, self.position, asked.move
        who = move.partition(":")[0]
        if who == CHANCE and game.rolls(position) and self._only_wishes(asked.player, _WOULD_ROLL):
            return
        if move == CHANCE:
            self._deal()
            return
        if move == game.time_up:  # nobody ends the others' time at once
            self._count(asked.player)
            return
        hands = who in self._seats.computers and game.takes_back(move)
        for proposed in (self._evidence.proposal, self._wish):
            if proposed is not None:  # whether ``move`` says that it was done, or that it failed
                failed = game.failure(position, proposed.move)
                hands |= move == proposed.move or (failed is not None and move.startswith(failed))
        if who in game.players and who != asked.player and not hands:
            raise NotPossibleError("This is another player's move.", remedy="Sit down there.")
        secret = game.shown_move(move, "") != move  # which cards lie where
        if who == CHANCE and (game.at_once(position) or secret):
            raise NotPossibleError("The table deals this itself.", remedy="Wait a moment.")
        if not asked.proposed:
            self._play(move)
            return
        refusal = game.refusal(position, move)
        if refusal is not None:
            raise refusal
        if game.failure(position, move) is None:
            raise NotPossibleError("This needs no hands.", remedy="Say it yourself.")
        self._wish = Proposal(move, seen=False)

    def _only_wishes(self, who: str | None, would: Message) -> bool:
        """Whether somebody asks for what the one whose turn it is has to do; it is told then, and
        waits for him.
        """
        mover = self.position.mover
        if who in (None, mover) or mover in self._seats.computers:
            return False
        self._notice = Message(would.template, {"who": name(who), "other": name(mover)})
        self._sounds.append(Sound.ASK)
        return True

    # Steps

    def step(self, sight: Sight, now_s: float, presses: Sequence[Press] = ()) -> Standing:
        """As in GameReferee. Chance, the count, bots and what could not be written before go on by
        themselves.
        """
        if self._trouble is None or now_s >= self._retry_s:
            try:
                self._go_on(sight, now_s, presses)
                self._trouble = None
            except JournalError as error:
                if self._trouble is None:
                    self._sounds.append(Sound.PAUSED)
                self._trouble, self._retry_s = error, now_s + RETRY_S
        return self._stand()

    def _go_on(self, sight: Sight, now_s: float, presses: Sequence[Press]) -> None:
        for press in presses:
            self._notice = None
            if press.button == BACK:
                self._back(press, now_s)
            else:
                self._confirm(press, now_s)
        if CHANCE in self.position.awaiting and self.game.at_once(self.position):
            self._deal()
        self._count_on(now_s)
        self._let_computers(now_s)
        self._advise(now_s)
        self._look(sight, now_s)
        outcome = self.position.outcome
        if outcome is not None and not self._finished:
            self._journal.finish(self._line.game_id, outcome.as_json())
            self._finished = True

    @property
    def _kept(self) -> int | None:
        """How many moves are left after the one that may be taken back; None: none may be. Once it
        is over anybody may know what chance would have been, so it stays over.
        """
        game, moves = self.game, self._line.moves
        if self.position.over and game.secret_options:
            return None
        for at in range(len(moves) - 1, -1, -1):
            if game.takes_back(moves[at]):
                return at
            if not game.passes(moves[at]):
                break
        return None

    def _take_back(self, to: int) -> None:
        self._journal.take_back(self._line.game_id, len(self._line.moves), to)
        self._line = self._line.shortened(to)
        self._finished, self._wish, self._evidence = False, None, Evidence()
        self.step_number += 1
        self._sounds.append(Sound.TAKEBACK)

    def _confirm(self, press: Press, now_s: float) -> None:
        if self._asking.menu:
            self._asking, choice = self._asking.pressed(press, now_s)
            self._chosen(choice)
        elif self.proposal is not None:
            self._play(self.proposal.move)
        elif self.position.over:
            self.menu_choice = AGAIN
        elif CHANCE in self.position.awaiting:
            self._deal()

    def _back(self, press: Press, now_s: float) -> None:
        evidence, proposed = self._evidence, self._evidence.proposal
        if press.long and self._menu is not None:
            self._asking = self._asking.browse(self._menu(), self.game, {}, now_s)
        elif self._asking.menu:
            self._asking = Asking()
        elif proposed is not None:
            self._evidence = evidence.doubted() if proposed.sure else evidence.declined()
        elif self._kept is not None:
            self._take_back(self._kept)

    def _chosen(self, choice: Choice | None) -> None:
        if choice is not None:
            self._asking, self.menu_choice = Asking(), choice.value

    def _let_computers(self, now_s: float) -> None:
        """A computer's move; what hands must do for it is proposed."""
        game, position, computers = self.game, self.position, self._seats.computers
        if not computers or self._wish is not None:
            return
        if CHANCE in position.awaiting and position.mover in computers:
            self._asks_since_s = now_s if self._asks_since_s is None else self._asks_since_s
            if now_s >= self._asks_since_s + ROLL_S:
                self._deal()
            return
        decided = self._computers.decided(game, position, computers, self.step_number, now_s)
        if decided is None:
            return
        move = decided[1].best
        if game.takes_back(move) and game.failure(position, move) is not None:
            self._wish = Proposal(move, seen=False)
        else:
            self._play(move)

    def _advise(self, now_s: float) -> None:
        """Who asked for a hint has it once the strongest computer has thought of what he sees."""
        step = self.step_number
        levels = {who: LEVELS[-1] for who, asked in self._ask_hint.items() if asked == step}
        found = self._advisers.decided(self.game, self.position, levels, step, now_s)
        if found is not None:
            player, computer = found
            del self._ask_hint[player]
            hint = Hinted(step, computer.best, sentence(computer.why))
            self.hints = {**self.hints, player: hint}

    def _look(self, sight: Sight, now_s: float) -> None:
        """What the sensors surely tell counts after a while of rest, unless somebody says
        otherwise.
        """
        before = self._evidence.proposal
        self._evidence = looked(self._evidence, sight, self._overlay, self.position, self.for_hands)
        proposed = self._evidence.proposal
        if proposed is not None and before is None:
            self._sounds.append(Sound.ASK)
        if proposed is not None and proposed.sure and now_s >= proposed.since_s + REST_S:
            self._play(proposed.move)

    def _count_on(self, now_s: float) -> None:
        if self.counting is not None and self.game.time_up not in self.position.legal():
            self.counting = None
        if self.counting is None:
            return
        if self._count_ends_s == inf:
            self._count_ends_s = now_s + COUNT_S
        self.counting = ceil(self._count_ends_s - now_s)
        if self.counting <= 0:
            self.counting = None
            self._play(self.game.time_up)

    def _deal(self) -> None:
        """Make the move of chance, which follows from the game's secret seed and the number of the
        move. Raises NotPossibleError where there is none.
        """
        line, game = self._line, self.game
        legal = [move for move in line.position.legal() if move.startswith(CHANCE)]
        if not legal:
            raise NotPossibleError("Chance decides nothing now.", remedy="Go on playing.")
        seed = next((game.options[name] for name in game.secret_options), 0)
        draws = Draws(seed, len(line.moves))
        self._play(game.completed(line.position, draws.choice(legal), draws))

    def _play(self, move: str) -> None:
        game, line, before = self.game, self._line, self.position
        turn = before.play(move)
        self._journal.append(line.game_id, len(line.moves) + 1, turn.move)
        held = game.more(before)
        if not any((*held["hands"].values(), held["drawn"])):
            self._seats.deal()
        self._line = line.played(turn)
        proposed = self._evidence.proposal
        if proposed is not None and proposed.move == move:
            self._evidence = Evidence(self._evidence.explained)
        else:
            before_it = None if game.takes_back(move) else self._evidence.before
            self._evidence = Evidence(before_it)  # what is seen is looked at anew
        self._notice = self._wish = self._asks_since_s = None
        if not game.passes(move) or game.prompt(before) != game.prompt(self.position):
            self.step_number += 1
            self._count_ends_s = inf  # who counts begins anew
        failed = game.failure(before, move)
        if self.position.over:
            self._sounds.append(Sound.WIN)
        elif failed is not None:
            self._sounds.append(Sound.WRONG if move.startswith(failed) else Sound.SETTLED)
        elif not game.passes(move):
            self._sounds.append(Sound.MOVE)

    def _stand(self) -> Standing:
        """The standing; the same object as long as nothing changes. Sounds are told once."""
        line, position, question = self._line, self.position, self._asking.question
        sounds, self._sounds = tuple(self._sounds), []
        told = self._trouble, question, self._notice
        made_of = position, self.step_number, self.counting, self.proposal, *told, sounds
        if self._stood is None or self._stood[0] != made_of:
            phase = Phase.OVER if position.over else Phase.TURN
            roles, tint = lights(self.game, position, self._overlay, self.counting)
            self._stood = (
                made_of,
                Standing(
                    phase=phase if self._trouble is None else Phase.PAUSED,
                    to_move=position.to_move,
                    game=self.game,
                    game_id=line.game_id,
                    position=position,
                    moves=line.moves,
                    roles=roles,
                    piece_for={},
                    shifts=(),
                    say=self._say(),
                    outcome=position.outcome,
                    tint=tint,
                    question=question,
                    can_take_back=self._kept is not None,
                    sounds=sounds,
                    step=self.step_number,
                ),
            )
        return self._stood[1]

    def _say(self) -> Message:
        if self._trouble is not None:
            return troubles.part_missing([self._trouble])
        if self._asking.question is not None:
            return self._asking.question.ask
        if self._notice is not None:
            return self._notice
        if self.position.outcome is not None:
            return over(self.position.outcome)
        prompt = sentence(self.game.prompt(self.position))
        if self.counting is None:
            return prompt
        return text("{left}… {prompt}", left=self.counting, prompt=prompt)


# What people read and see: the game's sentences, and the lights of its zones

NAMES: Mapping[str, Message] = {
    "red": text("Red"),
    "blue": text("Blue"),
    "white": text("White"),
    "green": text("Green"),
    "yellow": text("Yellow"),
    "black": text("Black"),
}
_ZONE = re.compile("zone ([1-8])")


def name(player: str) -> Message:
    """A player as a sentence begins with him: "Red"."""
    return NAMES.get(player, Message(player))


def sentence(words: Words) -> Message:
    """A game's sentence, its words translated as well as they are known."""
    template, params = words
    return Message(template, {key: _word(value) for key, value in params.items()})


def _word(value: object) -> object:
    match value:
        case Phrase():
            return sentence((value.template, value.params))
        case Several(words, joint):
            *others, said = map(_word, words)
            for each in reversed(others):
                said = Message(f"{{one}}{joint}{{others}}", {"one": each, "others": said})
            return said
        case str() if "{" not in value and "}" not in value:
            zone = _ZONE.fullmatch(value)
            return name(value) if zone is None else text("zone {zone}", zone=zone[1])
    return value


def over(outcome: Outcome) -> Message:
    """Who has won."""
    winners = outcome.extra.get("winners", [])
    if len(winners) == 1:
        return text("{winner} wins with the most points!", winner=name(winners[0]))
    if outcome.team is not None:
        return text("{winners} win together, with the most points!", winners=_all(winners))
    return text("{winners} share the victory.", winners=_all(winners))


def _all(players: list[str]) -> Message:
    first, *rest = players
    return text("{one} and {others}", one=name(first), others=_all(rest)) if rest else name(first)


HARDER = ("orange", "purple")  # one challenge, and more


def lights(
    game: SeatedGame, position: Position, overlay: ZoneOverlay, left: int | None
) -> tuple[Mapping[str, Role], Mapping[str, tuple[str, ...]]]:
    """Roles, and the colours of those that are legal. ``left``: seconds of a count.

    The zone of the turn is lit, in another colour where it was made harder; the middle has the
    colours of those who are awaited, in turn; as many zones blink at the rim as seconds are left.
    """
    if position.over:
        return dict.fromkeys(overlay.middle, Role.WIN), {}
    roles: dict[str, Role] = {}
    tint: dict[str, tuple[str, ...]] = {}
    forced = min(game.forced(position), len(HARDER))
    for zone in game.lit(position):
        for place in overlay.zones[zone]:
            roles[place] = Role.LEGAL
            if forced:
                tint[place] = (HARDER[forced - 1],)
    awaited = tuple(each for each in position.awaiting if each in game.players)
    awaited = awaited or (position.mover,)  # who rolls
    for place in overlay.middle:
        roles[place], tint[place] = Role.LEGAL, awaited
    for zone in list(overlay.zones)[: left or 0]:
        roles[overlay.zones[zone][-1]] = Role.LIFT
    return roles, tint
