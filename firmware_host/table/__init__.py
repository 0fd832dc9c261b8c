"""Plain values that the packages of the host exchange, and the sentences that explain these values
to people.
"""
