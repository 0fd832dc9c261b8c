"""The game Attraktion, by Jaroslaw Cichocki, 2005 (docs/rules.md, rules A1-A5)."""
