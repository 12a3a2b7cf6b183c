"""A language model behind any endpoint of the OpenAI protocol: asked for one JSON object at a time."""
