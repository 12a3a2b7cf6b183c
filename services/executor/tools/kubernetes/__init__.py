"""The tools on what was saved of a cluster: its objects, its events, and what is wrong with which object."""
