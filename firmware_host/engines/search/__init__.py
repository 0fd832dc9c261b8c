"""Looking ahead in any game of ``tiltboard.games.rules.Rules``. Whoever calls it hands in time and
dice.
"""
