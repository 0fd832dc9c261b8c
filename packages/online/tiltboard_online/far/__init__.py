"""Matches with other tables, over an MQTT broker. Needs the extra ``far``."""
