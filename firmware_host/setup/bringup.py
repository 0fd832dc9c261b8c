"""Bring-up: one bus, one light, one sensor at a time, with somebody at the table who answers.

Every step's outcome is kept, so that it can be interrupted; steps that went well are not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from drivers.errors import PartError, WrongPartError
from drivers.frame import Frame
from drivers.mounting import FLAT, Vector
from drivers.plate import Plate
from firmware_host.messages import Message, text
from firmware_host.profile import Profile
from firmware_host.setup import light_map, mounting, places, reasons, sensor_map
from firmware_host.setup.answers import Answers
from firmware_host.setup.findings import Finding, State, note, of_error, problem
from firmware_host.setup.light_map import NO_LIGHT, pairs
from firmware_host.setup.mounting import EDGES, Edge
from firmware_host.setup.sampling import Window
from firmware_host.setup.wires import supply_of

REST_SCANS = 12
REST_SWING_MT = 0.6
REACTS_MT = 3.0  # a strong piece, wherever on its place, and not a neighbour's
WAIT_S = 12.0
START_S = 1.0  # until a tilt sensor has started
WAKE_S = 1.5  # until a node that was left alone while somebody acted is back
SHOWN_S = 0.15  # a strip takes a write every thirtieth of a second; a node some time more
STEADY_M_S2 = 0.35
TONE_HZ = 880.0
COLOURS = {"red": (0.5, 0.0, 0.0), "green": (0.0, 0.5, 0.0), "blue": (0.0, 0.0, 0.5)}
ALL_COLOURS = (*COLOURS, "other", "none")


class Person(Protocol):
    """Somebody at the table. Each call returns when it is done, or has been told to be."""

    def tell(self, message: Message) -> None:
        """Read this."""

    def clear(self) -> None:
        """Take everything off the plate, level it, and let go."""

    def bring(self, place: int) -> None:
        """Put a strong piece, south down, on the middle of a place; the last one's goes there."""

    def lift(self, edge: Edge) -> None:
        """Lift that edge and hold it."""

    def press(self, button: str) -> None:
        """Press that button for a second."""

    def which_light(self, place: int) -> str:
        """The place that is lit now (``place`` should be), or "none"."""

    def which_colour(self, colour: str) -> str:
        """The colour of the light (``colour`` it should be): one of ALL_COLOURS."""

    def is_there(self, place: int) -> bool:
        """Whether the piece really stands on that place."""

    def hears(self) -> bool:
        """Whether the buzzer sounds."""


