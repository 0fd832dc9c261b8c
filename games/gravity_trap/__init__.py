"""The game Gravity Trap, by Mike McManaway, 2008 (docs/rules.md, rules T1-T6)."""
