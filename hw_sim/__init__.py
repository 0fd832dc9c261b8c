"""The stand-in for the hardware: chips, plate, magnets, hands, faults, virtual time."""
