"""What was recorded, as typed values that keep the place they were read from."""
