"""What the orchestrator remembers: the port and its adapters."""
