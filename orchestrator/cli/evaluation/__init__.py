"""How right the answers are: past incidents asked again, and held against what turned out to be true."""
