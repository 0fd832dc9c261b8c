"""Simulated buses below the real libraries smbus2, gpiozero, pyserial and neopixel."""

from tiltboard.hw_sim.buses.bundle import SimBuses

__all__ = ["SimBuses"]
