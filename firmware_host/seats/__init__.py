"""Games of seats: players with hands of their own, who say on their pages what they do."""

from __future__ import annotations

from firmware_host.seats.arbiter import SeatArbiter
from firmware_host.seats.seats import Seats
from firmware_host.seats.zones import overlay_for

__all__ = ["SeatArbiter", "Seats", "overlay_for"]
