"""Messages that a table publishes on an MQTT broker for spectators, a club and a smart home."""
