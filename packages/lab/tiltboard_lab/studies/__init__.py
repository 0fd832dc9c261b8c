"""Studies of the games by many games: matches, statistics, tuning, puzzles, boards."""
