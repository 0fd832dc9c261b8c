"""Spoils everything that is read from outside: only the table's own errors may come."""
