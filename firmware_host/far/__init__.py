"""Beyond the room: other tables, by a message broker. Needs ``tiltboard[far]``."""
