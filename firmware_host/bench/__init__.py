"""How fast a table answers and what that costs, on the simulated table: ``tiltboard bench``."""
