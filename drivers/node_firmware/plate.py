"""Wiring and constants of the reference plate. Change them for another plate. The pins are in
pico.py.
"""

COLUMNS = 10
ROWS = 10
PLACES = COLUMNS * ROWS
# True if the rows of the strip alternate in direction, False if every row starts in the west.
SERPENTINE = True

LINE = "usb"  # Line to the host: "usb" (the Pico's USB port) or "uart" (pins).
BAUD = 460_800  # Rate of the UART in baud.
# Watchdog timeout in ms, at most 8388. The Pico restarts if no step runs for this time.
WATCHDOG_MS = 4000
SPI_HZ = 1_350_000  # Clock of the SPI bus in Hz, the maximum of an MCP3008 at 2.7 V and above.
I2C_HZ = 400_000
SCAN_US = 10_000
MULTIPLEXERS = 7

# Spare inputs of the multiplexers, with the lowest and highest code that each input can read:
# ground, full supply, half supply (tolerances of 3 %, 3 % and 8 %). The thermistor's input is not
# checked.
SPARES = (
    (100, 0, 30),
    (101, 993, 1023),
    (102, 430, 593),
    (104, 430, 593),
    (105, 0, 30),
    (106, 0, 30),
    (107, 0, 30),
    (108, 993, 1023),
    (109, 0, 30),
    (110, 0, 30),
    (111, 0, 30),
)
# Input of the thermistor. The thermistor (10 kilohm, B = 3950 K) is wired to ground, and a resistor
# of 10 kilohm to the supply.
THERMISTOR = 103

# DRV5055A1 and MCP3008, both on 3.3 V: 60 mV/mT, 1024 steps. Field in nT = FIELD_AT_0_NT + code *
# FIELD_STEP_NT; code 512 means no field.
FIELD_STEP_NT = 53_711
FIELD_AT_0_NT = -512 * FIELD_STEP_NT
POLES = 2
STRENGTHS = 2
SPINS = True

IMU_ADDRESS = 0x68
NAME = "tiltboard reference"
