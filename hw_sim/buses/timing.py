"""Durations of calls on a Raspberry Pi, in virtual time.

The models of the chips and buses compute how long a transfer takes on the wires. The values here
are the overhead that Linux and Python add on a Pi 4.
"""

from __future__ import annotations

# According to docs/benchmarks.md, one spidev call takes 31 to 38 us, including 20 us on the wire at
# 1.35 MHz. A scan of the reference table takes 4.3 ms: 112 calls of 36 us and 16 address writes.
SPI_CALL_S = 16e-6
SPI_LEAD_S = 8e-6
"""Time in seconds from the start of an SPI call until chip select falls. This time is a part of
SPI_CALL_S.
"""

SPI0_CORE_HZ = 500e6
"""Core clock of the Pi in Hz, which is kept constant. SPI0's clock is the core clock divided by an
even number (spi-bcm2835.c).
"""

SPI_DMA_BYTES = 96
"""Minimum size in bytes of a message that SPI0 sends by DMA. With DMA there is no idle clock after
each byte (spi-bcm2835.c).
"""

SEND_HANDOVER_S = 50e-6
"""Time in seconds to hand a frame of lights to the sending thread. The value is an estimate for a
lock and for waking a thread.
"""

GPIO_CALL_S = 15e-6
"""Duration in seconds of one read or write of a pin through gpiozero. The value is the measured
time of an address write in a scan of the reference table.
"""

# Estimated time in seconds of one system call and one interrupt. Data sheets give only times on the
# wire.
I2C_CALL_S = 30e-6

# Timeout of a stuck I2C bus, in seconds. Linux gives an adapter without its own timeout one second
# (drivers/i2c, HZ). The BCM2835 driver then reports ETIMEDOUT.
I2C_TIMEOUT_S = 1.0

I2C_HZ = 400_000  # Clock rate of the I2C bus in Hz, as set by i2c_arm_baudrate in config.txt.

SERIAL_CALL_S = 20e-6
"""Duration in seconds of one read or write of a serial port through pyserial. The value is an
estimate for a select and a system call.
"""
