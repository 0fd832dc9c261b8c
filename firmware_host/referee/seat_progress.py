"""Advances a game with private seats in response to requests, buttons, moved pieces, random draws
and bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf
from typing import NamedTuple

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import JournalError, NotPossibleError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.chance import CHANCE, Draws
from tiltboard.firmware_host.referee.seat_bots import Computers, Hinted
from tiltboard.firmware_host.referee.seat_state import SeatState
from tiltboard.firmware_host.referee.seat_view import name, sentence
from tiltboard.firmware_host.referee.seats import LEVELS, Seats
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.buttons import BACK, ButtonPress
from tiltboard.firmware_host.table.move_line import JournalPort
from tiltboard.firmware_host.table.referee_protocol import AGAIN
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.status import Choice, OpenQuestion, Sound
from tiltboard.firmware_host.table.zones import REST_S, Evidence, Proposal, updated_evidence

COUNT_S = 5
ROLL_S = 1.0
_WOULD_ROLL = text("{who} would like to roll: that is for {other}.")
_WOULD_COUNT = text("{who} would like to count to five: that is for {other}.")


class Parts(NamedTuple):
    """The parts that the referee of a game with private seats uses, apart from its state."""

    journal: JournalPort
    seats: Seats
    bots: Computers
    """Bots that play at seats."""
    advisers: Computers
    """Bots that find hints for players."""


class SeatScan(NamedTuple):
    """One scan of the plate, with its time in seconds."""

    sight: Sight
    now_s: float


# Functions that carry out requests of people


def carry_out(state: SeatState, parts: Parts, request: c.GameRequest) -> SeatState:
    """Carry out a request of a person. Raises NotPossibleError, RulesError and JournalError."""
    match request:
        case c.SeatMove():
            return _move(state, parts, request)
        case c.StartCountdown(player):
            return _count(state, parts, player)
        case c.RejectProposal():
            if state.evidence.proposal is None:
                raise NotPossibleError("Nothing is proposed now.", remedy="Say what was done.")
            return replace(state, evidence=state.evidence.with_doubt())
        case c.SeatHint(player):
            if player not in state.position.awaiting or player in parts.seats.shut:
                raise NotPossibleError("There is nothing to hint at now.")
            return replace(state, asked_hints={**state.asked_hints, player: state.step})
        case c.Answer(value):
            return _choose(state, state.asking.choice_named(value))
        case c.TakeBack(to):
            if state.moves_after_undo is None or to not in (None, state.moves_after_undo):
                raise NotPossibleError(
                    "Only what hands did last can be taken back, and no card that was seen.",
                    remedy="Play on.",
                )
            return _take_back(state, parts, state.moves_after_undo)
    raise NotPossibleError("This game has no such question.", remedy="Play on its page.")


def _count(state: SeatState, parts: Parts, player: str | None) -> SeatState:
    if state.game.time_up not in state.position.legal():
        raise NotPossibleError("There is nothing to count for.", remedy="Go on playing.")
    if _only_requests(state, parts, player):
        return _tell_wish(state, player, _WOULD_COUNT)
    return replace(state, counting=COUNT_S, count_ends_s=inf).sounding(Sound.ASK)


def _move(state: SeatState, parts: Parts, asked: c.SeatMove) -> SeatState:
    """Make the move that a person reports or requests. Any person can report a move that people
    make by hand for a bot. Any person can also report whether the proposed move succeeded or
    failed.
    """
    game, position, move = state.game, state.position, asked.move
    who = move.partition(":")[0]
    if who == CHANCE and game.rolls(position) and _only_requests(state, parts, asked.player):
        return _tell_wish(state, asked.player, _WOULD_ROLL)
    if move == CHANCE:
        return _deal(state, parts)
    # Start a count of five seconds before the move, so that the other players can still act.
    if move == game.time_up:
        return _count(state, parts, asked.player)
    hands = who in parts.seats.computers and game.takes_back(move)
    for proposed in (state.evidence.proposal, state.requested):
        # Accept ``move`` if it reports that the proposed move succeeded or failed.
        if proposed is not None:
            failed = game.failure(position, proposed.move)
            hands |= move == proposed.move or (failed is not None and move.startswith(failed))
    if who in game.players and who != asked.player and not hands:
        raise NotPossibleError("This is another player's move.", remedy="Sit down there.")
    secret = game.shown_move(move, "") != move  # True if the move names hidden cards.
    if who == CHANCE and (game.at_once(position) or secret):
        raise NotPossibleError("The table deals this itself.", remedy="Wait a moment.")
    if not asked.proposed:
        return _play(state, parts, move)
    refusal = game.refusal(position, move)
    if refusal is not None:
        raise refusal
    if game.failure(position, move) is None:
        raise NotPossibleError("This needs no hands.", remedy="Say it yourself.")
    return replace(state, requested=Proposal(move, seen=False))


def _only_requests(state: SeatState, parts: Parts, who: str | None) -> bool:
    """Return whether ``who`` asks for an action that only the player to move can take. The result
    is False on a bot's turn, and if ``who`` is None (the people at this table).
    """
    mover = state.position.mover
    return who not in (None, mover) and mover not in parts.seats.computers


def _tell_wish(state: SeatState, who: str | None, would: Message) -> SeatState:
    """Return the state with a notice to the player to move. The notice says that ``who`` would like
    this player to act. ``would``: the sentence of the notice.
    """
    params = {"who": name(who or ""), "other": name(state.position.mover)}
    return replace(state, notice=Message(would.template, params)).sounding(Sound.ASK)


# Stages of a step of the referee


def follow(
    state: SeatState, parts: Parts, scan: SeatScan, presses: Sequence[ButtonPress]
) -> SeatState:
    """Advance the game by one scan, running each stage at most once. After a JournalError, nothing
    happens until the time of the next attempt.
    """
    if state.trouble is not None and scan.now_s < state.retry_s:
        return state
    for press in presses:
        try:
            state = _press(replace(state, notice=None), parts, scan, press)
        except JournalError as error:
            return state.with_write_error(error, scan.now_s)
    for stage in (_deal_at_once, _count_on, _let_bots, _advise, _look, _finish):
        try:
            state = stage(state, parts, scan)
        except JournalError as error:
            return state.with_write_error(error, scan.now_s)
    return state if state.trouble is None else replace(state, trouble=None)


def _press(state: SeatState, parts: Parts, scan: SeatScan, press: ButtonPress) -> SeatState:
    back = press.button == BACK
    return (_back if back else _confirm)(state, parts, scan, press)


def _confirm(state: SeatState, parts: Parts, scan: SeatScan, press: ButtonPress) -> SeatState:
    """Handle a press of confirm. In the menu, the press chooses; otherwise it accepts the proposed
    move. If there is no proposed move, the press starts another game after the end, or makes the
    random draw.
    """
    if state.asking.menu:
        asking, choice = state.asking.after_press(press, scan.now_s)
        return _choose(replace(state, asking=asking), choice)
    if state.proposal is not None:
        return _play(state, parts, state.proposal.move)
    if state.position.over:
        return replace(state, menu_choice=AGAIN)
    return _deal(state, parts) if CHANCE in state.position.awaiting else state


def _back(state: SeatState, parts: Parts, scan: SeatScan, press: ButtonPress) -> SeatState:
    """Handle a press of back: open or close the menu, reject the proposed move (or first mark it as
    doubtful), or take back the last move.
    """
    evidence, proposed = state.evidence, state.evidence.proposal
    if press.long and state.menu is not None:
        asking = state.asking.browse(state.menu(), state.game, {}, scan.now_s)
        return replace(state, asking=asking)
    if state.asking.menu:
        return replace(state, asking=OpenQuestion())
    if proposed is not None:
        doubted = evidence.with_doubt() if proposed.sure else evidence.after_decline()
        return replace(state, evidence=doubted)
    return (
        state
        if state.moves_after_undo is None
        else _take_back(state, parts, state.moves_after_undo)
    )


def _choose(state: SeatState, choice: Choice | None) -> SeatState:
    if choice is None:
        return state
    return replace(state, asking=OpenQuestion(), menu_choice=choice.value)


def _deal_at_once(state: SeatState, parts: Parts, _scan: SeatScan) -> SeatState:
    waits = CHANCE in state.position.awaiting and state.game.at_once(state.position)
    return _deal(state, parts) if waits else state


def _count_on(state: SeatState, parts: Parts, scan: SeatScan) -> SeatState:
    """Continue the count of five seconds. When the count ends, make the game's time-up move."""
    if state.counting is None:
        return state
    if state.game.time_up not in state.position.legal():
        return replace(state, counting=None)
    ends_s = scan.now_s + COUNT_S if state.count_ends_s == inf else state.count_ends_s
    left = ceil(ends_s - scan.now_s)
    if left <= 0:
        return _play(replace(state, counting=None), parts, state.game.time_up)
    return replace(state, counting=left, count_ends_s=ends_s)


