"""Configuration that is read at the start (settings, profile, boards and paths), and the host's
errors.
"""
