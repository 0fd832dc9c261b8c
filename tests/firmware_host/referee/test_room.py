"""Tests of firmware_host/referee/seat_referee.py, seat_progress.py, seat_state.py, seats.py and
firmware_host/table/referee_protocol.py: a seated game on the simulated table: what people say,
chance, kills, and what stays hidden.
"""

from __future__ import annotations

import random

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import JournalFullError, NotPossibleError
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.journal.text_format import write_game
from tiltboard.firmware_host.referee.seat_bots import THINK_S
from tiltboard.firmware_host.referee.seat_progress import COUNT_S
from tiltboard.firmware_host.referee.seats import GAMES_KEPT
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.commands import (
    Again,
    ClaimSeat,
    NewGame,
    ReleaseSeat,
    ResumeGame,
    RevealHand,
    SeatBot,
    SeatHint,
    SeatMove,
    StartCountdown,
    TakeBack,
)
from tiltboard.firmware_host.table.status import Phase
from tiltboard.games.base import IllegalMoveError
from tiltboard.hw_sim.session import SimSession

BATTLE = NewGame("gravity-warfare", {"players": 3, "rounds": 1, "seed": 5})
SMALL = unhurried("matrix-gpio")


@pytest.fixture
def session(tmp_path):
    with SimSession(SMALL, tmp_path, settings=Settings()) as running:
        running.tick()
        ask(running, BATTLE)
        yield running


def ask(session, command):
    """What the table answers: nothing, or what it raises."""
    done = session.host.submit(command)
    session.tick()
    session.tick()
    assert done.done()
    return done.result()


def position(session):
    return session.host.status.position


def phase(session):
    return position(session).game.more(position(session))["phase"]


def say(session, *moves):
    for move in moves:
        who = move.partition(":")[0]
        player = who if who in position(session).game.players else None
        ask(session, SeatMove(player, move))
        if move == "table:time":
            session.run_until(session.clock.now() + COUNT_S + 0.1)


def one_more(session, rng, hasty=0.7):
    """Any legal move."""
    now = position(session)
    legal = now.legal()
    hurried = [move for move in legal if move.endswith(":pass") or ":ok" in move]
    move = rng.choice(hurried if hurried and rng.random() < hasty else legal)
    say(session, "chance" if move.startswith("chance") else now.game.completed(now, move, rng))


def to_window(session):
    say(session, "chance", "chance:roll:tank:3")


def test_a_game_goes_on_from_the_same_place_after_a_kill_in_each_phase(session):
    rng, killed = random.Random(6), set()
    while phase(session) not in killed or not position(session).over:
        if phase(session) not in killed:
            before = position(session)
            killed.add(phase(session))
            session.kill()
            session.tick()
            assert position(session).state == before.state
            assert session.host.status.moves == session.host.journal.current().moves
        if not position(session).over:
            one_more(session, rng, hasty=0.5)
    assert killed >= {"deal", "roll", "window", "place", "after", "refill", "keep", "over"}
    assert session.host.journal.current().result == position(session).outcome.as_json()


def test_chance_decides_the_same_after_a_kill(session):
    say(session, "chance", "chance")
    first = session.host.status.moves
    ask(session, BATTLE)
    say(session, "chance")
    session.kill()
    session.tick()
    say(session, "chance")
    assert session.host.status.moves == first
    assert len(first) == 3


def test_a_game_without_a_seed_gets_one_that_nobody_is_told(session):
    ask(session, NewGame("gravity-warfare", {"players": 2}))
    seed = session.host.game.options["seed"]
    ask(session, NewGame("gravity-warfare", {"players": 2}))
    assert seed > 0
    assert session.host.game.options["seed"] != seed


def test_the_text_of_a_running_game_tells_no_card(session):
    to_window(session)
    text = write_game(session.host.journal.current())
    assert "Option seed" not in text
    assert "chance:shuffle chance:roll:tank:3" in text.replace("\n1. ", " ").replace("\n2. ", " ")
    assert "it cannot be played on" in text
    held = {card for hand in position(session).state.hands for card in hand}
    assert not [card for card in held if card in text]


def test_only_who_sits_there_moves(session):
    to_window(session)
    with pytest.raises(NotPossibleError, match="another player's move"):
        ask(session, SeatMove("blue", "white:pass"))
    with pytest.raises(NotPossibleError, match="another player's move"):
        ask(session, SeatMove(None, "white:pass"))
    with pytest.raises(IllegalMoveError, match="is not in white's hand"):
        ask(session, SeatMove("white", "white:play:hum"))
    assert position(session).awaiting == ("red", "blue", "white")


