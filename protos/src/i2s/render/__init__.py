"""The render contract, by version."""
