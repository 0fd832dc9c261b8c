"""Tests of drivers/panel.py: every panel has the right assignment of buttons and the right tones,
and works again after a loss.
"""

import pytest

from tiltboard.drivers.errors import PartAbsentError

pytestmark = pytest.mark.tiltboard("plate-10", "plate-7", "matrix-gpio", "node", seed=3)
BUTTONS = ("confirm", "back")


@pytest.fixture
def panel(bench):
    return bench.part("panel")


def test_nobody_presses_anything(bench, panel):
    bench.retry(panel.pressed)
    for _ in range(20):
        bench.pace()
        assert panel.pressed() == frozenset()


def test_each_button_is_seen_while_it_is_held_and_no_other(bench, panel):
    bench.retry(panel.pressed, lambda pressed: not pressed)
    for button in BUTTONS:
        bench.hold(button)
        bench.retry(panel.pressed, lambda pressed, held=button: pressed == {held})
        bench.let_go(button)
        bench.retry(panel.pressed, lambda pressed: not pressed)


def test_both_at_once(bench, panel):
    for button in BUTTONS:
        bench.hold(button)
    bench.retry(panel.pressed, lambda pressed: pressed == set(BUTTONS))
    for button in BUTTONS:
        bench.let_go(button)
    bench.retry(panel.pressed, lambda pressed: not pressed)


def test_a_tone_sounds_until_it_is_silenced(bench, panel):
    bench.retry(lambda: panel.tone(440.0))
    settle(bench, panel)
    assert bench.sounds()
    panel.tone(None)
    settle(bench, panel)
    assert not bench.sounds()


@pytest.mark.parametrize("hz", [0.0, 19.0, 10_001.0])
def test_tones_that_a_buzzer_cannot_make_are_refused(panel, hz):
    with pytest.raises(ValueError, match="not between"):
        panel.tone(hz)


def test_a_closed_panel_is_silent_and_opens_again(bench, panel):
    bench.retry(lambda: panel.tone(440.0))
    settle(bench, panel)
    panel.close()
    bench.pace()
    bench.pace()
    assert not bench.sounds()
    assert bench.retry(panel.pressed) == frozenset()


def test_lines_that_cannot_be_had_are_an_absent_part(bench):
    bench.part("panel")
    panel = bench.cut_off(OSError(16, "", "GPIO")).panel
    for use in (panel.pressed, lambda: panel.tone(440.0)):
        with pytest.raises(PartAbsentError) as caught:
            use()
        assert (caught.value.part, bool(caught.value.remedy)) == ("panel", True)


def settle(bench, panel):
    for _ in range(10):
        bench.pace()
        panel.pressed()