def _let_bots(state: SeatState, parts: Parts, scan: SeatScan) -> SeatState:
    """Make a bot's move, or propose the move to people if it must be made by hand."""
    game, position, bots = state.game, state.position, parts.seats.computers
    if not bots or state.requested is not None:
        return state
    if CHANCE in position.awaiting and position.mover in bots:
        since_s = scan.now_s if state.chance_since_s is None else state.chance_since_s
        state = replace(state, chance_since_s=since_s)
        return _deal(state, parts) if scan.now_s >= since_s + ROLL_S else state
    decided = parts.bots.decided(game, position, bots, state.step, scan.now_s)
    if decided is None:
        return state
    move = decided[1].best
    if game.takes_back(move) and game.failure(position, move) is not None:
        return replace(state, requested=Proposal(move, seen=False))
    return _play(state, parts, move)


def _advise(state: SeatState, parts: Parts, scan: SeatScan) -> SeatState:
    """Return the state with a hint, once the strongest bot has finished thinking. The bot knows
    only what the player who asked for the hint can see.
    """
    step = state.step
    levels = {who: LEVELS[-1] for who, asked in state.asked_hints.items() if asked == step}
    found = parts.advisers.decided(state.game, state.position, levels, step, scan.now_s)
    if found is None:
        return state
    player, bot = found
    hint = Hinted(step, bot.best, sentence(bot.why))
    others = {who: asked for who, asked in state.asked_hints.items() if who != player}
    return replace(state, asked_hints=others, hints={**state.hints, player: hint})


