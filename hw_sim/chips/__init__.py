"""Models of the chips at register and voltage level, each written from its own data sheet."""
