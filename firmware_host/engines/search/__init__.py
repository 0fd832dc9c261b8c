"""Search for good moves in any game with ``tiltboard.games.rules.Rules``. The caller provides the
clock and the random numbers.
"""
