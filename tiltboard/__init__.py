"""A tilting game table on a Raspberry Pi, and a simulated one that runs the same code."""
