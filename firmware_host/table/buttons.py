"""The debouncing of the buttons: raw samples become single presses, short or long."""

from __future__ import annotations

from dataclasses import dataclass

DEBOUNCE_S = 0.03
LONG_PRESS_S = 2.0
CONFIRM = "confirm"
BACK = "back"
_SLACK_S = 1e-9  # Rounding tolerance, so that sums of scan periods reach their limits.
_LATE_S = 0.2  # With a longer gap between scans, the length of a press is uncertain.
_JITTER_S = 0.025  # Uncertainty of a press's length: one scan, and the bouncing before it.


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """One press, reported when the button is released, or, for confirm, as soon as it is long."""

    button: str
    held_s: float

    @property
    def long(self) -> bool:
        """True if it was held for two seconds or more."""
        return self.held_s >= LONG_PRESS_S - _JITTER_S


@dataclass(slots=True)
class _Button:
    down: bool = False
    since_s: float = 0.0  # When the debounced state began.
    since_gap_s: float = 0.0  # How much earlier it may have begun.
    changing_s: float | None = None  # When the raw state began to differ.
    changing_gap_s: float = 0.0
    told: bool = False


class Buttons:
    """Debounces and times both buttons. Feed it every scan.

    A button that is held in the first scan is ignored, because its press may have begun at any
    time. So is a press that may have been short or long because scans came too late.
    """

    def __init__(self) -> None:
        self._begun = False
        self._last_s = 0.0
        self._buttons = {CONFIRM: _Button(), BACK: _Button()}

    def update(self, pressed: frozenset[str], now_s: float) -> tuple[ButtonPress, ...]:
        """Return the presses completed by this scan. ``pressed``: raw names, as in
        ``Frame.pressed``.
        """
        presses = []
        if not self._begun:
            self._begun = True
            for name in pressed & self._buttons.keys():
                self._buttons[name] = _Button(down=True, since_s=now_s, told=True)
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
                if button.down and not button.told and not unclear:
                    presses.append(ButtonPress(name, held_s))
                button.down = not button.down
                button.since_s, button.since_gap_s = button.changing_s, button.changing_gap_s
                button.changing_s = None
                button.told = False
            held_s = now_s - button.since_s
            held = button.down and button.changing_s is None
            long = held and held_s >= LONG_PRESS_S - _JITTER_S
            if name == CONFIRM and long and not button.told:
                button.told = True
                presses.append(ButtonPress(name, held_s))
        self._last_s = now_s
        return tuple(presses)

    def held_s(self, name: str, now_s: float) -> float:
        """Return for how long the button has been held, in s; 0 if it is not, or the start is
        unknown.
        """
        button = self._buttons[name]
        unknown = button.told and name != CONFIRM  # It was down in the first scan.
        return now_s - button.since_s if button.down and not unknown else 0.0
