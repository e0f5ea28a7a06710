"""Runs in object stores, through fsspec."""
