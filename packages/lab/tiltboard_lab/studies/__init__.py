"""Studies that learn about the games by playing many games: matches of bots, statistics of games,
tuning of evaluations, puzzles, and boards.
"""