def test_a_decision_made_before_something_changed_does_not_count(session):
    to_window(session)
    seen = session.host.session.seat_referee.step_number
    ask(session, SeatMove("blue", "blue:pass", step=seen))
    laid = next(move for move in position(session).legal() if move.startswith("white:play:"))
    ask(session, SeatMove("white", laid, step=seen))  # passing changes nobody's mind
    with pytest.raises(NotPossibleError, match="game has moved on"):
        ask(session, SeatMove("red", "red:pass", step=seen))


def test_the_count_of_five_passes_for_those_who_are_silent(session):
    to_window(session)
    with pytest.raises(NotPossibleError, match="There is no such seat"):
        ask(session, ClaimSeat("d", "black"))
    ask(session, StartCountdown())
    session.run_until(session.clock.now() + 3)
    assert str(session.host.status.say).startswith("2… Red must place a tank in zone 3.")
    assert "lift" in {role.value for role in session.host.status.roles.values()}
    session.run_until(session.clock.now() + 2.1)
    assert position(session).awaiting == ("red",)
    assert session.host.session.seat_referee.counting is None


def test_a_move_begins_the_count_anew(session):
    to_window(session)
    ask(session, StartCountdown())
    session.run_until(session.clock.now() + 4)
    say(session, next(move for move in position(session).legal() if ":play:" in move))
    session.run_until(session.clock.now() + 4)
    assert position(session).awaiting == ("red", "blue", "white")


def test_a_placement_is_taken_back_but_no_card_that_was_seen(session):
    to_window(session)
    with pytest.raises(NotPossibleError, match="no card that was seen"):
        ask(session, TakeBack())
    say(session, "red:pass", "blue:pass", "white:pass", "red:place:ok:red-tank:3", "blue:pass")
    assert session.host.status.can_take_back
    ask(session, TakeBack())
    assert phase(session) == "place"
    assert session.host.journal.current().moves[-1] == "white:pass"
    say(session, "red:place:fail:red-tank:3", "chance")
    with pytest.raises(NotPossibleError, match="no card that was seen"):
        ask(session, TakeBack())


def test_who_cannot_place_his_piece_has_it_placed_and_anybody_says_how_it_went(session):
    to_window(session)
    with pytest.raises(NotPossibleError, match="needs no hands"):
        ask(session, SeatMove("red", "red:pass", proposed=True))
    say(session, "red:pass", "blue:pass", "white:pass")
    wish = "red:place:ok:red-tank:3"
    with pytest.raises(NotPossibleError, match="another player's move"):
        ask(session, SeatMove("blue", wish, proposed=True))
    with pytest.raises(IllegalMoveError):
        ask(session, SeatMove("red", "red:place:ok:red-tank:4", proposed=True))
    ask(session, SeatMove("red", wish, proposed=True))
    assert session.host.session.seat_referee.for_hands == wish
    assert phase(session) == "place"
    ask(session, SeatMove("blue", "red:place:fail:red-tank:3"))
    assert session.host.status.moves[-1] == "red:place:fail:red-tank:3"
    assert session.host.session.seat_referee.for_hands is None


def test_a_full_disk_is_told_to_who_moves_and_play_goes_on_when_there_is_room(session):
    to_window(session)
    session.faults.inject("disk-full", [])
    with pytest.raises(JournalFullError):
        ask(session, SeatMove("blue", "blue:pass"))
    assert position(session).awaiting == ("red", "blue", "white")
    session.faults.heal("disk-full", [])
    ask(session, SeatMove("blue", "blue:pass"))
    assert position(session).awaiting == ("red", "white")


def test_seats_outlive_a_kill_and_free_ones_have_codes(session):
    seats = session.host.playing.seats
    ask(session, ClaimSeat("phone", code=seats.codes["blue"]))
    with pytest.raises(NotPossibleError, match="No free seat has"):
        ask(session, ClaimSeat("stranger", code="000000" if "000000" not in seats.codes else "1"))
    with pytest.raises(NotPossibleError, match="Somebody sits there"):
        ask(session, ClaimSeat("stranger", "blue"))
    ask(session, SeatBot("white", "easy"))
    session.kill()
    session.tick()
    assert dict(session.host.playing.seats.holders) == {"blue": "phone"}
    assert dict(session.host.playing.seats.computers) == {"white": "easy"}
    assert set(session.host.playing.seats.codes) == {"red"}
    ask(session, ReleaseSeat("blue"))
    assert set(session.host.playing.seats.codes) == {"red", "blue"}


