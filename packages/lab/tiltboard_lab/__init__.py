"""The laboratory: what nobody needs who plays, builds or looks after a table."""
