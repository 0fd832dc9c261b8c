"""From raw, bouncing buttons to presses: what the hand meant, told once."""

from __future__ import annotations

from dataclasses import dataclass

DEBOUNCE_S = 0.03
LONG_PRESS_S = 2.0
CONFIRM = "confirm"
BACK = "back"
_SLACK_S = 1e-9  # so that sums of scan periods reach their limits


@dataclass(frozen=True, slots=True)
class Press:
    """One press, told when the button is let go, or a confirm as soon as it has become long."""

    button: str
    held_s: float

    @property
    def long(self) -> bool:
        """Held for two seconds or more."""
        return self.held_s >= LONG_PRESS_S - _SLACK_S


@dataclass(slots=True)
class _Button:
    down: bool = False
    since_s: float = 0.0  # of the accepted state
    changing_s: float | None = None  # when the raw state began to differ
    told: bool = False


class Buttons:
    """Debounces and times both buttons. Feed it every scan.

    What is held already in the first scan says nothing: nobody knows since when.
    """

    def __init__(self) -> None:
        self._begun = False
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
                button.changing_s = now_s
            elif now_s - button.changing_s >= DEBOUNCE_S - _SLACK_S:
                held_s = button.changing_s - button.since_s
                if button.down and not button.told:
                    presses.append(Press(name, held_s))
                button.down = not button.down
                button.since_s = button.changing_s
                button.changing_s = None
                button.told = False
            held_s = now_s - button.since_s
            held = button.down and button.changing_s is None
            long = held and held_s >= LONG_PRESS_S - _SLACK_S
            if name == CONFIRM and long and not button.told:
                button.told = True
                presses.append(Press(name, held_s))
        return tuple(presses)
