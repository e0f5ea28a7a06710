"""The pages of examples/olmocrbench."""
