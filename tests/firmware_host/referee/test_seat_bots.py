"""Tests of firmware_host/referee/seat_bots.py, games/gravity_warfare/bots.py, evaluation.py and
tiltboard_lab/bench/seats.py: computer players at the table: they see their view, take
always the same time, and finish games; what hands do is proposed, by them or by the sensors,
and people say how it went.
"""

from __future__ import annotations

import random

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.referee.seat_bots import THINK_S
from tiltboard.firmware_host.table.commands import NewGame, RejectProposal, SeatBot, SeatMove
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE, apply, bots, evaluation, moves
from tiltboard.games.gravity_warfare.rules import WarfareRules
from tiltboard.games.gravity_warfare.state import UNKNOWN, Token
from tiltboard.hw_sim.session import SimSession
from tiltboard_lab.bench.seats import SeatsTally, play
from tiltboard_lab.bench.seats_at_table import modes_of, seated_game

MODES = modes_of(seated_game())


@pytest.fixture
def session(tmp_path):
    with SimSession(unhurried("plate-10"), tmp_path, settings=Settings()) as running:
        running.tick()
        options = {"players": 3, "rounds": 1, "seed": 5}
        ask(running, NewGame("gravity-warfare", options))
        ask(running, SeatMove(None, "chance"))
        yield running


def ask(session, command):
    done = session.host.submit(command)
    session.tick()
    session.tick()
    return done.result(0)


def position(session):
    return session.host.status.position


def phase(session):
    return position(session).game.more(position(session))["phase"]


def put(session, zone):
    """A hand lays a piece into that zone."""
    overlay = session.host.overlay
    session.hands.put("piece", overlay.index_of(overlay.zones[zone][0]))


def until(session, holds, most_s=60.0):
    end_s = session.clock.now() + most_s
    while not holds():
        assert session.clock.now() < end_s, session.host.status.say
        session.tick()


@pytest.mark.parametrize("mode", MODES)
def test_levels_play_every_mode_to_its_end(mode):
    tally = SeatsTally()
    for seed in range(3):
        options = {**MODES[mode], "rounds": 1}
        play(options, ("medium", "easy"), random.Random(seed), tally)
    assert (tally.games, tally.unfinished) == (3, 0)
    assert tally.moves > 60


@pytest.mark.parametrize("mode", ["battle", "simple"])
def test_a_hard_player_plays_on_where_cards_are_of_paper_and_nobodys_hand_is_known(mode):
    tally = SeatsTally()
    options = {"mode": mode, "cards": "paper", "rounds": 1}
    play(options, ("hard", "medium"), random.Random(1), tally)
    assert (tally.games, tally.unfinished) == (1, 0)


def share(strong, weak, games, **options):
    """Of the victories of three, with one of the stronger among two others."""
    won = 0.0
    for seed in range(games):
        levels, seat = [weak] * 3, seed % 3
        levels[seat] = strong
        tally = SeatsTally()
        play(options, levels, random.Random(seed), tally)
        won += tally.wins[seat] / tally.wins.total()
    return won / games


def test_each_level_wins_more_than_its_third_against_the_one_below():
    battle, simple = {"mode": "battle", "rounds": 1}, {"mode": "simple"}
    assert share("medium", "easy", 30, **battle) > 0.45
    assert share("hard", "medium", 20, **battle) > 0.45  # a third by chance; 57 % of 40 games
    assert share("medium", "easy", 30, **simple) > 0.38


def test_a_hard_player_has_who_is_ahead_do_an_easy_turn_for_him_in_simple_mode():
    state = GRAVITY_WARFARE.create({"mode": "simple"}).start().state.copy()
    state.stage, state.zone, state.troop = "window", "3", ("tank",)
    state.hands[0], state.passed = ("do-it-yourself",), frozenset({1, 2})
    state.tokens = (Token(0, "limit-it", "limit-it"),)
    state.troops[2] = state.troops[2][:2]
    legal, dice = moves.listed_of(state, 0), random.Random(1)
    assert evaluation.heuristic_move(state, 0, legal, dice, keen=False) == "red:pass"
    assert evaluation.heuristic_move(state, 0, legal, dice) == "red:play:do-it-yourself:white"


def test_a_hard_player_has_thought_enough_before_its_time_is_over():
    scans = THINK_S * load_profile("plate-10").scans_per_s
    state = GRAVITY_WARFARE.create({"players": 4, "seed": 1}).start().state
    dice, most = random.Random(2), 0
    for _ in range(25):
        for player in moves.awaited_seats(state):
            thinker = bots.Player(
                WarfareRules(state.options).view(state, player), player, "hard", dice
            )
            slices = 0
            while thinker.think():
                slices += 1
            most = max(most, slices)
            assert thinker.best in moves.listed_of(state, player)
        apply.make(state, evaluation.attempted(state, evaluation.playout_move(state, dice), dice))
    assert bots.SLICES / 2 < most < scans


