"""Questions that are not "why": which fact is asked for, what shows it, and what it is."""
