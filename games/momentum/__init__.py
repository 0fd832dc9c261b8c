"""Momentum, by Phil Leduc, 2010 (docs/rules.md, M1-M10)."""
