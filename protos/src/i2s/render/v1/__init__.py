"""Version 1 of the render contract, generated from protos/i2s/render/v1."""