def test_an_imagined_world_has_every_card_once_and_what_was_seen_in_its_place():
    game = GRAVITY_WARFARE.create({"players": 4, "seed": 1})
    state = game.start().state
    dice = random.Random(2)
    for _ in range(120):
        state = state.copy()
        apply.make(state, evaluation.attempted(state, evaluation.playout_move(state, dice), dice))
    seen = WarfareRules(state.options).view(state, 2)
    world = evaluation.sample_world(seen, dice)
    known = [world.hands[2], world.discard, world.points, world.zones]
    assert known == [state.hands[2], state.discard, state.points, state.zones]
    whole = sorted([*world.left, *world.right_pile, *(c for hand in world.hands for c in hand)])
    truly = sorted([*state.left, *state.right_pile, *(c for hand in state.hands for c in hand)])
    assert whole == truly
    assert UNKNOWN not in world.heroes.values()


def test_its_move_depends_on_its_view_alone(session):
    game, before = position(session).game, position(session)
    after = before.play("chance:roll:tank:3").position
    other = after.state.copy()
    other.hands[0], other.hands[2] = other.hands[2], other.hands[0]  # of those that blue cannot see
    for level in bots.LEVELS:
        decided = []
        for state in (after.state, other):
            thinker = bots.Player(
                WarfareRules(state.options).view(state, 1), 1, level, random.Random(9)
            )
            while thinker.think():
                pass
            decided.append((thinker.best, thinker.why))
        assert decided[0] == decided[1]
    assert game.name == "gravity-warfare"


def test_why_says_how_likely_a_piece_holds_without_and_with_a_card():
    """The shares by hand: 0.95 - 0.015 for each piece, times what each card leaves of it."""
    state = GRAVITY_WARFARE.create({"players": 3}).start().state.copy()
    state.stage, state.zone, state.troop, state.points = "window", "3", ("tank",), [4, 1, 1]
    state.tokens = (Token(1, "limit-it", "limit-it"),)
    told = {
        "red:pass": ("keep your cards for a harder turn", "lies", 86),
        "red:play:guardian": ("So it holds {eased} %", "eased", 95),
        "red:play:space-time-hole:limit-it": ("So it holds {eased} %", "eased", 95),
        "blue:play:mount-it": ("leads you by {points}", "share", 68),
        "white:play:antimatter=chopsticks": ("leads you by {points}", "points", 3),
        "white:pass": ("hard enough: it holds {lies} %", "lies", 86),
        "red:play:do-it-yourself:white": ("{who} pays for what falls", "who", "white"),
    }
    for move, (words, name, value) in told.items():
        template, params = bots.why(state, state.seat(move.partition(":")[0]), move)
        assert words in template
        assert params[name] == value, move
    state.troops[0] = state.troops[0][:2]
    assert "near the last piece" in bots.why(state, 1, "blue:play:mount-it")[0]
    state.stage, state.fixed, state.zones = "place", (), {"3": [state.troops[1][:2]]}
    template, params = bots.why(state, 0, "red:place:ok:red-tank:3:under=2")
    assert (params["share"], params["high"]) == (78, 2)  # (0.95 - 0.03) * 0.92 * 0.92
    assert "each piece under it is a point" in template


def test_computers_move_after_the_same_time_and_have_their_pieces_placed(session):
    for player, level in (("red", "medium"), ("blue", "easy"), ("white", "medium")):
        ask(session, SeatBot(player, level))
    until(session, lambda: phase(session) == "window")
    begun_s, made = session.clock.now(), len(session.host.status.moves)
    until(session, lambda: len(session.host.status.moves) > made)
    assert session.clock.now() - begun_s == pytest.approx(THINK_S, abs=0.1)
    until(session, lambda: session.host.session.seat_referee.proposal is not None)
    proposed = session.host.session.seat_referee.proposal
    assert ":place:ok:" in proposed.move
    assert not proposed.seen
    session.run_until(session.clock.now() + 10)
    # What hands did not do does not count.
    assert session.host.session.seat_referee.proposal == proposed
    ask(session, SeatMove(None, proposed.move))
    assert proposed.move in session.host.status.moves


