"""Runs: from a data set and a model to records and numbers."""
