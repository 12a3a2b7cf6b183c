"""Traces and metrics of a process. Where nobody takes them, nothing of it is loaded and nothing is done."""
