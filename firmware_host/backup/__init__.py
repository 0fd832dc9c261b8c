"""One file with everything that a table has learnt and played, and the way back."""
