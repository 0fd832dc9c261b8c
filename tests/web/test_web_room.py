"""Tests of firmware_host/web/static/room.js, room-view.js and firmware_host/service/publish.py:
a game of seats with real browsers: four phones, a kill, a lost phone; what each byte tells.
"""

from __future__ import annotations

import contextlib
import json
import random
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect
from websockets.sync.client import connect

from tests.web.conftest import KEEP_TOASTS, Player
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.host.lobby import options_for
from tiltboard.firmware_host.messages import Catalogue, Message, languages
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.zones import PIECE, ZoneOverlay
from tiltboard.firmware_host.web.api import ENDPOINTS, PREFIX
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE, data
from tiltboard.games.gravity_warfare.words import CARDS, spoken
from tiltboard.hw_sim.session.live import LiveTable

pytestmark = pytest.mark.web
PLAYERS = ("red", "blue", "white", "green")
PHONE = {"width": 360, "height": 740}
PATIENCE_MS = 60_000  # five browsers and a table on one machine


class Killable:
    """A simulated table in real time whose service can be killed between two scans."""

    def __init__(self, folder: Path, clock) -> None:
        profile = replace(load_profile("plate-10"), scans_per_s=25)
        self.live = LiveTable(profile, folder, Settings(), real=clock)
        self.table = self.live.table
        self.table.on_step = clock.step
        self._wanted = threading.Event()
        self._done = threading.Event()
        self.table._loop = self._loop

    def _loop(self) -> None:
        session = self.live._session
        while not self.table._stopping.is_set():
            if self._wanted.is_set():
                self._wanted.clear()
                session.kill()
                self.table._host = session.host
                self.table._publisher = Publisher(session.host, self.table._hands)
                self._done.set()
            session.host.step()
            self.table._after_step()
            self.live._wait()

    def kill(self) -> None:
        self._done.clear()
        self._wanted.set()
        assert self._done.wait(20)


@pytest.fixture
def killable(tmp_path, faster_clock):
    running = Killable(tmp_path, faster_clock)
    running.table.start()
    yield running
    running.table.stop()


@pytest.fixture
def leaving():
    with contextlib.ExitStack() as stack:
        yield stack


class Phone:
    """Somebody's browser."""

    def __init__(self, context, url: str) -> None:
        self.context = context
        self.page = context.new_page()
        self.page.goto(url)

    def press(self, what: str) -> None:
        self.page.locator(f'.room-seat [data-what="{what}"]').click()

    def say(self, words: str) -> None:
        self.page.get_by_role("button", name=words, exact=True).click()

    def expect_said(self, words: str) -> None:
        expect(self.page.locator(".say-card .line")).to_contain_text(words)


def begin(served, options, boards=None) -> None:
    """A game, and its first snapshot."""
    served.do(NewGame("gravity-warfare", options, boards=boards or {}))  # as the command line does
    served.until(lambda snapshot: snapshot.seats is not None)


