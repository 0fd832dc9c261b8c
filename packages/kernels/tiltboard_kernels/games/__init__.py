"""The kernels of the built-in games, one module for each game.

The module ``tiltboard_kernels.board`` documents the functions and constants of such a module.
"""
