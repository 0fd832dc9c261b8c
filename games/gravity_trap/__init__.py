"""Gravity Trap, by Mike McManaway, 2008 (docs/rules.md, T1-T6)."""
