"""From a box of parts to a table that is trusted: bring-up and calibration."""
