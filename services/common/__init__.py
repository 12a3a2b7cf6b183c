"""What every service shares: the runtime and the pure evidence rules."""
