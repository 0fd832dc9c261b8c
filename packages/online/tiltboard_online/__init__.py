"""Connects the table to other tables, spectators, clubs and a smart home through an MQTT broker."""