def test_four_people_with_four_phones_play_a_battle_to_its_end(killable, serve, browser, alter):
    """One round at a table where people move the pieces, and say how that went. Three pieces hold;
    with the fourth, all four fall.
    """
    expect.set_options(timeout=PATIENCE_MS)
    people = alter(killable.table)
    people.take_hands()
    served = serve(people)
    options = {"players": 4, "rounds": 1, "seed": 1}
    begin(served, options)
    codes = served.ask("/api/v1/seats")["codes"]
    assert set(codes) == set(PLAYERS)

    def phone(code: str = "", cookies=None) -> Phone:
        context = browser.new_context(
            viewport=PHONE,
            reduced_motion="reduce",
            service_workers="block",
            storage_state=cookies,
        )
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(KEEP_TOASTS)
        return Phone(context, served.url + (f"#seat={code}" if code else ""))

    phones = {player: phone(codes[player]) for player in PLAYERS}
    for player, each in phones.items():
        expect(each.page.locator(f'.room-seat[data-player="{player}"] h2')).to_be_visible()
        expect(each.page.locator(".room-credit")).to_contain_text("Luis, Amelia and Daniel Machado")
    phones["red"].press("chance")
    for each in phones.values():
        expect(each.page.locator(".hand-card")).not_to_have_count(0)

    # red: everybody passes, one by one
    phones["red"].expect_said("Red: roll both dice.")
    right = (
        "[...document.querySelectorAll('.room-seat *')].map((e) => e.getBoundingClientRect().right)"
    )
    for each in phones.values():
        assert max(each.page.evaluate(right)) <= PHONE["width"]
    phones["red"].press("chance")
    for player in PLAYERS:
        phones[player].press("pass")
    _place(phones["red"], "It holds")

    # blue: white's phone is lost in the window after the placement, and comes back to its seat
    phones["blue"].expect_said("It held!")
    cookies = phones["white"].context.storage_state()
    phones["white"].context.close()
    expect(phones["blue"].page.locator('[data-what="count"]')).to_have_count(0)  # it is red's turn
    phones["red"].press("count")
    phones["blue"].expect_said("Blue: roll both dice.")
    phones["white"] = phone(cookies=cookies)
    hand = phones["white"].page.locator('.room-seat[data-player="white"]')
    expect(hand.locator(".hand-card")).not_to_have_count(0)

    # blue: a challenge is laid, and the service is killed with its page in the open window
    phones["blue"].press("chance")
    phones["blue"].expect_said("Blue must place")
    white = phones["white"].page
    white.locator('.hand-card[data-card="limit-it"][data-may]').click()  # else it is read
    expect(phones["green"].page.locator(".laid-cards li")).to_have_count(1)
    served.lose()
    killable.kill()
    white.route("**/api/v1/seats", lambda route: None)  # so his hand as it is now comes late
    served.come_back()
    assert served.ask("/api/v1/snapshot")["seats"]["public"]["turn"]["cards"] == [
        ["white", "limit-it"]
    ]
    expect(white.locator("html")).to_have_attribute("data-link", "open")
    expect(white.locator('.room-seat [data-what="buy"]')).to_be_disabled()
    white.unroute("**/api/v1/seats")  # which lets go of those that were held
    phones["white"].press("buy")
    phones["white"].say("Left pile")
    white.locator(".drawn .hand-card").first.click()
    expect(phones["red"].page.locator('.room-player[data-player="white"] .points')).to_have_text(
        "★ 4"
    )
    for player in ("red", "white", "green"):
        phones[player].press("pass")
    phones["blue"].press("pass")
    _place(phones["blue"], "It holds")
    phones["blue"].press("count")

    # white: the phone is dead; the table frees the seat, and nobody sits down without the new code
    phones["white"].expect_said("White: roll both dice.")
    phones["white"].context.close()
    served.tell(type="stand-up", player="white")
    served.until(lambda snapshot: not snapshot.seats.seats[2].taken)
    stranger = phone(codes["white"])
    Player(stranger.page).expect_toast("No free seat has this code")
    stranger.context.close()
    phones["white"] = phone(served.ask("/api/v1/seats")["codes"]["white"])
    # another phone has seen that hand: it stays covered until the others agree
    expect(phones["white"].page.locator(".room-seat")).to_contain_text("once the others agree")
    phones["red"].page.locator('[data-uncover="white"]').click()
    expect(phones["white"].page.locator(".room-seat")).not_to_contain_text("once the others agree")
    phones["white"].press("chance")
    phones["white"].press("count")
    phones["green"].expect_said("White must place")
    phones["white"].press("pass")
    _place(phones["white"], "It holds")
    phones["white"].press("count")

    # green: everything falls, which is the end of the round and of this game
    phones["green"].press("chance")
    phones["green"].press("count")
    phones["green"].expect_said("Green ")
    phones["green"].press("pass")
    _place(phones["green"], "It fell or failed")
    for tick in phones["green"].page.locator(".fallen input").all():
        tick.check()
    phones["green"].say("That is all")

    for each in phones.values():
        each.expect_said("Red and Blue share the victory.")
    points = served.ask("/api/v1/snapshot")["seats"]["public"]["points"]
    # 5 each; a placed piece 1, the card bought -1, the toppled platform -2
    assert points == {"red": 6, "blue": 6, "white": 5, "green": 3}
    record = served.ask("/api/v1/history/2")
    assert record["moves"][0].startswith("chance:heroes:")  # over: nothing is secret any more
    for each in phones.values():
        each.context.close()


def _place(phone: Phone, outcome: str) -> None:
    """The first piece and zone of what is offered, and how it went."""
    phone.press("place")
    asked = phone.page.locator(".chooser .asked")
    expect(asked).to_be_visible()
    while (question := asked.inner_text()) != "How did it go?":
        phone.say(phone.page.locator(".chooser .answers button").first.inner_text())
        expect(asked).not_to_have_text(question)
    phone.say(outcome)


