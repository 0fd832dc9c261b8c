"""The host program of the table: perception, referee, journal, service, page and commands."""
