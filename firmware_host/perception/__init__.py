"""Perception: finds the pieces on the plate, and the players' actions, from sensor readings."""
