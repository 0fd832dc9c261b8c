"""Engines: programs that choose moves, each in a process of its own (docs/engines.md)."""
