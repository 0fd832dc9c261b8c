"""The game Momentum, by Phil Leduc, 2010 (docs/rules.md, rules M1-M10)."""
