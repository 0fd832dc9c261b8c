"""The table's connections to other tables, onlookers, clubs and a smart home, over an MQTT
broker.
"""
