"""Plain values that the packages of the host exchange, and the sentences for people about them."""
