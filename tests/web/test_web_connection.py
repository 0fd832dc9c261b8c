"""Tests of firmware_host/web/static/connection.js and store.js: the page's connection:
web/static/connection.js, and store.js's ``got``, which waits for it.
"""

from __future__ import annotations

from playwright.sync_api import expect

# A network that answers nothing: a socket neither opens nor closes by itself.
STUCK = """async () => {
  globalThis.made = [];
  globalThis.WebSocket = class {
    static OPEN = 1;
    readyState = 0;
    closed = false;
    constructor() { globalThis.made.push(this); }
    close() { this.closed = true; }
    send() {}
  };
  const { Connection } = await import("/static/connection.js");
  globalThis.told = [];
  new Connection(() => {}, (link) => globalThis.told.push(link));
}"""
MADE = "made.length"
LEFT_OPEN = "made.filter(({ closed }) => !closed).length"
SHOW = "document.dispatchEvent(new Event('visibilitychange'))"
OPEN_THE_LAST = "made.at(-1).readyState = 1; made.at(-1).onopen(); made.length"


def test_a_handshake_that_never_ends_is_given_up_and_begun_again(served, browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.clock.install()
        page.goto(f"{served.url}static/connection.js")
        page.evaluate(STUCK)
        assert page.evaluate(MADE) == 1
        page.clock.run_for(5_500)
        assert page.evaluate(MADE) == 2
        page.evaluate(SHOW)  # somebody looks at the page again: no waiting for the limit
        assert page.evaluate(MADE) == 3
        page.clock.run_for(60_000)
        made = page.evaluate(MADE)
        assert 7 < made < 14  # it is tried again for ever, ever more slowly
        assert page.evaluate(LEFT_OPEN) <= 1
        assert set(page.evaluate("told")) == {"lost"}

        page.evaluate("dispatchEvent(new Event('online'))")
        made = page.evaluate(OPEN_THE_LAST)
        page.clock.run_for(6_000)
        page.evaluate(SHOW)
        assert page.evaluate(MADE) == made  # one that has opened has no such limit
        page.clock.run_for(6_000)  # but answers no ping
        assert page.evaluate(MADE) > made


def test_what_is_learnt_from_is_there_once_the_table_is_back(served, open_page):
    player = open_page(served.url, fresh=True)
    learn = player.page.get_by_role("tab", name="Learn", exact=True)
    player.expect_turn("red")
    served.lose()
    learn.click()
    said = "The table does not answer."
    expect(player.page.locator(".learning")).to_have_text(said)
    served.come_back()
    momentum = player.page.get_by_role("region", name="Momentum", exact=True)
    expect(momentum.get_by_role("button", name="Puzzle of the day", exact=True)).to_be_visible()
    expect(player.page.locator(".learning")).not_to_contain_text(said)


def test_a_page_that_opened_while_the_table_was_away_lacks_nothing_later(served, open_page):
    player = open_page(served.url, service_workers="allow")
    page = player.page
    player.expect_turn("red")
    page.get_by_role("tab", name="Learn", exact=True).click()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    served.lose()
    page.reload()
    expect(page.locator(".link-lost")).to_have_text("The table does not answer. Trying again…")
    served.come_back()
    player.expect_turn("red")
    expect(page.get_by_role("region", name="Momentum", exact=True)).to_be_visible()
    expect(page.locator(".legend li").first).to_be_attached()
