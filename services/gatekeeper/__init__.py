"""The gatekeeper service."""
