"""The orchestrator: owns state, routing, the trace, persistence and the command line."""
