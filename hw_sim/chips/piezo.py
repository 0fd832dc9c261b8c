"""A passive piezo buzzer: sounds at the frequency of the PWM on its pin."""

from __future__ import annotations

from collections import deque

KEPT = 256


class Piezo:
    """``tone_hz``: what it sounds now, None if silent. ``tones``: the last changes of that, as
    (time, Hz or None), oldest first.
    """

    def __init__(self) -> None:
        self.tone_hz: float | None = None
        self.tones: deque[tuple[float, float | None]] = deque(maxlen=KEPT)

    def drive(self, duty: float, frequency_hz: float | None, now_s: float) -> None:
        """The pin's duty cycle (0 to 1) and PWM frequency; a steady level makes no sound."""
        tone = frequency_hz if frequency_hz is not None and 0.0 < duty < 1.0 else None
        if tone != self.tone_hz:
            self.tone_hz = tone
            self.tones.append((now_s, tone))
