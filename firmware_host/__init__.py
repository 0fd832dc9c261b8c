"""The host: perception, referee, guidance, journal, service, page and commands."""
