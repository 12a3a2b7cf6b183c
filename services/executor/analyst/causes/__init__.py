"""What may have caused it: changes, stated mechanisms, weaker directions, and which of them are claimed."""