def hands(session):
    """What each seat's page is sent of its hand."""
    return {name: view.hand for name, view in Publisher(session.host).seats().views.items()}


def test_a_hand_that_changes_its_holder_stays_covered_until_the_others_agree(session):
    """A device frees a seat, reads the new code and sits down: it sees nothing that was dealt."""
    seats = session.host.playing.seats
    for player in ("red", "blue", "white"):
        ask(session, ClaimSeat(f"phone of {player}", player))
    to_window(session)
    dealt = hands(session)
    assert "?" not in dealt["blue"]
    ask(session, ReleaseSeat("blue"))
    ask(session, ClaimSeat("guest", code=seats.codes["blue"]))
    assert set(hands(session)["blue"]) == {"?"}
    assert hands(session)["red"] == dealt["red"]
    for digest in ("guest", "stranger"):
        with pytest.raises(NotPossibleError, match="Only the others"):
            ask(session, RevealHand("blue", digest))
    ask(session, RevealHand("blue", "phone of red"))
    session.kill()  # half of an agreement is none
    session.tick()
    assert set(hands(session)["blue"]) == {"?"}
    ask(session, RevealHand("blue", "phone of red"))
    assert set(hands(session)["blue"]) == {"?"}
    ask(session, RevealHand("blue", "phone of white"))
    assert hands(session)["blue"] == dealt["blue"]
    with pytest.raises(NotPossibleError, match="not covered"):
        ask(session, RevealHand("blue"))
    ask(session, ReleaseSeat("blue"))
    ask(
        session, ClaimSeat("phone of blue", "blue")
    )  # who has seen it comes back: now a stranger too
    assert set(hands(session)["blue"]) == {"?"}
    ask(session, RevealHand("blue"))  # the table's own page is enough
    assert hands(session)["blue"] == dealt["blue"]


def test_who_left_before_anything_was_dealt_has_seen_nothing(session):
    """The phones of last time are not here: others sit down, and their hands are their own."""
    seats = session.host.playing.seats
    ask(session, ClaimSeat("phone of last week", "blue"))
    ask(session, NewGame("gravity-warfare", {"players": 3}))
    ask(session, ReleaseSeat("blue"))
    for player in ("red", "blue", "white"):
        ask(session, ClaimSeat(f"phone of {player}", player))
    to_window(session)
    assert seats.shut == frozenset()
    assert "?" not in hands(session)["blue"]


def test_two_devices_of_one_guest_do_not_uncover_hands_for_each_other(session):
    """A paired one frees every seat, and both sit down."""
    seats = session.host.playing.seats
    for player in ("red", "blue", "white"):
        ask(session, ClaimSeat(f"phone of {player}", player))
    to_window(session)
    for player, device in (("red", "A"), ("blue", "B"), ("white", "B")):
        ask(session, ReleaseSeat(player))
        ask(session, ClaimSeat(device, code=seats.codes[player]))
    for player, device in (("red", "B"), ("blue", "A"), ("white", "A")):
        with pytest.raises(NotPossibleError, match="Only the others"):
            ask(session, RevealHand(player, device))
    assert {card for hand in hands(session).values() for card in hand} == {"?"}
    ask(session, ReleaseSeat("white"))
    ask(session, ClaimSeat("phone of white", "white"))  # one of those who were there is back
    ask(session, RevealHand("red", "phone of white"))
    assert set(hands(session)["red"]) == {"?"}  # blue, who was there too, has not agreed


def test_another_game_in_between_uncovers_no_hand(session):
    """A guest sits where another sat, and has the table forget who that was."""
    for player in ("red", "blue", "white"):
        ask(session, ClaimSeat(f"phone of {player}", player))
    to_window(session)
    dealt, game = hands(session), session.host.status.game_id
    ask(session, ReleaseSeat("blue"))
    ask(session, ClaimSeat("guest", "blue"))
    for between in (BATTLE, NewGame("momentum", {"size": 5, "marbles": 4})):
        ask(session, between)
        ask(session, ResumeGame(game))
        assert hands(session) == {**dealt, "blue": ["?"] * len(dealt["blue"])}


def test_of_a_game_that_is_forgotten_nobody_uncovers_a_hand_but_the_tables_page(session):
    ask(session, ClaimSeat("guest", "blue"))
    to_window(session)
    game = session.host.status.game_id
    for _ in range(GAMES_KEPT):
        ask(session, BATTLE)
    ask(session, ResumeGame(game))
    assert set(hands(session)["blue"]) == {"?"}
    with pytest.raises(NotPossibleError, match="Only the others"):
        ask(session, RevealHand("blue", "guest"))
    ask(session, RevealHand("blue"))
    assert "?" not in hands(session)["blue"]


