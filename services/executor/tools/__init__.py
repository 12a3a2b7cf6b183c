"""Read-only tools: each makes one recorded document from the scope's sources."""
