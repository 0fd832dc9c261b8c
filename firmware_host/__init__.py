"""The host: perception, referee, journal, service, page and commands."""
