"""Started by the board at power-on: copy it to the Pico's top folder as main.py.

Hold back while the Pico gets its power, and it stays at the prompt: over USB, once the firmware
runs, it listens to nothing but its host.
"""

from node_firmware.node import Node
from node_firmware.pico import Pico, held_at_start

if not held_at_start():
    pico = Pico()
    node = Node(pico)
    while True:
        pico.rest(node.step())
