"""The composer service."""
