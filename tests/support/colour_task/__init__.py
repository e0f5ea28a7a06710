"""A task that only tests have: a picture and a question about it, a short answer, no rendering."""
