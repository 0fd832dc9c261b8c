"""Kernels of our games, a module each; ``tiltboard_kernels.board`` says what such a module has."""
