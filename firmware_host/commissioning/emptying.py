"""The empty plate: zero and noise of every input, and the level."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from drivers.attitude import Mounting, Vector
from drivers.frame import Frame
from firmware_host.commissioning import mounting, reasons
from firmware_host.commissioning.placing import OFF_SCALE_MT, can_spare, sound
from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.sampling import Window, scans
from firmware_host.commissioning.step import Answer, Choice, Light, Outcome
from firmware_host.commissioning.tilting import force_on_chip
from firmware_host.config.profile import Profile
from firmware_host.messages import text
from firmware_host.perception.stillness import QUIET_RAD_S

EMPTY_S = 2.0
# DRV5055A1: quiescent 1.65 V +-60 mV at 60 mV/mT is 1 mT; half a millitesla of drift and of pieces
# that stand beside the plate. A weak magnet in the middle reads 2.3 mT and more.
MOST_ZERO_MT = 1.5
NOISY_MT = 0.2  # single readings; six times the datasheet's noise
JOLT_M_S2 = 0.8


class Emptying:
    """Nothing stands on the plate. ``tilt``: whether its tilt sensor is waited for."""

    def __init__(self, profile: Profile, orientation: Mounting, *, tilt: bool) -> None:
        self._profile = profile
        self._orientation = orientation
        self._tilt = tilt
        self._window = Window(scans(profile, EMPTY_S))
        self._last = Outcome()
        self._broken: int | None = None
        self.say = text("Take everything off the plate, and leave it alone for two seconds.")

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Done once two seconds were quiet, level and empty."""
        moving = frame.motion is not None and max(map(abs, frame.motion.rate_rad_s)) > QUIET_RAD_S
        if moving or (self._tilt and frame.motion is None):
            self._window.clear()
            return self._last
        self._window.push((*frame.field_mt, *force_on_chip(frame, self._orientation)))
        if not self._window.full:
            return self._last
        size = self._profile.size
        means, sigmas = self._window.means(), self._window.sigmas()
        mt = sound(progress, means[:size])
        level = means[size], means[size + 1], means[size + 2]
        jolts = max(self._window.swing(size + axis) for axis in range(3))
        self._window.clear()
        self._last = self._refusal(progress, mt, sound(progress, sigmas[:size]))
        if self._last.refused is None and self._tilt:
            if jolts > JOLT_M_S2:
                self._last = Outcome(refused=reasons.KNOCKED)
            elif not mounting.is_level(level):
                self._last = Outcome(refused=reasons.NOT_LEVEL)
        if self._last.refused is not None:
            return self._last
        known = replace(progress, offset_mt=(*mt,), noise_mt=(*sigmas[:size],), last=None)
        return Outcome(_levelled(known, level) if self._tilt else known)

    def answer(self, value: str, progress: Progress) -> Progress:
        """That sensor is broken."""
        if value == Answer.LEAVE_OUT and self._broken is not None:
            return progress.leaving_out(self._broken)
        return progress

    def _refusal(self, progress: Progress, mt: Sequence[float], sigmas: Sequence[float]) -> Outcome:
        """What is wrong with which input, if anything is, and whether it can only be broken."""
        profile = self._profile
        most = MOST_ZERO_MT if profile.capabilities.measures else 0.0
        worst = max(range(len(mt)), key=lambda i: abs(mt[i]))
        noisiest = max(range(len(sigmas)), key=sigmas.__getitem__)
        self._broken = None
        if abs(mt[worst]) > OFF_SCALE_MT:
            at = self._broken = progress.place_of(worst)
            why = reasons.of_place(profile, at, reasons.OFF_SCALE, mt[worst])
        elif abs(mt[worst]) > most:
            at = progress.place_of(worst)
            why = reasons.of_place(profile, at, reasons.NOT_EMPTY, mt[worst])
        elif sigmas[noisiest] > NOISY_MT:
            at = self._broken = progress.place_of(noisiest)
            why = reasons.of_place(profile, at, reasons.NOISY, sigmas[noisiest])
        else:
            return Outcome()
        choices: tuple[Choice, ...] = ()
        if self._broken is not None and can_spare(profile, progress, self._broken):
            leave_out = reasons.of_place(profile, self._broken, reasons.LEAVE_OUT)
            choices = (Choice(Answer.LEAVE_OUT, leave_out),)
        return Outcome(None, why, {at: Light.WRONG}, choices)


def _levelled(progress: Progress, level: Vector) -> Progress:
    """A chip that was turned over since lies as nobody knows."""
    before = progress.level
    turned = before is not None and mounting.up_axis(before) != mounting.up_axis(level)
    return replace(progress, level=level, edges={} if turned else progress.edges)
