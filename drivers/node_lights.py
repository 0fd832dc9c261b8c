"""The lights of a plate with its own computer: it draws them, and is told what they look like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from drivers import node_protocol as protocol
from drivers.lights import WRITE_EVERY_S, Colour, LightsSettings, Look, Rgb, rgb_of
from drivers.node_link import NodeLink
from drivers.node_troubles import PART_LIGHTS, reported

_STEADY: Final = (1, b"\xff")


class NodeLights:
    """The lights, by place. The node draws them; here is what it was told, and what that shows."""

    def __init__(self, settings: LightsSettings, link: NodeLink) -> None:
        self._settings = settings
        self._link = link
        self._clock = link.clock
        self._curve = settings.curve()
        self._looks: tuple[Look, ...] = ()
        self._places = bytes(settings.count)
        self._start_s = 0.0
        self._colours: tuple[Colour, ...] | None = None
        self._patterns: dict[tuple[int, bytes], int] = {_STEADY: 0}
        self._session = 0
        self._changed = False
        self._told_s = -WRITE_EVERY_S

    @property
    def shown(self) -> bytes:
        """Red, green, blue of each place as the node draws them now, after everything."""
        return self._draw()[0]

    @property
    def dimmed(self) -> float:
        """The share of the light asked for that the supply allows, 0 to 1."""
        return self._draw()[1]

    def ask(self, colours: Sequence[Colour]) -> None:
        """Steady colours, as LightStrip.ask. Raises ValueError for another number of them."""
        wanted = tuple(colours)
        if wanted == self._colours:
            return
        looks = {colour: Look(rgb) for colour in set(wanted) if any(rgb := rgb_of(colour))}
        self.ask_looks([looks.get(colour) for colour in wanted], 0.0)
        self._colours = wanted

    def ask_looks(self, looks: Sequence[Look | None], start_s: float) -> None:
        """What each place is to show; None: dark. All patterns begin at ``start_s``.

        Raises ValueError for another number of places, or for more than 255 looks.
        """
        if len(looks) != self._settings.count:
            raise ValueError(f"{len(looks)} looks for {self._settings.count} lights")
        self._colours = None
        used = tuple(dict.fromkeys(look for look in looks if look is not None))
        number = {look: index for index, look in enumerate(used, 1)}
        places = bytes(0 if look is None else number[look] for look in looks)
        if (used, places, start_s) != (self._looks, self._places, self._start_s):
            self._looks, self._places, self._start_s = used, places, start_s
            self._changed = True

    def flush(self) -> None:
        """Tell the node what has changed, at most 30 times a second; all of it if it is new.

        Raises PartAbsentError or WrongPartError while there is no node, and PartAbsentError while
        the lights have no supply, where it can tell.
        """
        link = self._link
        link.poll("lights")
        unlit = reported(link.status, PART_LIGHTS)
        if unlit is not None:
            raise unlit
        if link.session != self._session:
            self._session = link.session
            self._patterns = {_STEADY: 0}
            settings = self._settings
            link.tell(
                protocol.SETUP,
                protocol.pack_setup(
                    settings.supply_a, settings.channel_ma, settings.idle_ma, self._curve
                ),
            )
            self._changed = True
        now_s = self._clock.now()
        if self._changed and now_s - self._told_s >= WRITE_EVERY_S:
            self._changed = False
            self._told_s = now_s
            looks = [(self._pattern(look), *look.rgb) for look in self._looks]
            start_us = link.to_node_us(self._start_s)
            link.tell(protocol.LIGHTS, protocol.pack_lights(start_us, looks, self._places))

    def close(self) -> None:
        """All lights off, and the port given back."""
        self._looks, self._places = (), bytes(self._settings.count)
        self._colours = None
        self._session = 0
        self._link.tell(protocol.LIGHTS, protocol.pack_lights(0, (), self._places))
        self._link.close()

    def _pattern(self, look: Look) -> int:
        """Its number; the node is told of a new one."""
        key = (
            round(look.step_s / protocol.TICK_S),
            bytes(round(level * 255) for level in look.levels),
        )
        if look.levels == (1.0,):
            return 0
        number = self._patterns.get(key)
        if number is None:
            if len(self._patterns) > protocol.PATTERNS:
                self._patterns = {_STEADY: 0}
            number = self._patterns[key] = len(self._patterns)
            self._link.tell(protocol.PATTERN, bytes((number, key[0])) + key[1])
        return number

    def _draw(self) -> tuple[bytes, float]:
        if not self._session or reported(self._link.status, PART_LIGHTS) is not None:
            return bytes(3 * len(self._places)), 1.0
        since_s = self._clock.now() - self._start_s
        curve, settings = self._curve, self._settings
        dark: Rgb = (0, 0, 0)
        colours = [bytes(dark)]
        colours += [bytes(curve[channel] for channel in look.now(since_s)) for look in self._looks]
        levels = b"".join([colours[place] for place in self._places])
        return settings.limited(levels)
