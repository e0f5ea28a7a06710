"""SO-Bench: an image, a JSON Schema and an intent, to be answered with a JSON value."""
