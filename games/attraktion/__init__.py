"""Attraktion, by Jaroslaw Cichocki, 2005 (RULES A1-A5)."""