def deck(players: int) -> dict[str, object]:
    """Every card but the Guardians has a name of its own, so that a byte tells whose it is."""
    cards = [{"name": f"zq{number:03}", "count": 1} for number in range(9 * players + 12)]
    defences = [{"name": name, "count": 1} for name in ("do-it-yourself", "keep-it")]
    heroes = [{"name": f"hq{n}", "ability": "gem" if n % 2 else "draw"} for n in range(8)]
    guardians = {"name": "guardian", "count": players}
    return {"card": [guardians, *cards, *defences], "hero": heroes}


def piles(state):
    return [*state.left, *state.right_pile]


class Seat:
    """A device at a seat, which keeps every byte that it is sent."""

    def __init__(self, served, player: str, leaving: contextlib.ExitStack) -> None:
        self.player, self.served = player, served
        body = json.dumps({"player": player}).encode()
        status, headers, _ = served.request(
            "POST", "/api/v1/seats", body, content_type="application/json"
        )
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        self.heard: list[str] = []
        address = f"ws://127.0.0.1:{served.port}/api/v1/ws"
        opened = connect(address, additional_headers={"Cookie": self.cookie})
        self.socket = leaving.enter_context(opened)
        self.ask(type="look", player=player)

    def ask(self, **message: object) -> dict:
        self.socket.send(json.dumps({**message, "ref": 7}))
        while True:
            self.heard.append(self.socket.recv(timeout=20))
            answer = json.loads(self.heard[-1])
            if answer["type"] in ("done", "error"):
                return answer

    def drain(self) -> None:
        with contextlib.suppress(TimeoutError):
            while True:
                self.heard.append(self.socket.recv(timeout=0.2))

    def read(self) -> str:
        """All but the layouts, which name every card of the deck, in whoever's hand."""
        return "\n".join(line for line in self.heard if '"type":"layout"' not in line)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "battle", "players": 3},
        {"mode": "1v1", "rounds": 9},
        {"mode": "teams", "players": 4},
        {"mode": "simple"},
    ],
    ids=lambda options: options["mode"],
)
def test_no_seat_is_sent_another_players_card(options, simulated, serve, leaving):
    served = serve(simulated)
    options = {**options, "seed": 3}
    boards = {"deck": json.dumps(deck(options.get("players", 3)))}
    open_hands = options["mode"] == "simple"
    begin(served, options, boards)
    host = simulated._host
    game = host.game
    seats = {player: Seat(served, player, leaving) for player in game.players}
    rng = random.Random(4)
    secret: dict[str, set[str]] = {player: set() for player in game.players}  # ever his alone
    shown: set[str] = set()
    drawn: set[str] = set()  # those that ever left the piles

    for _ in range(80):
        position = simulated.call(lambda: host.session.seat_referee.position).result(20)
        if position.over:
            break
        state = position.state
        drawn |= set(state.options.pack()) - set(piles(state)) if state.left else set()
        for player, hand in zip(game.players, state.hands, strict=False):
            if not open_hands:
                secret[player] |= {card for card in hand if card.startswith("zq")}
        if state.drawn:  # he saw both
            secret[game.players[state.drawer]] |= set(state.drawn)
        if state.heroes:
            for number, player in enumerate(game.players):
                secret[player].add(state.heroes[number])
        legal = position.legal()
        hasty = [move for move in legal if ":pass" in move or ":ok" in move]
        move = rng.choice(hasty if hasty and rng.random() < 0.6 else legal)
        who = move.partition(":")[0]
        made = "chance" if who == "chance" else game.completed(position, move, rng)
        shown |= set(made.replace("=", ":").split(":"))
        seat = seats.get(who) or seats[game.players[0]]
        answer = seat.ask(type="seat-move", move=made, player=who if who in seats else None)
        assert answer["type"] == "done", answer
        for each in seats.values():
            each.ask(type="ping")
    state = simulated.call(lambda: host.session.seat_referee.position).result(20).state
    buried = {card for card in piles(state) if card.startswith("zq")} - drawn
    asked = {"id": 2, "name": game.name, "move": f"{game.players[1]}:play:{state.left[0]}"}
    cookie = seats[game.players[0]].cookie
    gets = [PREFIX + each.path.format(**asked) for each in ENDPOINTS if each.method == "GET"]
    served_texts = [
        served.request("GET", path, cookie=cookie)[2].decode().replace(asked["move"], "")
        for path in gets
    ]
    for player, seat in seats.items():
        seat.drain()
        foreign = buried.union(*(secret[other] for other in secret if other != player))
        foreign -= secret[player] | shown
        assert len(foreign) > 3
        text = seat.read()
        assert open_hands or any(card in text for card in secret[player] - shown)
        found = {card for card in foreign if f'"{card}"' in text or f":{card}" in text}
        assert not found, [line for line in seat.heard for card in found if card in line][:2]
        assert '"seed":' not in text
    everybody = buried.union(*secret.values()) - shown
    if not host.status.position.over:
        for text in served_texts:
            told = text.partition("glossary")[0] + text.partition('"moves"')[2]
            assert not [card for card in everybody if f":{card}" in told and card not in boards]
            assert '"seed":' not in text
            assert "Option seed" not in text


