"""What is read once, at the start: settings, profile, boards, paths; and the host's errors."""
