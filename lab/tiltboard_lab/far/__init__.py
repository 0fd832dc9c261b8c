"""Matches between tables far from each other: a study of what they must agree on."""
