"""Kernels of our games, a module each, under the game's name; others bring theirs by entry points.

What such a module may have: ``kernels.board``.
"""
