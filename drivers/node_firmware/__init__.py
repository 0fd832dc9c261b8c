"""Reference firmware of a plate that carries its own microcontroller (docs/node-protocol.md).

Runs on MicroPython and, in the simulation, on CPython: so no typing module, no dataclasses, no
match, and relative imports only. ``pico.py`` is the one file that knows the microcontroller.
"""
