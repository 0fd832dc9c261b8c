"""The journal: every game as an append-only list of events on disk (docs/journal.md).

A move is stored once ``Journal.append`` has returned. The journal stores only events, from which
the state of a game is computed. The current game is the game that was started or resumed last.
"""
