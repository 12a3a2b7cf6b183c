"""Clients of the five agents: typed calls with a deadline and the run id; failures by their code."""
