"""What sends to the lights in virtual time: a thread's own time, and Blinka's writers.

The way over SPI is the real one down to ``spidev.SpiDev`` (hw_sim.buses.spi).
"""

from __future__ import annotations

from drivers.frame_sender import DirectSender, FrameLink
from hw_sim.buses.timing import SEND_HANDOVER_S
from hw_sim.chips.ws2812 import RESET_S, Ws2812Chain
from hw_sim.clock import VirtualClock


class SideClock(VirtualClock):
    """The time of a thread beside the main one: it passes while the main one's stands.

    What begins on it begins when the main clock says so, or when the last thing has ended.
    """

    __slots__ = ("_main",)

    def __init__(self, main: VirtualClock) -> None:
        super().__init__()
        self._main = main

    def now(self) -> float:
        """Seconds since the main clock's start."""
        self._now_s = max(self._now_s, self._main.now())
        return self._now_s

    def advance(self, duration_s: float) -> None:
        """Be busy; the main clock does not move."""
        self.now()
        super().advance(duration_s)


class VirtualSender(DirectSender):
    """ThreadSender's place in virtual time: the caller is held for the hand-over alone."""

    def __init__(self, link: FrameLink, clock: VirtualClock) -> None:
        super().__init__(link)
        self._clock = clock

    def send(self, frame: bytes, /) -> None:
        """As Sender's."""
        self._clock.advance(SEND_HANDOVER_S)
        super().send(frame)


class BlinkaModel:
    """A link through either of Blinka's writers, which hold the interpreter while they send.

    ``rest_s``: what passes after the reset before the next frame may begin.
    """

    def __init__(
        self, chain: Ws2812Chain, clock: VirtualClock, side: SideClock, rest_s: float
    ) -> None:
        self._chain = chain
        self._clock = clock
        self._side = side
        self._rest_s = rest_s

    def write(self, frame: bytes, /) -> None:
        """As FrameLink's."""
        start_s = max(self._clock.now(), self._side.now())
        end_s = self._chain.receive(frame, start_s)
        self._clock.advance(end_s - self._clock.now())
        self._side.advance(RESET_S + self._rest_s)

    def close(self) -> None:
        """As FrameLink's."""
