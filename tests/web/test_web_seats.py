"""Tests of firmware_host/web/static/seats.js and firmware_host/service/publish.py: phones as seats
of every game: four scan their codes from the table's page and play a card game, then two a board.
"""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Player
from tests.web.test_web_qr import modules
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.table.commands import NewGame, Resign, StartLesson
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.pairing import Pairing, Tokens
from tiltboard.firmware_host.web.server import WebServer

pytestmark = pytest.mark.web
PHONE = {"width": 390, "height": 844}
NAME = "table.local"
MASKS = (  # ISO/IEC 18004, table 10: whether a module at that row and column is inverted.
    lambda y, x: (y + x) % 2,
    lambda y, x: y % 2,
    lambda y, x: x % 3,
    lambda y, x: (y + x) % 3,
    lambda y, x: (y // 2 + x // 3) % 2,
    lambda y, x: y * x % 2 + y * x % 3,
    lambda y, x: (y * x % 2 + y * x % 3) % 2,
    lambda y, x: ((y + x) % 2 + y * x % 3) % 2,
)


def scanned(drawn: str) -> str:
    """What a QR code says: the text of one in byte mode with one block (versions 1 to 3), read as
    ISO/IEC 18004 tells, without any error to correct.
    """
    rows = [[each == "#" for each in row] for row in modules(drawn)]
    size = len(rows)
    assert size <= 29
    marks = [rows[8][at] != inverted for at, inverted in ((2, True), (3, False), (4, True))]
    mask = MASKS[4 * marks[0] + 2 * marks[1] + marks[2]]

    def holds_data(y: int, x: int) -> bool:
        corner = (y < 9 and (x < 9 or x >= size - 8)) or (y >= size - 8 and x < 9)
        alignment = size > 21 and max(abs(y - size + 7), abs(x - size + 7)) <= 2
        return not (corner or alignment or 6 in (y, x))

    bits, upwards = "", True
    for right in [at for at in range(size - 1, 0, -2) if at > 6] + [5, 3, 1]:
        for y in range(size - 1, -1, -1) if upwards else range(size):
            for x in (right, right - 1):
                if holds_data(y, x):
                    bits += str(int(rows[y][x] != (mask(y, x) == 0)))
        upwards = not upwards
    assert bits[:4] == "0100"
    length = int(bits[4:12], 2)
    return bytes(int(bits[at : at + 8], 2) for at in range(12, 12 + 8 * length, 8)).decode()


class Network:
    """The page of a table as a network has it: its own page on this machine, and phones that reach
    it by its name there, unpaired.
    """

    def __init__(self, table, browser, folder, clock) -> None:
        access = Access(Pairing(Tokens(folder, clock.calendar), clock), (NAME,))
        access.address = NAME
        self.table, self._browser = table, browser
        self.server = WebServer(table, 0, access=access)
        self.server.start()
        self.contexts = []

    def _open(self, url, viewport):
        context = self._browser.new_context(
            viewport=viewport, reduced_motion="reduce", service_workers="block"
        )
        context.set_default_timeout(60_000)
        self.contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(url)
        return page

    def laptop(self):
        return self._open(f"http://127.0.0.1:{self.server.port}/", {"width": 1280, "height": 800})

    def scan(self, laptop, player):
        """A phone points its camera at that player's code on the laptop."""
        code = laptop.locator(f'.seat-list [data-player="{player}"] .seat-qr')
        expect(code).to_be_visible()
        picture = unquote(code.get_attribute("src").partition(",")[2])
        address = scanned(picture)
        assert address.startswith(f"http://{NAME}:{self.server.port}/#seat=")
        return self._open(address, PHONE)

    def begin(self, game, options=None, **more):
        self.table.submit(NewGame(game, options or {}, **more)).result(20)

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.server.stop()


@pytest.fixture
def network(simulated, alter, browser, tmp_path, faster_clock):
    expect.set_options(timeout=60_000)
    made = Network(alter(simulated), browser, tmp_path / "network", faster_clock)
    yield made
    assert [page.complaints for c in made.contexts for page in c.pages if page.complaints] == []
    made.close()


def press(phone, what):
    phone.locator(f'.room-seat [data-what="{what}"]').click()


def tap(page, place):
    page.mouse.click(*Player(page).spot(place))


def expect_phase(page, words):
    expect(page.locator(".say-card .phase")).to_have_text(words)


def test_four_phones_play_a_round_and_then_a_board_from_the_codes_that_they_scanned(network):
    network.table.take_hands()
    network.begin("gravity-warfare", {"players": 4, "rounds": 1, "seed": 1})
    laptop = network.laptop()
    players = ("red", "blue", "white", "green")
    phones = {player: network.scan(laptop, player) for player in players}
    for player, phone in phones.items():
        expect(phone.locator(f'.room-seat[data-player="{player}"] h2')).to_be_visible()
    phones["red"].get_by_text("Your seat").click()
    phones["red"].get_by_label("Name of Red", exact=True).fill("Ada")
    phones["red"].keyboard.press("Enter")
    for phone in phones.values():
        expect(phone.locator('.room-players [data-player="red"] .who')).to_have_text("Ada")
    press(phones["red"], "chance")  # the deal
    for player, phone in phones.items():
        press(phone, "chance")
        for each in phones.values():
            press(each, "pass")
        press(phone, "place")
        asked = phone.locator(".chooser .asked")
        while (question := asked.inner_text()) != "How did it go?":
            phone.locator(".chooser .answers button").first.click()
            expect(asked).not_to_have_text(question)
        if player != "green":
            phone.get_by_role("button", name="It holds", exact=True).click()
            if player == "red":
                expect(laptop.locator(".room-latest")).to_contain_text("Ada puts a ")
            press(phone, "count")  # nobody says more
        else:  # everything falls, which ends the round
            phone.get_by_role("button", name="It fell or failed").click()
            for tick in phone.locator(".fallen input").all():
                tick.check()
            phone.get_by_role("button", name="That is all").click()
    for phone in phones.values():
        expect(phone.locator(".say-card")).to_have_attribute("data-phase", "over")
        standings = Player(phone).box(phone.locator(".room-players"))
        assert standings["y"] + standings["height"] <= PHONE["height"]  # without scrolling
        expect(phone.get_by_role("button", name="Play again", exact=True)).to_be_visible()

    # The same phones stay at their seats: red and blue play, white and green look on.
    network.table.hands = True
    network.begin("momentum", {"size": 5, "marbles": 3})
    result = lambda: network.table.latest().game.result  # noqa: E731
    expect_phase(phones["blue"], "You are Blue")
    tap(phones["blue"], "c3")  # it is not blue's turn
    for at in range(60):
        player = ("red", "blue")[at % 2]
        expect_phase(phones[player], "Your turn")
        legal = [move for move in network.table.latest().game.legal if move != "swap"]
        tap(phones[player], legal[len(legal) // 2])
        expect(laptop.locator(".move")).to_have_count(at + 1)
        if result():
            break
    expect(phones[result()["winner"]].locator(".say-card .line")).to_contain_text("wins")


def test_a_phone_takes_back_its_own_move_and_resigns(network):
    network.begin("momentum", {"size": 5, "marbles": 3})
    laptop = network.laptop()
    laptop.get_by_text("Play from a phone").click()
    phone = network.scan(laptop, "red")
    expect_phase(phone, "Your turn")
    tap(phone, "c3")
    # A take-back is of the step that the phone shows, so the move must be over on both pages.
    for page in (laptop, phone):
        expect(page.locator(".move")).to_have_text(["c3"])
        expect(page.locator(".say-card")).to_have_attribute("data-phase", "turn")
    phone.get_by_role("button", name="Take back").click()
    expect_phase(phone, "Your turn")
    tap(phone, "d4")
    expect(laptop.locator(".move")).to_have_text(["d4"])
    phone.get_by_role("button", name="Resign").click()
    phone.get_by_role("button", name="Red resigns?").click()
    expect(laptop.locator(".say-card")).to_have_attribute("data-phase", "over")


def test_a_phone_whose_seat_a_game_lacks_looks_on_and_has_it_again_afterwards(network):
    network.begin("momentum")
    laptop = network.laptop()
    laptop.get_by_text("Play from a phone").click()
    phone = network.scan(laptop, "red")
    expect_phase(phone, "Your turn")
    network.begin("attraktion")  # of white and black
    expect(phone.locator(".game-title")).to_have_text("Attraktion")
    expect_phase(phone, "You are watching")
    phone.reload()
    expect_phase(phone, "You are watching")
    network.begin("momentum")
    expect_phase(phone, "Your turn")


def test_a_phone_has_its_seat_and_nothing_else(network):
    network.begin("momentum", engines={"blue": EngineSeat(level=1)})
    laptop = network.laptop()
    laptop.get_by_text("Play from a phone").click()
    expect(laptop.locator(".seat-list li")).to_have_count(1)  # a bot needs no seat
    phone = network.scan(laptop, "red")
    expect_phase(phone, "Your turn")
    for name in ("New game", "Let phones in", "Play again"):
        expect(phone.get_by_role("button", name=name, exact=True)).to_have_count(0)
    network.table.submit(StartLesson("momentum")).result(20)
    expect(phone.locator(".room-seats")).to_be_hidden()


def test_a_phone_names_its_person_asks_for_a_hint_and_takes_back_with_the_bots_answer(network):
    network.begin("momentum", {"size": 5, "marbles": 3}, engines={"blue": EngineSeat(level=1)})
    laptop = network.laptop()
    laptop.get_by_text("Play from a phone").click()
    phone = network.scan(laptop, "red")
    expect_phase(phone, "Your turn")
    phone.get_by_text("Your seat").click()
    phone.get_by_label("Name of Red", exact=True).last.fill("Ada")
    phone.keyboard.press("Enter")
    for page in (phone, laptop):
        expect(page.locator('.tray[data-piece="red"] .who')).to_have_text("Ada")
    others = phone.locator('.tray[data-piece="blue"] .who')
    expect(others).to_have_attribute("contenteditable", "false")
    phone.get_by_role("button", name="Hint", exact=True).click()
    expect(phone.locator(".say-card .line")).to_contain_text("Try ")
    undo = phone.get_by_role("button", name="Take back", exact=True)
    expect(undo).to_have_count(0)
    tap(phone, "c3")
    expect(laptop.locator(".move")).to_have_count(2)  # the bot has answered
    expect_phase(phone, "Your turn")
    undo.click()
    expect(laptop.locator(".move")).to_have_count(0)
    expect_phase(phone, "Your turn")
    tap(phone, "d4")
    expect(laptop.locator(".move")).to_have_count(2)


def test_a_phone_asks_for_the_same_game_again_once_it_has_ended(network):
    network.begin("momentum", {"size": 5, "marbles": 3})
    laptop = network.laptop()
    laptop.get_by_text("Play from a phone").click()
    phones = {player: network.scan(laptop, player) for player in ("red", "blue")}
    expect_phase(phones["red"], "Your turn")
    tap(phones["red"], "c3")
    expect_phase(phones["blue"], "Your turn")
    expect(phones["blue"].get_by_role("button", name="Take back")).to_have_count(0)
    network.table.submit(Resign("blue")).result(20)
    before = network.table.latest().layout
    phones["blue"].get_by_role("button", name="Play again", exact=True).click()
    expect(laptop.locator(".move")).to_have_count(0)
    expect_phase(phones["red"], "Your turn")
    assert network.table.latest().layout != before
    assert network.table.latest().game.result is None


def test_beside_doors_and_codes_the_tabs_keep_their_height(network):
    network.begin("momentum")
    laptop = network.laptop()
    laptop.set_viewport_size({"width": 1366, "height": 768})
    laptop.get_by_role("tab", name="Learn").click()
    laptop.locator("#bar .brand").click()
    expect(laptop.locator(".doors")).to_be_visible()
    laptop.get_by_text("Play from a phone").click()
    expect(laptop.locator(".seat-qr")).to_have_count(2)
    panel = laptop.locator("#panel-learn")
    assert Player(laptop).box(panel)["height"] >= 100
    panel.scroll_into_view_if_needed()


def test_no_list_of_seats_is_shown_where_no_phone_can_come(served, open_page):
    page = open_page(served.url).page
    expect(page.locator(".say-card .phase")).to_have_text("Your turn")
    assert served.ask("/api/v1/seats")["players"] == ["red", "blue"]
    expect(page.get_by_text("Play from a phone")).to_be_hidden()
