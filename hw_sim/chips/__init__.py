"""Models of the chips at register and voltage level, each after its own datasheet."""
