"""The laboratory: studies and measurements, which no player, builder or keeper of a table needs."""
