"""Rules and players. Imports nothing of the other packages."""
