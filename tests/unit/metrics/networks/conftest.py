"""Fixtures of networks."""

from network_fixtures import drawn, torch, vgg16_state

__all__ = ["drawn", "torch", "vgg16_state"]
