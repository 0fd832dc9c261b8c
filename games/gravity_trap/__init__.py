"""Gravity Trap, by Mike McManaway, 2008 (RULES T1-T6)."""
