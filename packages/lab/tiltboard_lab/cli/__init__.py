"""Commands that appear beside the table's own where the laboratory is installed."""
