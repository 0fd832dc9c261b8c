"""What every part stands on: the root error, the clock, rate limits, and loading of plug-ins."""
