"""A task that only tests have: an image and a question about it, a short answer, no rendering."""
