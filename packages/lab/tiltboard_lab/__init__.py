"""The laboratory: studies of the games and measurements of the program, for developers only.

This package is not needed for playing on a table or for building a table.
"""
