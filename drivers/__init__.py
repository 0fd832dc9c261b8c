"""One file per chip or device: datasheets on one side, SI units on the other, no games."""
