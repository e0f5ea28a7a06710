"""Types of ``i2s.render.v1``: requests to renderers, their answers, their descriptions."""
