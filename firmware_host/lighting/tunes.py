"""Short tunes for the buzzer: which tone sounds when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from firmware_host.table.standing import Sound

C5, E5, G5, A5, C6, E6 = 523.25, 659.26, 783.99, 880.0, 1046.5, 1318.5
LOW = 196.0

# (frequency in Hz or 0 for silence, seconds) one after the other
TUNES: Mapping[Sound, tuple[tuple[float, float], ...]] = {
    Sound.START: ((C5, 0.08), (E5, 0.08), (G5, 0.12)),
    Sound.MOVE: ((A5, 0.05),),
    Sound.ASK: ((G5, 0.06), (0, 0.03), (C6, 0.09)),
    Sound.SETTLED: ((A5, 0.05), (0, 0.03), (C6, 0.05)),
    Sound.WRONG: ((LOW, 0.12), (0, 0.06), (LOW, 0.18)),
    Sound.LAST_MARBLE: ((C6, 0.07), (0, 0.05), (C6, 0.07), (0, 0.05), (E6, 0.16)),
    Sound.TAKEBACK: ((E5, 0.07), (C5, 0.09)),
    Sound.WIN: ((C5, 0.1), (E5, 0.1), (G5, 0.1), (C6, 0.3)),
    Sound.DRAW: ((G5, 0.15), (0, 0.05), (G5, 0.15)),
    Sound.PAUSED: ((E5, 0.06),),
}


class TunePlayer:
    """Plays one tune after the other, without threads: ask it each step which tone is due."""

    def __init__(self) -> None:
        self._notes: list[tuple[float, float]] = []
        self._until_s = 0.0
        self._tone_hz: float | None = None

    def play(self, sounds: Iterable[Sound]) -> None:
        """Queue the tunes of ``sounds``."""
        for sound in sounds:
            self._notes.extend((*TUNES[sound], (0.0, 0.04)))

    def tone_hz(self, now_s: float) -> float | None:
        """The tone due now, or None for silence."""
        while self._notes and now_s >= self._until_s:
            hz, duration_s = self._notes.pop(0)
            self._tone_hz = hz or None
            self._until_s = now_s + duration_s
        if not self._notes and now_s >= self._until_s:
            self._tone_hz = None
        return self._tone_hz