def _look(state: SeatState, parts: Parts, scan: SeatScan) -> SeatState:
    """Update the evidence from the sensors. If the sensors are certain of a move, it is played
    after ``REST_S`` seconds.
    """
    before, requested = state.evidence.proposal, state.requested
    for_hands = None if requested is None else requested.move
    evidence = updated_evidence(
        state.evidence, scan.sight, state.overlay, state.position, for_hands
    )
    if evidence is not state.evidence:
        state = replace(state, evidence=evidence)
    proposed = evidence.proposal
    if proposed is not None and before is None:
        state = state.sounding(Sound.ASK)
    if proposed is not None and proposed.sure and scan.now_s >= proposed.since_s + REST_S:
        return _play(state, parts, proposed.move)
    return state


def _finish(state: SeatState, parts: Parts, _scan: SeatScan) -> SeatState:
    """Write the result of the game to the journal, once. Raises JournalError."""
    outcome = state.position.outcome
    if outcome is None or state.finished:
        return state
    parts.journal.finish(state.line.game_id, outcome.as_json())
    return replace(state, finished=True)


# Functions that change the moves of the game


def _take_back(state: SeatState, parts: Parts, to: int) -> SeatState:
    parts.journal.take_back(state.line.game_id, len(state.line.moves), to)
    return replace(
        state,
        line=state.line.cut_to(to),
        finished=False,
        requested=None,
        evidence=Evidence(),
        step=state.step + 1,
    ).sounding(Sound.TAKEBACK)


def _deal(state: SeatState, parts: Parts) -> SeatState:
    """Make a random draw, computed from the game's secret seed and the number of the move. Raises
    NotPossibleError if no random draw is possible now.
    """
    line, game = state.line, state.game
    legal = [move for move in line.position.legal() if move.startswith(CHANCE)]
    if not legal:
        raise NotPossibleError("Chance decides nothing now.", remedy="Go on playing.")
    seed = next((game.options[option] for option in game.secret_options), 0)
    draws = Draws(seed, len(line.moves))
    return _play(state, parts, game.completed(line.position, draws.choice(legal), draws))


def _play(state: SeatState, parts: Parts, move: str) -> SeatState:
    """Write ``move`` to the journal and make the move final. Raises RulesError and JournalError."""
    game, line, before = state.game, state.line, state.position
    turn = before.play(move)
    parts.journal.append(line.game_id, len(line.moves) + 1, turn.move)
    held = game.more(before)
    if not any((*held["hands"].values(), held["drawn"])):
        parts.seats.deal()
    proposed = state.evidence.proposal
    if proposed is not None and proposed.move == move:
        evidence = Evidence(state.evidence.explained)
    else:  # The move made is not the proposed move, so evaluate the sensors again.
        evidence = Evidence(None if game.takes_back(move) else state.evidence.before)
    state = replace(
        state,
        line=line.with_move(turn),
        evidence=evidence,
        notice=None,
        requested=None,
        chance_since_s=None,
    )
    if not game.passes(move) or game.prompt(before) != game.prompt(state.position):
        # If a count of five seconds is running, it starts again.
        state = replace(state, step=state.step + 1, count_ends_s=inf)
    failed = game.failure(before, move)
    if state.position.over:
        return state.sounding(Sound.WIN)
    if failed is not None:
        return state.sounding(Sound.WRONG if move.startswith(failed) else Sound.SETTLED)
    return state if game.passes(move) else state.sounding(Sound.MOVE)
