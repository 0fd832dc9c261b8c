"""From calibrated fields to pieces: which magnet stands where, how sure, and what happened."""
