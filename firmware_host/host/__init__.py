"""The host's synchronous core: each step turns one scan of the sensors into the table's lights."""
