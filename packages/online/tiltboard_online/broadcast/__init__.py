"""What a table tells over a message broker: lookers, a club, a smart home."""
