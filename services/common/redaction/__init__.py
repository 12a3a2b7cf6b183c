"""Takes secrets out of text before it is stored, hashed, or sent to a model. Pure."""
