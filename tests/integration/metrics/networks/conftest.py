"""Fixtures of networks."""

from network_fixtures import drawn, inception, torch, vgg16_state

__all__ = ["drawn", "inception", "torch", "vgg16_state"]
