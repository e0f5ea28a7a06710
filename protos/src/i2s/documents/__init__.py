"""The documents contract, by version."""
