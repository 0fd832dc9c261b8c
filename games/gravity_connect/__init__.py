"""Gravity Connect, by XNimus (docs/rules.md, C1-C3)."""
