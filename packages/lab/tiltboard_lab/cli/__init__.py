"""The commands that appear beside the table's own if the laboratory is installed."""
