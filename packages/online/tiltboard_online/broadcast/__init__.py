"""The messages of a table over an MQTT broker: for onlookers, a club and a smart home."""