def test_a_piece_that_comes_to_rest_is_proposed_and_counts_after_three_seconds(session):
    for move in ("chance:roll:tank:5", "red:pass", "blue:pass", "white:pass"):
        who = move.partition(":")[0]
        ask(session, SeatMove(None if who == "chance" else who, move))
    assert phase(session) == "place"
    until(session, lambda: session.host.sight.ready)
    session.tick()
    put(session, "5")
    until(session, lambda: session.host.session.seat_referee.proposal is not None)
    assert session.host.session.seat_referee.proposal.move == "red:place:ok:red-tank:5"
    assert session.host.session.seat_referee.proposal.seen
    seen_s = session.clock.now()
    until(session, lambda: phase(session) == "after")
    assert session.clock.now() - seen_s == pytest.approx(3.0, abs=0.2)


def test_what_was_misread_is_corrected_before_it_counts_or_taken_back(session):
    for move in ("chance:roll:tank:5", "red:pass", "blue:pass", "white:pass"):
        who = move.partition(":")[0]
        ask(session, SeatMove(None if who == "chance" else who, move))
    until(session, lambda: session.host.sight.ready)
    session.tick()
    put(session, "5")
    until(session, lambda: session.host.session.seat_referee.proposal is not None)
    ask(session, SeatMove("blue", "red:place:fail:red-tank:5"))  # anybody at the table says so
    assert session.host.status.moves[-1] == "red:place:fail:red-tank:5"


def test_a_piece_in_another_zone_is_not_proposed(session):
    for move in ("chance:roll:tank:5", "red:pass", "blue:pass", "white:pass"):
        who = move.partition(":")[0]
        ask(session, SeatMove(None if who == "chance" else who, move))
    until(session, lambda: session.host.sight.ready)
    session.tick()
    put(session, "1")
    session.run_until(session.clock.now() + 5)
    assert session.host.session.seat_referee.proposal is None
    assert phase(session) == "place"


def test_what_a_page_doubts_counts_only_when_somebody_says_so(session):
    for move in ("chance:roll:tank:5", "blue:pass", "white:pass", "red:pass"):
        who = move.partition(":")[0]
        ask(session, SeatMove(None if who == "chance" else who, move))
    with pytest.raises(NotPossibleError, match="Nothing is proposed"):
        ask(session, RejectProposal())
    until(session, lambda: session.host.sight.ready)
    session.tick()
    put(session, "5")
    until(session, lambda: session.host.session.seat_referee.proposal is not None)
    ask(session, RejectProposal())
    session.run_until(session.clock.now() + 6)
    assert phase(session) == "place"
    ask(session, SeatMove("white", "red:place:ok:red-tank:5"))  # anybody at the table
    assert phase(session) != "place"


def press(session, button, held_s=0.2):
    session.hands.press(button, held_s)
    session.run_until(session.hands.busy_until_s + 0.2)


def test_with_the_buttons_one_rolls_accepts_what_was_seen_and_takes_it_back(session):
    press(session, "confirm")
    assert session.host.status.moves[-1].startswith("chance:roll:")
    state = position(session).state
    for player in position(session).awaiting:
        ask(session, SeatMove(player, f"{player}:pass"))
    until(session, lambda: session.host.sight.ready)
    session.tick()
    put(session, state.zone)
    until(session, lambda: session.host.session.seat_referee.proposal is not None)
    press(session, "back")  # perhaps it is not so
    assert not session.host.session.seat_referee.proposal.sure
    press(session, "back")
    assert session.host.session.seat_referee.proposal is None
    session.run_until(session.clock.now() + 4)
    assert phase(session) == "place"
    session.hands.take(session.host.overlay.index_of(session.host.overlay.zones[state.zone][0]))
    session.run_until(session.clock.now() + 2)
    put(session, state.zone)  # a second try: it does not count by itself
    session.run_until(session.clock.now() + 7)
    assert phase(session) == "place"
    press(session, "confirm")
    assert ":place:ok:" in session.host.status.moves[-1]
    press(session, "back")
    assert phase(session) == "place"


def test_the_menu_at_the_table_leads_to_another_game_and_back(session):
    press(session, "back", 2.5)
    assert session.host.status.question is not None
    press(session, "back")
    assert session.host.status.question is None
    press(session, "back", 2.5)
    chosen = session.host.status.question.choices[0].value
    press(session, "confirm", 2.5)
    assert session.host.game.name == chosen != "gravity-warfare"
    press(session, "back", 2.5)
    choices = [choice.value for choice in session.host.status.question.choices]
    for _ in range(choices.index("gravity-warfare")):
        press(session, "confirm")
    press(session, "confirm", 2.5)
    assert session.host.game.name == "gravity-warfare"
