"""Types of ``i2s.metrics.v1``: pairs of images, their scores, the description of the metric service."""
