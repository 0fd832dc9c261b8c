"""The journal: every game as an append-only list of events on disk (docs/journal.md).

A move counts once ``Journal.append`` has returned. State is never kept beside the events: a game is
the fold of its events, and the current game is the one started or resumed last.
"""
