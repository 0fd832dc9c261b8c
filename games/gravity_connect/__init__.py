"""The game Gravity Connect, by XNimus (docs/rules.md, rules C1-C3)."""
