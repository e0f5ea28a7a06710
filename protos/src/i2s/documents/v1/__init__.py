"""Version 1 of the documents contract, generated from protos/i2s/documents/v1."""
