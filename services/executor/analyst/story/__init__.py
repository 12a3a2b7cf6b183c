"""What happened when: the onset, what moved since, what failed, and what the logs say of it."""
