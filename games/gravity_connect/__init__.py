"""Gravity Connect, by XNimus (RULES C1-C3)."""
