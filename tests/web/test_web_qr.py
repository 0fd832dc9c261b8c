"""Pictures for a phone's camera."""

from __future__ import annotations

import re

import pytest
from starlette.datastructures import URL

from tiltboard.firmware_host.service.qr import QUIET, qr_svg
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.web.guard import page_for_phones

FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]


def modules(drawn: str) -> list[str]:
    """The picture's squares, by its path: runs of dark ones, each ``m x y`` on and ``h`` long."""
    size = int(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    dark = re.findall(r' d="([^"]+)"', drawn)[-1]
    rows = [["."] * size for _ in range(size)]
    x, y = 0.0, 0.0
    for step, values in re.findall(r"([Mmh])([-\d. ]+)", dark):
        numbers = [float(each) for each in values.split()]
        if step == "h":
            for at in range(int(x), int(x + numbers[0])):
                rows[int(y)][at] = "#"
            x += numbers[0]
        else:
            x, y = numbers if step == "M" else (x + numbers[0], y + numbers[1])
    return ["".join(row)[QUIET:-QUIET] for row in rows[QUIET:-QUIET]]


def test_a_code_has_its_three_corners_and_differs_with_its_address():
    drawn = modules(qr_svg("http://table.local:8080/#seat=123456"))
    size = len(drawn)
    assert (size - 17) % 4 == 0
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        assert [row[left : left + 7] for row in drawn[top : top + 7]] == FINDER
    assert drawn != modules(qr_svg("http://table.local:8080/#seat=123457"))


@pytest.mark.parametrize(
    ("asked", "name", "told"),
    [
        ("http://localhost:8080/", "table.local", "http://table.local:8080/"),
        ("http://localhost:8080/", None, "http://localhost:8080/"),
        ("http://192.168.1.7:8080/", "table.local", "http://192.168.1.7:8080/"),
    ],
)
def test_a_phone_is_told_an_address_that_it_can_reach(asked, name, told):
    assert page_for_phones(URL(asked), name) == told


def test_each_free_seat_has_its_code_as_a_picture(simulated, serve):
    served = serve(simulated)
    served.do(NewGame("gravity-warfare", {"players": 3}))
    served.until(lambda snapshot: snapshot.room is not None)
    told = served.ask("/api/v1/seats")
    page = f"http://127.0.0.1:{served.port}/"
    assert told["pictures"] == {
        player: qr_svg(f"{page}#seat={code}") for player, code in told["codes"].items()
    }
    assert len(set(told["pictures"].values())) == 3
