"""The cost of a Raspberry Pi's calls in virtual time, all in one table.

Wire times come from the chips' own files and bus clocks; the figures here, a Pi 4's, are what Linux
and Python add.
"""

from __future__ import annotations

# docs/benchmarks.md: one spidev call takes 31 to 38 us with 20 us on the wire at 1.35 MHz, and a
# scan of the reference table 4.3 ms: 112 calls of 36 us and 16 address writes.
SPI_CALL_S = 16e-6
SPI_LEAD_S = 8e-6
"""The part of it that passes before chip select falls."""

SPI0_CORE_HZ = 500e6
"""The core clock, held still: SPI0's is that by an even number (spi-bcm2835.c)."""

SPI_DMA_BYTES = 96
"""From here on SPI0 sends by DMA, without the idle clock after each byte (spi-bcm2835.c)."""

SEND_HANDOVER_S = 50e-6
"""A frame of lights to the thread that sends it; an estimate: a lock, and waking a thread."""

GPIO_CALL_S = 15e-6
"""One read or write of a pin through gpiozero: what the scan above leaves for an address write."""

# Estimates: one system call and one interrupt; data sheets give wire times only.
I2C_CALL_S = 30e-6

# Linux, drivers/i2c: an adapter without a timeout of its own gets one second (HZ); the BCM2835
# driver then answers ETIMEDOUT.
I2C_TIMEOUT_S = 1.0

I2C_HZ = 400_000  # i2c_arm_baudrate in config.txt is set to this

SERIAL_CALL_S = 20e-6
"""One read or write of a serial port through pyserial; an estimate: a select and a system call."""