def test_a_seat_shows_its_hand_to_no_other_device(simulated, serve, leaving):
    served = serve(simulated)
    begin(served, {"players": 2})
    red = Seat(served, "red", leaving)
    assert red.ask(type="look", player="blue") == {
        "type": "error", "ref": 7, "say": "Another device sits there.",
    }  # fmt: skip
    assert red.ask(type="seat-move", move="blue:pass", player="blue")["type"] == "error"
    assert red.ask(type="stand-up", player="red")["type"] == "done"
    assert red.ask(type="look", player="red")["type"] == "error"


def sit(page, *players: str) -> None:
    """On this device, which has another connection each time: what is pressed just before is lost
    with the one before.
    """
    for player in players:
        with page.expect_websocket():
            page.locator(f'[data-sit="{player}"]').click()
        expect(page.locator(f'[data-sit="{player}"]')).to_have_count(0)


def test_one_device_is_passed_round(simulated, serve, open_page, alter):
    people = alter(simulated)
    people.take_hands()
    served = serve(people)
    begin(served, {"players": 2, "rounds": 1, "seed": 3})
    page = open_page(served.url, room=True).page
    page.get_by_role("button", name="We'll share this device", exact=True).click()
    page.locator('[data-what="chance"]').click()
    expect(page.locator(".say-card .line")).to_have_text("Red: roll both dice.")
    page.locator('[data-what="chance"]').click()
    expect(page.locator(".say-card .line")).to_contain_text("Red must place")
    expect(page.locator(".hand-card")).to_have_count(0)
    page.get_by_role("button", name="I am Blue", exact=True).click()
    expect(page.locator('.room-seat[data-player="blue"] .hand-card')).not_to_have_count(0)
    page.get_by_role("button", name="Hide my cards and pass on", exact=True).click()
    expect(page.locator(".hand-card")).to_have_count(0)
    page.get_by_role("button", name="I am Blue", exact=True).click()
    page.get_by_role("button", name="Hint", exact=True).click()
    expect(page.locator(".room-hint")).to_contain_text("% of the time")
    page.locator('[data-what="pass"]').click()  # then nobody sees it any more
    expect(page.locator(".hand-card, .room-hint")).to_have_count(0)
    page.get_by_role("button", name="I am Red", exact=True).click()
    page.locator('[data-what="pass"]').click()
    _place(_Page(page), "It holds")
    expect(page.locator('.platform .zone .tower [data-player="red"]')).to_have_count(1)
    page.locator('[data-what="take-back"]').click()
    expect(page.locator(".platform .tower")).to_have_count(0)


def test_a_button_that_is_held_down_while_somebody_sits_down_has_been_pressed(
    simulated, serve, leaving, open_page
):
    served = serve(simulated)
    begin(served, {"players": 3})
    player = open_page(served.url, room=True)
    page = player.page
    page.mouse.move(*player.middle(page.locator('[data-sit="red"]')))
    page.mouse.down()
    Seat(served, "blue", leaving)
    state = page.locator('.room-player[data-player="blue"] .state')
    expect(state).not_to_contain_text("free seat")  # what can be pressed is drawn anew by now
    page.mouse.up()
    expect(page.locator('[data-sit="red"]')).to_have_count(0)


class _Page(Phone):
    def __init__(self, page) -> None:
        self.page = page


