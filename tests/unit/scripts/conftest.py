"""Fixtures of networks."""

from network_fixtures import torch, vgg16_state

__all__ = ["torch", "vgg16_state"]
