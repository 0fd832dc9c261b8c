"""Search in any game of ``tiltboard.games.rules.Rules``; the caller provides clock and random
numbers.
"""