def test_who_takes_a_computers_seat_sees_none_of_its_hand(session):
    for holder in ("phone of blue", "phone of red"):  # before the deal seats change as they like
        ask(session, ClaimSeat(holder, "red"))
        ask(session, SeatBot("white", "easy" if holder == "phone of red" else None))
        if holder == "phone of blue":
            ask(session, ReleaseSeat("red"))
    ask(session, ClaimSeat("guest", "blue"))
    to_window(session)
    assert "?" not in hands(session)["red"]
    ask(session, SeatBot("white", None))
    ask(session, ClaimSeat("guest", "white"))
    assert set(hands(session)["white"]) == {"?"}
    ask(session, RevealHand("white", "phone of red"))
    assert "?" not in hands(session)["white"]


def test_a_bots_hand_is_uncovered_alone_only_while_nobody_else_sits(session):
    ask(session, ClaimSeat("phone", "red"))
    for bot in ("white", "blue"):
        ask(session, SeatBot(bot, "easy"))
    to_window(session)
    ask(session, ReleaseSeat("red"))  # The phone has seen Red's hand, which the guest plays now.
    ask(session, SeatBot("white", None))
    ask(session, ClaimSeat("phone", "white"))
    ask(session, ClaimSeat("guest", "red"))
    for device in ("phone", "guest", "stranger"):
        with pytest.raises(NotPossibleError, match="Only the others"):
            ask(session, RevealHand("white", device))
    ask(session, ReleaseSeat("red"))
    with pytest.raises(NotPossibleError, match="Only the others"):
        ask(session, RevealHand("white", "stranger"))
    assert set(hands(session)["white"]) == {"?"}
    ask(session, RevealHand("white", "phone"))
    assert "?" not in hands(session)["white"]


def test_a_hint_says_why_and_only_that_seat_is_told_as_long_as_nothing_changes(session):
    def told():
        return {name: v.hint for name, v in publisher.seats().views.items() if v.hint}

    publisher = Publisher(session.host)
    for player in ("red", "blue", "white"):
        ask(session, ClaimSeat(f"phone of {player}", player))
    say(session, "chance")
    with pytest.raises(NotPossibleError, match="nothing to hint at"):
        ask(session, SeatHint("blue"))  # the dice are awaited
    say(session, "chance:roll:tank:3")
    ask(session, SeatHint("blue"))
    assert not told()  # it takes as long as any decision, whatever is held
    session.run_until(session.clock.now() + THINK_S + 0.5)
    (hint,) = told().values()
    assert set(told()) == {"blue"}
    assert hint.move in position(session).view("blue").legal()
    assert str(hint.why)
    say(session, "white:pass")
    assert set(told()) == {"blue"}
    ask(session, SeatHint("red"))
    say(session, next(m for m in position(session).legal() if m.startswith("blue:play")))
    session.run_until(session.clock.now() + THINK_S + 0.5)
    assert not told()  # what was asked before something changed is not answered any more
    ask(session, ReleaseSeat("blue"))
    ask(session, ClaimSeat("guest", "blue"))
    with pytest.raises(NotPossibleError, match="nothing to hint at"):
        ask(session, SeatHint("blue"))  # whose hand is covered


def test_the_next_game_is_not_dealt_as_the_last_was(session):
    """Which everybody has seen, or could work out of its seed."""
    options = session.host.game.options
    ask(session, Again())
    again = session.host.game.options
    assert again["seed"] not in (None, options["seed"])
    assert {**again, "seed": options["seed"]} == options


def test_what_ended_is_not_taken_back_by_who_knows_the_seed(session):
    """Once it is over everybody may know what the dice would have been."""
    rng, taken = random.Random(3), False
    short = NewGame("gravity-warfare", {"mode": "simple", "players": 2, "rounds": 1})
    while not taken:
        ask(session, short)
        while not position(session).over:
            one_more(session, rng)
        last = session.host.status.moves[-1]
        assert "Option seed" in write_game(session.host.journal.current())
        assert not session.host.status.can_take_back
        with pytest.raises(NotPossibleError):
            ask(session, TakeBack())
        taken = position(session).game.takes_back(last)


