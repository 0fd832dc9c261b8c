"""Other tables, lookers, clubs and the house, over a message broker."""
