"""The metrics contract, by version."""
