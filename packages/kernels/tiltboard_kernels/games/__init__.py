"""The kernels of our games, one module each; ``tiltboard_kernels.board`` says what they contain."""
