"""Readers of what systems said: files of a bundle, their kinds, owners, lines and series."""
