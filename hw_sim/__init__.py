"""The simulated hardware: chips, plate, magnets, a player's hands, faults, and virtual time."""
