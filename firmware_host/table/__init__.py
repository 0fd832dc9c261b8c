"""The plain values that pass between the rooms: what is seen, asked, standing and lit."""