def test_what_fell_is_proposed_and_corrected_with_a_tick(simulated, serve, open_page):
    served = serve(simulated)
    begin(served, {"players": 2, "rounds": 1, "seed": 3})
    overlay = ZoneOverlay(load_profile("plate-10"), GRAVITY_WARFARE.create({"players": 2}))
    page = open_page(served.url, room=True).page
    sit(page, "red", "blue")
    expect(page.locator(".room-guide")).to_contain_text("Your cards are secret")
    page.locator('[data-what="known"]').click()
    expect(page.locator(".room-guide")).to_have_count(0)

    def tell(*moves):
        for move in moves:
            served.tell(type="seat-move", move=move)

    def place(player, zone):
        tell(f"chance:roll:tank:{zone}", "table:time")
        page.get_by_role("button", name=f"I am {player}", exact=True).click()
        page.locator('[data-what="pass"]').click()
        expect(page.locator(".say-card .line")).to_have_text(
            f"{player}: place your tank in zone {zone}."
        )
        # The page hides the hand by itself if it hears of the moment in which nobody is awaited
        if page.locator(".cover").count():
            page.locator(".cover").click()

    tell("chance")
    place("Red", 3)
    served.tell(type="put", piece=PIECE, place=overlay.zones["3"][0])
    served.until(lambda snapshot: snapshot.seats.public["phase"] == "after")
    tell("table:time")
    served.until(lambda snapshot: snapshot.seats.public["phase"] == "roll")
    place("Blue", 5)
    served.tell(type="take", what=overlay.zones["3"][0])
    proposed = page.locator(".proposed .asked")
    expect(proposed).to_have_text("It did not hold. Fallen: Blue tank, Red tank. Right?")
    page.locator('[data-what="refuse"]').click()
    ticks = page.locator(".fallen input")
    expect(ticks).to_have_count(2)
    expect(page.locator(".fallen input:checked")).to_have_count(2)
    ticks.first.uncheck()
    page.get_by_role("button", name="That is all", exact=True).click()
    expect(page.locator(".room-latest li").first).to_contain_text("1 piece fell")


def test_no_page_chooses_the_seed(simulated, serve):
    served = serve(simulated)
    for seed in (1, 0):
        body = {"type": "game", "game": "gravity-warfare", "options": {"seed": seed}}
        sent = json.dumps(body).encode()
        kind = "application/json"
        status, _, answer = served.request("POST", "/api/v1/command", sent, content_type=kind)
        assert status != 200
        assert "seed" in json.loads(answer)["error"]
    assert served.table.latest().seats is None
    assert "seed" not in {spec.name for spec in options_for(GRAVITY_WARFARE, simulated.profile)}


def by_code(browser, served, code: str, size=PHONE) -> Phone:
    """A phone that has read the picture of a free seat."""
    context = browser.new_context(
        viewport=size, reduced_motion="reduce", service_workers="block", has_touch=True
    )
    context.set_default_timeout(PATIENCE_MS)
    return Phone(context, f"{served.url}#seat={code}")


IN_SIGHT = """(element) => { const { top, bottom, left, right } = element.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth; }"""


def act(phone: Phone, what: str) -> None:
    """Press what is to be pressed now, which needs no scrolling."""
    button = phone.page.locator(f'.room-seat [data-what="{what}"]')
    expect(button).to_be_enabled()
    assert phone.page.evaluate("scrollY") == 0
    assert button.evaluate(IN_SIGHT)
    button.click()


def test_two_phones_play_a_turn_each_without_asking_anybody(simulated, serve, browser):
    """They sit down by code and do what their own screen offers; the table's hand places pieces,
    and nobody gets a point by saying so.
    """
    expect.set_options(timeout=PATIENCE_MS)
    served = serve(simulated)
    begin(served, {"players": 2, "rounds": 1, "seed": 1})
    codes = served.ask("/api/v1/seats")["codes"]
    phones = {player: by_code(browser, served, codes[player]) for player in PLAYERS[:2]}
    for player, phone in phones.items():
        expect(phone.page.locator(f'.room-seat[data-player="{player}"] h2')).to_be_visible()
        expect(phone.page.locator(".seat-list")).to_be_hidden()
    act(phones["red"], "chance")
    for turn, player in enumerate(phones):
        phone = phones[player]
        others = [each for name, each in phones.items() if name != player]
        phone.expect_said("roll both dice")
        for other in others:
            expect(other.page.locator('[data-what="chance"]')).to_have_count(0)
        act(phone, "chance")
        expect(phone.page.locator(".zone.lit")).to_have_count(1)
        expect(phone.page.locator(".room-turn .zone-die")).to_be_visible()
        for each in (*others, phone):
            act(each, "pass")
        act(phone, "place")
        answers = phone.page.locator(".chooser .answers button")
        while phone.page.locator(".chooser").count():
            answers.first.click()
            phone.page.wait_for_timeout(50)
        assert phone.page.get_by_role("button", name="It holds", exact=True).count() == 0
        served.until(lambda shown, turn=turn: _placed(shown.game.moves) > turn)
        if served.table.latest().seats.public["phase"] == "after":
            act(phone, "count")
    for phone in phones.values():
        phone.context.close()


