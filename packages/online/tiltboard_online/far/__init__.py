"""Beyond the room: other tables, by a message broker. Needs the extra ``far``."""
