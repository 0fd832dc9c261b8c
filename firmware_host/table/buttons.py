"""From raw, bouncing buttons to presses: what the hand meant, told once."""

from __future__ import annotations

from dataclasses import dataclass

DEBOUNCE_S = 0.03
LONG_PRESS_S = 2.0
CONFIRM = "confirm"
BACK = "back"
_SLACK_S = 1e-9  # so that sums of scan periods reach their limits
_LATE_S = 0.2  # two scans this far apart leave open how long a button was held
_JITTER_S = 0.025  # a hold is known to within a scan, and contacts bounce before it


@dataclass(frozen=True, slots=True)
class Press:
    """One press, told when the button is let go, or a confirm as soon as it has become long."""

    button: str
    held_s: float

    @property
    def long(self) -> bool:
        """Held for two seconds or more."""
        return self.held_s >= LONG_PRESS_S - _JITTER_S


@dataclass(slots=True)
class _Button:
    down: bool = False
    since_s: float = 0.0  # of the accepted state
    since_gap_s: float = 0.0  # and how much earlier it may have begun
    changing_s: float | None = None  # when the raw state began to differ
    changing_gap_s: float = 0.0
    told: bool = False


class Buttons:
    """Debounces and times both buttons. Feed it every scan.

    What is held already in the first scan says nothing: nobody knows since when. Nor does a press
    that was long or short, where scans came too late to tell.
    """

    def __init__(self) -> None:
        self._begun = False
        self._last_s = 0.0
        self._buttons = {CONFIRM: _Button(), BACK: _Button()}

    def update(self, pressed: frozenset[str], now_s: float) -> tuple[Press, ...]:
        """Presses completed by this scan. ``pressed``: raw, names of ``Frame.pressed``."""
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
                    presses.append(Press(name, held_s))
                button.down = not button.down
                button.since_s, button.since_gap_s = button.changing_s, button.changing_gap_s
                button.changing_s = None
                button.told = False
            held_s = now_s - button.since_s
            held = button.down and button.changing_s is None
            long = held and held_s >= LONG_PRESS_S - _JITTER_S
            if name == CONFIRM and long and not button.told:
                button.told = True
                presses.append(Press(name, held_s))
        self._last_s = now_s
        return tuple(presses)

    def held_s(self, name: str, now_s: float) -> float:
        """For how long it has been held down; 0: it is not, or nobody knows since when."""
        button = self._buttons[name]
        unknown = button.told and name != CONFIRM  # it was down in the first scan
        return now_s - button.since_s if button.down and not unknown else 0.0
