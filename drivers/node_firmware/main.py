"""Started by the board at power-on: copy it to the Pico's top folder as main.py."""

from node_firmware.node import Node
from node_firmware.pico import Pico

node = Node(Pico())
while True:
    node.step()
