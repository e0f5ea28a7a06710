"""Version 1 of the metrics contract, generated from protos/i2s/metrics/v1."""
