"""The plain values that pass between the rooms, and what people are told of them."""
