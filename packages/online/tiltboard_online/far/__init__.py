"""Matches between tables through an MQTT broker. Matches need paho-mqtt, pynacl and zeroconf."""
