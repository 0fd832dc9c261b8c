"""The ground of every part: root error, clock, rate limits, and loading of plug-ins."""
