"""``tiltboard doctor``: what a table needs of its computer, and which of its parts answer."""
