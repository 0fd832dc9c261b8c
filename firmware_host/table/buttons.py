"""Debouncing of the buttons: raw samples become single presses, short or long."""

from __future__ import annotations

from dataclasses import dataclass

DEBOUNCE_S = 0.03
LONG_PRESS_S = 2.0
CONFIRM = "confirm"
BACK = "back"
_SLACK_S = 1e-9  # Rounding tolerance in seconds, so that sums of scan periods reach their limits.
# Minimum gap between two scans, in seconds, after which the length of a press counts as uncertain.
_LATE_S = 0.2
# Maximum error of a measured press, in seconds: the duration of one scan, plus the duration of
# bouncing before the scan.
_JITTER_S = 0.025


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """One press of a button. A press is reported when the button is released, but a long press of
    confirm is reported after two seconds, before the release.
    """

    button: str
    held_s: float

    @property
    def long(self) -> bool:
        """True if the button was held for two seconds or more."""
        return self.held_s >= LONG_PRESS_S - _JITTER_S


@dataclass(slots=True)
class _Button:
    down: bool = False
    since_s: float = 0.0  # Time at which the debounced state began, in seconds.
    # Maximum time, in seconds, by which ``since_s`` may be later than the actual change of the
    # debounced state.
    since_gap_s: float = 0.0
    # Time since which the raw state has differed from the debounced state, in seconds, or None if
    # both are the same.
    changing_s: float | None = None
    changing_gap_s: float = 0.0
    reported: bool = False


class Buttons:
    """Debounces both buttons and measures the length of presses. Call ``update`` in every scan.

    A button that is held in the first scan is ignored until its release, because the press may have
    begun at any earlier time. A press is also ignored if late scans make it unclear whether the
    press was short or long.
    """

    def __init__(self) -> None:
        self._begun = False
        self._last_s = 0.0
        self._buttons = {CONFIRM: _Button(), BACK: _Button()}

    def update(self, pressed: frozenset[str], now_s: float) -> tuple[ButtonPress, ...]:
        """Return the presses that are complete after this scan. ``pressed``: names of the buttons
        that are down, before debouncing, as in ``Frame.pressed``.
        """
        presses = []
        if not self._begun:
            self._begun = True
            for name in pressed & self._buttons.keys():
                self._buttons[name] = _Button(down=True, since_s=now_s, reported=True)
        for name, button in self._buttons.items():
            if (name in pressed) == button.down:
                button.changing_s = None
            elif button.changing_s is None:
                button.changing_s, button.changing_gap_s = now_s, now_s - self._last_s
            elif now_s - button.changing_s >= DEBOUNCE_S - _SLACK_S:
                held_s = button.changing_s - button.since_s
                late = button.since_gap_s + button.changing_gap_s >= _LATE_S
                shortest_s, longest_s = held_s - button.changing_gap_s, held_s + button.since_gap_s
                unclear = late and shortest_s < LONG_PRESS_S <= longest_s
                if button.down and not button.reported and not unclear:
                    presses.append(ButtonPress(name, held_s))
                button.down = not button.down
                button.since_s, button.since_gap_s = button.changing_s, button.changing_gap_s
                button.changing_s = None
                button.reported = False
            held_s = now_s - button.since_s
            held = button.down and button.changing_s is None
            long = held and held_s >= LONG_PRESS_S - _JITTER_S
            if name == CONFIRM and long and not button.reported:
                button.reported = True
                presses.append(ButtonPress(name, held_s))
        self._last_s = now_s
        return tuple(presses)

    def held_s(self, name: str, now_s: float) -> float:
        """Return for how many seconds the button has been held. The result is 0 if the button is
        up, or if the start of the press is unknown.
        """
        button = self._buttons[name]
        # The button was down in the first scan, so the start of the press is unknown.
        unknown = button.reported and name != CONFIRM
        return now_s - button.since_s if button.down and not unknown else 0.0
