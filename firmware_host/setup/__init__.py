"""From a box of parts to a table that is trusted: diagnosis, bring-up, calibration, backups."""
