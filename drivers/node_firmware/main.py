"""The program that the board starts at power-on. Copy this file to the Pico's top folder as
main.py.

If the back button is held down at power-on, the Pico stays at its prompt. Once the firmware runs,
it answers over USB only to its host.
"""

from node_firmware.node import Node
from node_firmware.pico import Pico, held_at_start

if not held_at_start():
    pico = Pico()
    node = Node(pico)
    while True:
        pico.rest(node.step())
