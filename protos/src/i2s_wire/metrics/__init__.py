"""Types of ``i2s.metrics.v1``: pairs of pictures, their scores, the description of the metric service."""
