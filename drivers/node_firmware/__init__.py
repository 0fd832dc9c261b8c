"""Reference firmware of a plate that carries its own microcontroller (docs/node-protocol.md).

Runs on MicroPython and, in the simulation, on CPython. So the code uses no typing module, no
dataclasses, no match, and only relative imports. Only ``pico.py`` knows the microcontroller.
"""
