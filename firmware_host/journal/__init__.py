"""The journal: every game as an append-only list of events on disk (docs/journal.md).

A move is stored once ``Journal.append`` has returned. No state is stored beside the events: a game
is computed from its events, and the current game is the game that was started or resumed last.
"""
