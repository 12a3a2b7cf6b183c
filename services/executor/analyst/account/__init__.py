"""The rest of the answer: what is wrong, what was normal, what was asked about, what is missing."""
