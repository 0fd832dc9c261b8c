"""Attraktion, by Jaroslaw Cichocki, 2005 (docs/rules.md, A1-A5)."""