class Bringup:
    """One bring-up. ``save`` is called after every step; ``wait``: until the next scan is due."""

    def __init__(
        self,
        profile: Profile,
        plate: Plate,
        person: Person,
        answers: Answers,
        *,
        wait: Callable[[], None],
        save: Callable[[Answers], None],
    ) -> None:
        self._profile = profile
        self._plate = plate
        self._person = person
        self._answers = answers
        self._wait = wait
        self._save = save
        self._last: int | None = None
        self._place_at_light = sorted(range(profile.size), key=profile.light_of)

    def run(self) -> Iterator[Finding]:
        """Every part in order, each only if it answers; what is wrong."""
        problems = 0
        for found in self._parts():
            problems += found.state is State.PROBLEM
            yield found
        self._answers.finished = not problems
        self._save(self._answers)

    def _parts(self) -> Iterator[Finding]:
        faults: dict[str, PartError] = {}
        for frame in self._frames(START_S):
            faults = {fault.part: fault for fault in frame.faults}
        parts: tuple[tuple[str, object, Callable[[], Iterator[Finding]]], ...] = (
            ("lights", self._profile.lights, self._lights),
            ("hall", self._profile.hall, self._sensors),
            ("imu", self._profile.imu, self._edges),
            ("panel", self._profile.panel, self._panel),
        )
        told: set[str] = set()
        for name, part, steps in parts:
            if name in faults:
                if str(faults[name]) in told:
                    continue  # one bus, or one cable, is the trouble of several parts
                told.add(str(faults[name]))
                yield of_error(name, faults[name])
                if not isinstance(faults[name], WrongPartError):
                    yield note(name, supply_of(name))
            elif part is not None:
                yield from steps()
        self._show({})

    # Lights

    def _lights(self) -> Iterator[Finding]:
        profile, answers = self._profile, self._answers
        if "colours" not in answers.good:
            wrong = list(self._colours())
            yield from wrong
            if not wrong:
                self._good("colours")
        for row in range(profile.rows):
            for place in {row * profile.columns: None, (row + 1) * profile.columns - 1: None}:
                name = profile.places[place]
                if answers.lights.get(name) != name:
                    self._show({place: (0.6, 0.6, 0.6)})
                    answers.lights[name] = self._person.which_light(place)
                    self._save(answers)
        self._show({})
        yield from light_map.judge(profile, answers.lights)

    def _colours(self) -> Iterator[Finding]:
        seen = {}
        for colour, rgb in COLOURS.items():
            self._show({0: rgb})
            seen[colour] = self._person.which_colour(colour)
        if set(seen.values()) == {NO_LIGHT}:
            yield problem(
                "lights",
                text("The first light stays dark."),
                text(
                    "With a multimeter: 5 V at the strip, and the data wire at its DIN end. The"
                    " 74AHCT125 needs 5 V at its supply, and its enable pin at ground."
                ),
            )
        elif any(saw != colour for colour, saw in seen.items()):
            yield problem(
                "lights",
                text("Colours are exchanged: {seen}.", seen=pairs(seen.items())),
                text("The table needs WS2812B, which take green first. Use such a strip."),
            )

    # Sensors

    def _sensors(self) -> Iterator[Finding]:
        answers = self._answers
        odd = sensor_map.odd_poles(answers.sensors)
        left = [
            place
            for place in places.to_and_fro(self._profile)
            if place in odd or answers.sensors.get(place, (None, True))[0] != place
        ]
        if left:
            self._person.clear()
            empty = self._mean()
            self._last = None
            for place in left:
                self._show({place: (0.6, 0.6, 0.6)})
                answers.sensors[place] = self._one_sensor(place, empty)
                self._save(answers)
            self._show({})
            self._person.clear()
        yield from sensor_map.judge(self._profile, answers.sensors)

    def _one_sensor(self, place: int, empty: list[float]) -> tuple[int | None, bool]:
        while True:
            self._person.bring(place)
            found = self._reaction(empty)
            if found is not None:
                self._last = found[0]
                return found
            if self._person.is_there(place):
                return None, True

    def _reaction(self, empty: list[float]) -> tuple[int, bool] | None:
        """The place that reacts once its reading rests, after the one that reacted last has been
        left; None if none does.
        """
        window = Window(REST_SCANS)
        left = self._last
        for frame in self._frames(WAIT_S):
            if not frame.field_mt:
                window.clear()
                continue
            change = [f - e for f, e in zip(frame.field_mt, empty, strict=True)]
            if left is not None and abs(change[left]) < REACTS_MT:
                left = None
            window.push(change)
            if left is not None or not window.full:
                continue
            means = window.means()
            most = max(range(len(means)), key=lambda i: abs(means[i]))
            if abs(means[most]) > REACTS_MT and window.swing(most) < REST_SWING_MT:
                return most, means[most] > 0
        return None

    # Tilt sensor

    def _edges(self) -> Iterator[Finding]:
        if "edges" in self._answers.good:
            return
        self._person.clear()
        level = self._steady_force(None)
        forces: dict[str, Vector] = {}
        wrong = text("The tilt sensor does not come to rest.") if level is None else None
        for edge in EDGES:
            if level is None or wrong is not None:
                break
            if forces:
                self._person.tell(text("Let the plate down."))
                self._steady_force(level, lifted=False)
            lit = dict.fromkeys(places.along(self._profile, edge), (0.5, 0.5, 0.0))
            self._show(lit)
            self._person.tell(reasons.lift_edge(edge))
            self._person.lift(edge)
            force = self._steady_force(level)
            if force is None:
                wrong = text("The tilt sensor did not notice the {edge} edge.", edge=edge.name)
            else:
                forces[edge.name] = force
                wrong = mounting.refusal(edge, level, forces)
        self._show({})
        self._person.clear()
        if wrong is not None or level is None:
            yield problem(
                "imu",
                wrong or text("The tilt sensor does not come to rest."),
                text(
                    "Lift the edges that are lit. If it stays: glue it flat, on the pivot's axis."
                ),
            )
            return
        self._good("edges")
        lies = mounting.mounting_of(level, forces)
        if lies is not None and lies != FLAT:
            yield note(
                "imu",
                mounting.describe(lies),
                text("It may stay so: calibration finds that out, and the table reads it so."),
            )

    def _steady_force(self, level: Vector | None, *, lifted: bool = True) -> Vector | None:
        """What it feels once it is steady; with ``level``, lifted from there, or there again."""
        window = Window(REST_SCANS)
        for frame in self._frames(WAIT_S):
            if frame.motion is None:
                window.clear()
                continue
            window.push(frame.motion.specific_force_m_s2)
            if window.full and max(map(window.swing, range(3))) < STEADY_M_S2:
                x, y, z = window.means()
                if level is None or mounting.is_lifted(level, (x, y, z)) is lifted:
                    return x, y, z
        return None

    # Panel

    def _panel(self) -> Iterator[Finding]:
        self._scan_for(WAKE_S)
        seen: dict[str, frozenset[str]] = {}
        for button in ("confirm", "back"):
            if button not in self._answers.good:
                self._person.press(button)
                seen[button] = self._pressed()
                if seen[button] == {button}:
                    self._good(button)
        if seen == {"confirm": frozenset({"back"}), "back": frozenset({"confirm"})}:
            yield problem(
                "panel",
                text("The buttons confirm and back are exchanged."),
                text("Exchange their wires, or their pins in the profile."),
            )
        else:
            for button, pressed in seen.items():
                if pressed != {button}:
                    yield self._bad_button(button, pressed)
        if "buzzer" not in self._answers.good:
            self._plate.tone(TONE_HZ)
            self._scan_for(SHOWN_S)
            heard = self._person.hears()
            self._plate.tone(None)
            if heard:
                self._good("buzzer")
            else:
                yield problem(
                    "panel",
                    text("The buzzer is silent."),
                    text(
                        "It must be a passive one. With a multimeter: about 1.6 V at its pin while"
                        " it should sound, 0 V otherwise."
                    ),
                )

    def _bad_button(self, button: str, pressed: frozenset[str]) -> Finding:
        if pressed:
            return problem(
                "panel",
                text(
                    "Pressing {button} closes {others}.",
                    button=button,
                    others=" and ".join(sorted(pressed)),
                ),
                text("Look for wires that touch, or go to the wrong pin."),
            )
        return problem(
            "panel",
            text("The button {button} does nothing.", button=button),
            text(
                "With a multimeter, at its pin: 3.3 V when it is let go, 0 V when pressed. Always"
                " 3.3 V: its wire or its ground is broken."
            ),
        )

    def _pressed(self) -> frozenset[str]:
        seen: frozenset[str] = frozenset()
        for frame in self._frames(WAIT_S):
            if seen and not frame.pressed:
                break
            seen |= frame.pressed
        return seen

    # What all need

    def _good(self, step: str) -> None:
        self._answers.good.append(step)
        self._save(self._answers)

    def _mean(self) -> list[float]:
        """Of the empty plate, once the sensors answer."""
        window = Window(REST_SCANS)
        for frame in self._frames(WAIT_S):
            if frame.field_mt:
                window.push(frame.field_mt)
            if window.full:
                return window.means()
        return [0.0] * self._profile.size

    def _frames(self, duration_s: float) -> Iterator[Frame]:
        # Counted in scans: a node that was left alone first sends what is long past.
        for _ in range(round(duration_s * self._profile.scans_per_s)):
            self._wait()
            yield self._plate.scan()

    def _show(self, colours: dict[int, tuple[float, float, float]]) -> None:
        dark = (0.0, 0.0, 0.0)
        self._plate.show([colours.get(index, dark) for index in self._place_at_light])
        self._scan_for(SHOWN_S)

    def _scan_for(self, duration_s: float) -> None:
        for _ in self._frames(duration_s):
            pass
