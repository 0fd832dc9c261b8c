"""The games: their rules, and what bots know of them. Imports nothing of the other packages."""
