"""Perception: it derives the pieces on the plate, its confidence and events from calibrated
fields.
"""
