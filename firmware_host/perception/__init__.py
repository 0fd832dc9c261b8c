"""Perception: find the pieces on the plate, how certain each one is, and what players did, from the
sensors' readings.
"""
