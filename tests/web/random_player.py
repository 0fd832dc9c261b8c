"""Not a test: a simulated visitor who presses random elements, and the checks for each screen."""

from __future__ import annotations

from random import Random
from typing import Any

from playwright.sync_api import Error, Page

# Returns the elements that can be pressed now: position and name, only the topmost. Elements that
# leave the page, write files, or sign in a device are excluded.
PRESSABLE = """() => {
  const what = "button:enabled, summary, [role=tab], label.chip, label.who-face, .marble .ball, "
    + ".slot.open, .surface [data-name], .tray .waiting, input[type=checkbox]";
  const never = "a, .language, .stepping :not(.steps *), [title='Full screen'], [data-never]";
  const found = [];
  for (const each of document.querySelectorAll(what)) {
    if (each.closest(never)) continue;
    const box = each.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (!box.width || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    if (!top || !(each.contains(top) || top.contains(each))) continue;
    const name = each.ariaLabel || each.title || each.innerText || each.dataset?.name || "";
    found.push({ x, y, name: name.slice(0, 60), kind: each.closest("svg") ? "plate" : "button" });
  }
  return found;
}"""
# Returns the mistakes on the screen. `ids`: names that only programs use.
WRONG = """async (ids) => {
  const wrong = [];
  const seen = (each) => each.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const texts = [document.body.innerText, ...all("[aria-label], [title], [placeholder]")
    .flatMap((each) => [each.ariaLabel, each.title, each.placeholder])].filter(Boolean);
  for (const text of texts) {
    const none = /.*(?:\\[object|\\bundefined\\b|\\bNaN\\b|\\{[a-z]+\\}).*/g;
    for (const line of text.match(none) ?? [])
      wrong.push(`no text: ${line}`);
    for (const id of ids) if (new RegExp(`(^|[^\\\\w-])${id}($|[^\\\\w-])`).test(text))
      wrong.push(`a bare id: ${id} in ${text.slice(0, 200)}`);
  }
  for (const each of all("dialog[open], #drawer, .doors, [role=tabpanel], .parts, .say-card")) {
    const { width, height } = each.getBoundingClientRect();
    const least = each.matches(".say-card") ? 40 : 100;
    if (height < least || width < 100)
      wrong.push(`a panel of ${width} x ${height}: ${each.id || each.className}`);
  }
  for (const each of all("button:disabled, select:disabled, input:disabled")) {
    if (each.title !== each.dataset.why || !each.title)
      wrong.push(`disabled without a reason: ${each.ariaLabel || each.innerText || each.name}`);
  }
  // What leads on is the plate, a hand or a bot at work, or a button. Those of the bar and the tabs
  // are always there, and do not count.
  const leads = () =>
    ["turn", "settle", "setup"].includes(all(".say-card")[0]?.dataset.phase)
    || all(`:is(.actions, .doors, .question, .room-seat, .room-seats, .playground,
      .calibration-card, dialog[open]) button:enabled`).length;
  // A hand of the table that has just begun to put something right may be at work.
  if (!leads()) await new Promise((done) => setTimeout(done, 2000));
  if (!leads()) wrong.push("nothing to press that leads on");
  const { network } = await (await fetch("/api/v1/pairing")).json();
  for (const each of network ? [] : all("img.qr, img.seat-qr")) if (!each.closest(".pairing"))
    wrong.push("a code that no phone can open");
  for (const { href } of all("a[href]")) {
    const url = new URL(href, location.href);
    if (url.origin !== location.origin) wrong.push(`a link elsewhere: ${href}`);
  }
  return wrong;
}"""
IDS = """async () => {
  const games = await (await fetch("/api/v1/games")).json();
  const { breakable, game } = await (await fetch("/api/v1/layout")).json();
  const known = [...games.map(({ name }) => name), ...breakable.map(({ fault }) => fault),
    ...games.flatMap(({ emblem }) => Object.keys(emblem)), ...Object.keys(game?.names ?? {})];
  return [...new Set(known)].filter((each) => each.includes("-"));
}"""


class RandomPlayer:
    """Presses random elements, and reports the mistakes on each screen."""

    def __init__(self, page: Page, chance: Random) -> None:
        self._page = page
        self._chance = chance
        self.pressed: list[str] = []

    def play(self, presses: int) -> list[str]:
        """Press ``presses`` times, and return each mistake once, with the presses before."""
        found: dict[str, str] = {}
        ids = self._page.evaluate(IDS)
        for _ in range(presses):
            self.press()
            for each in self._wrong(ids):
                found.setdefault(each, " > ".join(self.pressed[-4:]))
        return [f"{each} (after {before})" for each, before in found.items()]

    def press(self) -> None:
        there = self._evaluate(PRESSABLE) or []
        buttons = [each for each in there if each["kind"] == "button"]
        plate = [each for each in there if each["kind"] == "plate"]
        group = self._chance.choice([g for g in (buttons, buttons, plate) if g] or [[]])
        if not group or self._chance.random() < 0.05:
            self._page.keyboard.press("Escape")
            self.pressed.append("Escape")
            return
        chosen = self._chance.choice(group)
        self.pressed.append(chosen["name"].replace("\n", " "))
        self._page.mouse.click(chosen["x"], chosen["y"])

    def wrong(self) -> list[str]:
        """Return the mistakes on the present screen."""
        return self._wrong(self._evaluate(IDS))

    def _wrong(self, ids: list[str]) -> list[str]:
        return self._evaluate(WRONG, ids) or []

    def _evaluate(self, script: str, *given: Any) -> Any:
        """Return the script's result, or None while the page is loading."""
        try:
            return self._page.evaluate(script, *given)
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
            return None
