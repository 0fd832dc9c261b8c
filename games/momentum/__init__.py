"""Momentum, by Phil Leduc, 2010 (RULES M1-M10)."""
