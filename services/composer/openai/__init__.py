"""The reasoner that asks a model: rendering and translation are pure, the rest is one question."""
