"""Studies that learn about the games by playing many of them: matches of bots, statistics of games,
tuning of evaluations, puzzles, and boards.
"""
