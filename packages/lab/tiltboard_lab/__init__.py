"""The laboratory: studies of the games and measurements of the program, for developers only.

Playing on a table or building a table does not need this package.
"""
