"""Engines are programs that choose moves, each in a separate process (docs/engines.md)."""
