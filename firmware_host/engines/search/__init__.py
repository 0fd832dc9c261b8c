"""Search for good moves in any game that implements ``tiltboard.games.rules.Rules``. The caller
provides the clock and the random numbers.
"""