def test_a_seat_that_rolls_or_counts_in_anothers_turn_only_asks_for_it(session):
    ask(session, SeatMove(None, "chance"))  # the deal
    assert phase(session) == "roll"
    step = session.host.session.seat_referee.step_number
    ask(session, SeatMove("blue", "chance"))
    ask(session, SeatMove("white", "chance:roll:tank:3"))
    assert (phase(session), session.host.session.seat_referee.step_number) == ("roll", step)
    assert str(session.host.status.say) == "White would like to roll: that is for Red."
    ask(session, SeatMove("red", "chance"))
    assert phase(session) != "roll"
    assert "would like" not in str(session.host.status.say)
    if phase(session) == "window":
        ask(session, StartCountdown("blue"))
        assert session.host.session.seat_referee.counting is None
        assert "White would like" not in str(session.host.status.say)
        ask(session, StartCountdown("red"))
        assert session.host.session.seat_referee.counting is not None


@pytest.mark.parametrize("page", ["red", None])
def test_no_page_ends_the_time_in_which_the_others_may_lay_a_card_at_once(session, page):
    ask(session, SeatMove(None, "chance"))  # the deal
    ask(session, SeatMove("red", "chance:roll:tank:5"))
    step = session.host.session.seat_referee.step_number
    ask(session, SeatMove("blue", "table:time"))
    assert session.host.session.seat_referee.counting is None
    ask(session, SeatMove(page, "table:time"))
    assert session.host.session.seat_referee.counting == COUNT_S
    session.run_until(session.clock.now() + COUNT_S - 1)
    assert len(position(session).awaiting) == 3
    assert (phase(session), session.host.session.seat_referee.step_number) == ("window", step)
    session.run_until(session.clock.now() + 1.1)
    assert position(session).awaiting == ("red",)  # docs/rules.md: it passes for the rest
    ask(session, SeatMove("red", "red:pass"))
    assert phase(session) == "place"


def test_a_damaged_list_of_seats_leaves_them_free(session, tmp_path, caplog):
    ask(session, ClaimSeat("phone", "blue"))
    (tmp_path / "seats.json").write_bytes(b"{")
    session.kill()
    session.tick()
    assert not session.host.playing.seats.holders
    assert "nobody sits any more" in caplog.text


def test_a_game_of_places_has_no_hands_and_comes_back(session):
    ask(session, NewGame("momentum", {"size": 4, "marbles": 3}))
    assert set(session.host.playing.seats.codes) == {"red", "blue"}
    with pytest.raises(NotPossibleError, match="no cards"):
        ask(session, SeatMove("red", "red:pass"))
    assert str(session.host.status.say)
    session.run_until(session.clock.now() + 1)
    ask(session, BATTLE)
    say(session, "chance")
    assert phase(session) == "roll"


def test_lights_show_the_zone_and_who_is_awaited(session):
    to_window(session)
    status, overlay = session.host.status, session.host.overlay
    assert set(overlay.zones["3"]) <= status.roles.keys()
    assert not set(overlay.zones["7"]) & status.roles.keys()
    assert {status.tint[place] for place in overlay.middle} == {("red", "blue", "white")}


@pytest.mark.parametrize("name", ["plate-10", "plate-7", "matrix-gpio"])
def test_every_place_is_in_one_zone_or_in_the_middle(name):
    from tiltboard.firmware_host.table.zones import overlay_for
    from tiltboard.games.gravity_warfare import GRAVITY_WARFARE

    profile = unhurried(name)
    overlay = overlay_for(profile, GRAVITY_WARFARE.create({}))
    places = [place for zone in overlay.zones.values() for place in zone] + list(overlay.middle)
    assert sorted(places) == sorted(profile.places)
    assert all(overlay.zones.values())
    assert overlay.middle
    north = profile.places[profile.size - profile.columns // 2 - 1]
    assert north in overlay.zones["1"]


def test_a_count_whose_end_a_full_disk_refuses_ends_once_the_disk_takes_it(session):
    ask(session, SeatMove(None, "chance"))  # the deal
    ask(session, SeatMove("red", "chance:roll:tank:5"))
    ask(session, StartCountdown("red"))
    session.run_until(session.clock.now() + COUNT_S - 1)
    session.faults.inject("disk-full", [])
    session.run_until(session.clock.now() + 3)
    assert session.host.status.phase is Phase.PAUSED
    assert len(position(session).awaiting) == 3  # nothing counts that is not on disk
    session.faults.heal("disk-full", [])
    session.run_until(session.clock.now() + 3)
    assert session.host.status.phase is Phase.TURN
    assert position(session).awaiting == ("red",)