def _placed(moves) -> int:
    return sum(":place:" in move for move in moves)


def test_a_page_without_a_seat_is_told_what_others_do(simulated, serve, browser, open_page):
    served = serve(simulated)
    begin(served, {"players": 2, "rounds": 1, "seed": 1})
    phone = by_code(browser, served, served.ask("/api/v1/seats")["codes"]["red"])
    served.tell(type="seat-computer", player="blue", level="easy")
    page = open_page(served.url, room=True).page
    own, other = phone.page.locator(".room-guide"), page.locator(".room-guide")
    act(phone, "chance")
    expect(own).to_contain_text("Your turn! Roll the dice")
    expect(other).to_have_count(0)
    act(phone, "chance")
    expect(own).to_contain_text("Lay a good card now")
    expect(other).to_contain_text("Wait until everybody has passed.")
    phone.context.close()


def uncovered(card) -> tuple[float, float]:
    """Where the next card of a fan does not lie on it."""
    box = card.bounding_box()
    return box["x"] + 0.3 * box["width"], box["y"] + 0.4 * box["height"]


def test_a_card_is_held_to_be_read_and_tapped_to_be_laid(simulated, serve, browser):
    expect.set_options(timeout=PATIENCE_MS)
    served = serve(simulated)
    begin(served, {"players": 2, "rounds": 1, "seed": 3})
    codes = served.ask("/api/v1/seats")["codes"]
    red, blue = (by_code(browser, served, codes[player]) for player in ("red", "blue"))
    act(red, "chance")
    told = red.page.get_by_role("list", name="What happened", exact=True)
    expect(told).to_contain_text("shuffled and dealt")  # a press before that is of the step before
    expect(red.page.locator("use[href='#sky']").first).to_be_attached()
    act(red, "chance")
    expect(blue.page.locator('[data-what="pass"]')).to_be_visible()
    card = blue.page.locator('.hand-card[data-type="challenge"]').first
    name = card.get_attribute("data-card")
    expect(card.locator("use")).to_have_attribute("href", f"/static/cards.svg#{name}")
    blue.page.mouse.move(*uncovered(card))
    blue.page.mouse.down()
    expect(blue.page.locator(".card-read[open] .big-card p")).not_to_be_empty()
    blue.page.mouse.up()
    expect(blue.page.locator(".card-read[open]")).to_be_visible()  # the release laid nothing
    assert served.table.latest().seats.public["turn"]["cards"] == []
    blue.page.keyboard.press("Escape")
    playable = blue.page.locator('.hand-card[data-may][data-type="challenge"]').first
    laid = playable.get_attribute("data-card")
    blue.page.mouse.move(0, 0)
    blue.page.touchscreen.tap(*uncovered(playable))
    expect(red.page.locator('.laid-cards li[data-player="blue"]')).to_have_count(1)
    assert served.table.latest().seats.public["turn"]["cards"] == [["blue", laid]]
    for phone in (red, blue):
        phone.context.close()


def test_cards_are_dealt_when_every_seat_is_taken_and_a_seat_is_freed_after_a_question(
    simulated, serve, open_page
):
    served = serve(simulated)
    begin(served, {"players": 3, "seed": 3})
    page = open_page(served.url, room=True).page
    expect(page.locator("[data-sit]")).to_have_count(3)
    sit(page, "red")
    expect(page.locator('[data-what="chance"]')).to_have_count(0)
    expect(page.locator(".say-card .line")).to_contain_text("Still free: Blue, White.")
    page.locator('[data-what="fill"]').click()
    expect(page.locator('[data-what="chance"]')).to_have_text("Shuffle and deal")
    expect(page.locator("[data-sit]")).to_have_count(0)
    page.locator(".room-seats summary").click()
    page.locator('[data-free="red"]').click()
    asked = page.locator(".free-seat[open]")
    expect(asked).to_contain_text("Free the seat of Red?")
    asked.get_by_role("button", name="Cancel").click()
    assert served.table.latest().seats.seats[0].taken
    page.locator('[data-free="red"]').click()
    page.locator('.free-seat[open] [data-what="free"]').click()
    expect(page.locator('[data-sit="red"]')).to_be_visible()


