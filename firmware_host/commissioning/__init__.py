"""Commissioning: bring-up and calibration, from a box of parts to a table that can be trusted."""
