"""The plain values that pass between the packages, and the sentences about them."""
