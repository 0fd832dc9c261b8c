"""What to do next and why: the sentences that people read, one thing at a time."""
