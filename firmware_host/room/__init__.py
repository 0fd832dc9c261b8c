"""Games of seats: players with hands of their own, who say on their pages what they do."""

from __future__ import annotations

from firmware_host.room.room import Room
from firmware_host.room.seats import Seats
from firmware_host.room.zones import overlay_for

__all__ = ["Room", "Seats", "overlay_for"]
