"""What has happened, by the rules: on a board (Referee), or in a game of seats (SeatArbiter)."""

from __future__ import annotations

from firmware_host.referee.referee import Referee
from firmware_host.referee.seated import SeatArbiter
from firmware_host.referee.seats import Seats

__all__ = ["Referee", "SeatArbiter", "Seats"]
