"""The eight nodes. Each reads the state, does one thing and returns what it changes."""
