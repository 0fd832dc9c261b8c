"""Matches between tables through an MQTT broker. They need paho-mqtt, pynacl and zeroconf."""
