"""The executor that asks a model: it shows what was recorded line by line, and takes claims by reference."""
