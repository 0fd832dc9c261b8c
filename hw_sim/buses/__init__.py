"""Simulated buses, which the real libraries smbus2, gpiozero, pyserial and neopixel use."""

from tiltboard.hw_sim.buses.bundle import SimBuses

__all__ = ["SimBuses"]