# Words of cards that stand on more than one line, in a hand as wide as a phone's.
BROKEN_WORDS = """async (titles) => {
  const { card, fan } = await import("/static/room-view.js");
  const glossary = Object.fromEntries(titles.map((title, at) => [`card:${at}`, [title, ""]]));
  const fans = Object.assign(document.createElement("div"), { className: "fans" });
  document.body.append(fans);
  fans.append(...fan(titles.map((_, at) => card({ glossary, players: [] }, String(at), 1, null))));
  await document.fonts.ready;
  const broken = [...fans.querySelectorAll("strong")].flatMap(({ firstChild: text }) =>
    [...text.data.matchAll(/[^\\s-]+/g)].filter(({ index, 0: word }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return range.getClientRects().length > 1;
    }).map(([word]) => word));
  fans.remove();
  return broken;
}"""


@pytest.mark.parametrize("language", languages())
def test_no_word_of_a_card_breaks(served, open_page, language):
    box = data.default_box()
    names = [*(title for title, _ in CARDS.values()), *map(spoken, box.heroes)]
    titles = [Catalogue.load(language).translate(Message(name)) for name in names]
    page = open_page(served.url, viewport=PHONE).page
    assert page.evaluate(BROKEN_WORDS, titles) == []


# Cards of a hand whose title is not seen whole.
COVERED_TITLES = """async (titles) => {
  const { card, fan } = await import("/static/room-view.js");
  const glossary = Object.fromEntries(titles.map((title, at) => [`card:${at}`, [title, ""]]));
  const fans = Object.assign(document.createElement("div"), { className: "fans" });
  document.body.append(fans);
  Object.assign(fans.style, { position: "fixed", inset: 0, zIndex: 99 });
  fans.append(...fan(titles.map((_, at) => card({ glossary, players: [] }, String(at), 1, null))));
  await document.fonts.ready;
  const covered = [...fans.querySelectorAll("strong")].filter((strong) => {
    const range = document.createRange();
    range.selectNodeContents(strong);
    return [...range.getClientRects()].some(({ left, right, top, bottom }) =>
      [left + 1, right - 1].some((x) =>
        !strong.parentNode.contains(document.elementFromPoint(x, (top + bottom) / 2))));
  }).map(({ textContent }) => textContent);
  fans.remove();
  return covered;
}"""


@pytest.mark.parametrize("size", [PHONE, {"width": 390, "height": 844}])
def test_no_card_of_a_hand_covers_a_title(served, open_page, size):
    titles = [title for title, _ in CARDS.values()]
    page = open_page(served.url, viewport=size).page
    for count in (1, 3, 5, 8, 10):
        assert page.evaluate(COVERED_TITLES, titles[:count]) == [], count


def test_the_number_of_players_changes_under_an_open_page(simulated, serve, open_page):
    served = serve(simulated)
    begin(served, {"players": 2})
    page = open_page(served.url, room=True).page
    sit(page, "red", "blue")
    for players in (6, 3, 5):
        begin(served, {"players": players})
        expect(page.locator(".room-player")).to_have_count(players)
        expect(page.locator(".seat-list li")).to_have_count(players)


def test_every_answer_that_names_pieces_is_a_picture_and_words(served, open_page):
    begin(served, {"players": 3, "rounds": 1, "seed": 1})
    page = open_page(served.url, room=True).page
    moves = ["red:place:ok:red-ship:3", "red:place:ok:red-fighter+blue-tank:3"]
    shown = page.evaluate(
        """async (moves) => {
          const { Chooser } = await import("/static/room-moves.js");
          const layout = await (await fetch("/api/v1/layout")).json();
          const { element } = new Chooser({ layout, game: layout.game }, {}, moves, {});
          return [...element.querySelectorAll(".answers button")].map((answer) =>
            [answer.textContent.replace(/\\s+/g, " ").trim(),
              answer.querySelectorAll("svg").length]);
        }""",
        moves,
    )
    assert shown == [["Red ship", 1], ["Red fighter Blue tank", 2]]
